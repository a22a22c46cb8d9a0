import { raw, type Sql, sql } from '../base/sql.ts';
import { type Db, fillPage, type Row, type RowBudget } from '../db/db.ts';
import type { Order, Where } from '../query/ast.ts';
import { orderToSql } from '../query/order.ts';
import type { Page } from '../query/page.ts';
import { type IndexedCondition, type NarrowPlan, planNarrowly } from '../query/plan.ts';
import { queryToSql, whereToSql } from '../query/to-sql.ts';
import type { RecordTable } from './table.ts';

export interface NarrowQuery {
  readonly table: RecordTable;
  /** The rows in question, and the range of ids. */
  readonly scope: Sql;
  readonly where: Where | undefined;
  /** The same as SQL. */
  readonly condition: Sql;
  readonly order: Order;
  readonly page: Page;
  /** The app. */
  readonly tenant: string;
  /** How much of the page is read into memory. */
  readonly within: RowBudget;
}

/** If no more records than this meet the conditions on one column, all of them are checked. */
const fewRecords = 500;
/** The same if the index alone answers everything, and how far an index is walked for matches. */
const heldRecords = 2_000;
/** Records that are looked at for each that a page needs, where the first ones are tried. */
const lookedAtForEach = 10;
/** More than any value of which there are few has; a limit keeps the databases from taking another index. */
const fence = 100_000;
/** Whose rows a statement returns, and which. */
interface Asked {
  readonly table: Pick<RecordTable, 'name' | 'selection'>;
  /** The rows that belong to the list at all. */
  readonly scope: Sql;
  /** All that is asked of a row, the caller's rule included. */
  readonly condition: Sql;
  readonly page: Pick<Page, 'limit' | 'skip'>;
}

/**
 * The page as one of the two statements that return rows of a list, in this file: whatever has found the rows, each of them belongs to
 * the list and meets the whole condition. A wrong way to them can only miss some.
 */
export function pageOf({ table, scope, condition, page }: Asked, orderBy: Sql, from = raw(table.name), as = sql): Sql {
  return as`select ${table.selection} from ${from} where ${scope} and ${condition} order by ${orderBy} limit ${page.limit} offset ${page.skip}`;
}

/**
 * The same of rows that come in order: `places` selects their rowids as `listed_row`. SQLite walks a cross join from the left, so that the
 * page stays in its order and documents are not sorted.
 */
export function pageInOrder({ table, scope, condition, page }: Asked, places: Sql): Sql {
  const name = raw(table.name);
  return sql`select ${table.selection} from (${places}) as listed cross join ${name} on ${name}.rowid = listed_row
    where ${scope} and ${condition} limit ${page.limit} offset ${page.skip}`;
}

/**
 * Tries to answer a query of several conditions by looking only at few records or at index entries alone, where others
 * may wait for it. Undefined when there is no such way, and for a database that finds such ways by itself: PostgreSQL does, and
 * when it was told how, took half a minute in a trial.
 */
export async function selectNarrowly(db: Db, query: NarrowQuery): Promise<Row[] | undefined> {
  const plan = db.dialect.knowsSizes ? undefined : planNarrowly(query.where, query.order, query.table.pairs);
  if (!plan) return undefined;
  return (
    (await amongFirst(db, query, plan)) ??
    (await amongFew(db, query, plan)) ??
    (await byOrder(db, query, plan)) ??
    (await amongHeld(db, query, plan))
  );
}

/** Looks at the first records that fit all conditions but one, of which there are often a page that fit this one too. */
async function amongFirst(db: Db, query: NarrowQuery, { near, columns }: NarrowPlan): Promise<Row[] | undefined> {
  if (near === undefined) return undefined;
  const { limit, skip } = query.page;
  const most = Math.min(heldRecords, lookedAtForEach * (limit + skip));
  const walked = walk(db, query, { where: near, columns, most });
  return full(query, await ask(db, query, firstOf(query, { walked, fits: query.condition })));
}

async function amongFew(db: Db, query: NarrowQuery, plan: NarrowPlan): Promise<Row[] | undefined> {
  for (const group of plan.groups.slice(0, 2)) {
    const found = await count(db, query, group, fewRecords);
    if (found > fewRecords) continue;
    const { limit, skip } = query.page;
    const isMany = found > 3 * (limit + skip) && !isHeld(query, group.column, plan);
    return (isMany ? await byMembership(db, query, { plan, group }) : undefined) ?? all(db, query, { plan, group });
  }
  return undefined;
}

/** Walks the index of the order where it holds all that is asked; those that fit are often near its beginning. */
async function byOrder(db: Db, query: NarrowQuery, plan: NarrowPlan): Promise<Row[] | undefined> {
  if (!plan.walk || !isHeld(query, plan.walk.column, plan)) return undefined;
  const walked = walk(db, query, { where: plan.walk.where, columns: plan.columns });
  return full(query, await ask(db, query, firstOf(query, { walked, fits: query.condition })));
}

async function amongHeld(db: Db, query: NarrowQuery, plan: NarrowPlan): Promise<Row[] | undefined> {
  for (const group of plan.groups.slice(0, 2)) {
    if (!isHeld(query, group.column, plan)) continue;
    if ((await count(db, query, group, heldRecords)) <= heldRecords) return all(db, query, { plan, group });
  }
  return undefined;
}

/** Whether the index that a column leads says all that is asked. */
function isHeld({ table }: NarrowQuery, column: string, { columns }: NarrowPlan): boolean {
  const held = table.held[column];
  return held !== undefined && columns.every((each) => held.includes(each) || each === 'object_id');
}

interface AmongGroup {
  readonly plan: NarrowPlan;
  readonly group: IndexedCondition;
}

const having = (db: Db, { table, scope }: NarrowQuery, { where }: IndexedCondition) =>
  sql`from ${raw(table.name)} where ${scope} and ${whereToSql(where, db.dialect.where)}`;

/** How many records meet what is asked of one column, counted no further than one beyond `most`. */
async function count(db: Db, query: NarrowQuery, group: IndexedCondition, most: number): Promise<number> {
  const few = sql`select 1 ${having(db, query, group)} limit ${most + 1}`;
  const [row] = await ask<{ n: number }>(db, query, sql`select count(*) as n from (${few}) as few`);
  return row?.n ?? 0;
}

function all(db: Db, query: NarrowQuery, { plan, group }: AmongGroup): Promise<Row[]> {
  if (isHeld(query, group.column, plan)) return ask(db, query, byIndex(db, query, group));
  return ask(db, query, judged(db, query, sql`select ${columns(plan)} ${having(db, query, group)} limit ${fence}`));
}

/**
 * Walks the index of the order and keeps those among the few: two indexes and no record is looked at.
 */
async function byMembership(db: Db, query: NarrowQuery, { plan, group }: AmongGroup): Promise<Row[] | undefined> {
  if (!plan.walk?.besideOneGroup || plan.walk.column === group.column) return undefined;
  const fits = sql`object_id in (select object_id ${having(db, query, group)})`;
  return full(query, await ask(db, query, firstOf(query, { walked: walk(db, query, plan.walk), fits })));
}

/** Only a full page, in records or bytes, shows that nothing was missed after the end of a walk. */
function full({ page, within }: NarrowQuery, rows: Row[]): Row[] | undefined {
  return fillPage(rows, page.limit, within) ? rows : undefined;
}

type Walk = Pick<NonNullable<NarrowPlan['walk']>, 'where' | 'columns'> & { readonly most?: number };

/** The first ones in the order, by nothing but its index. */
function walk(db: Db, query: NarrowQuery, by: Walk): Sql {
  const { condition, orderBy } = queryToSql({ where: by.where, order: query.order }, db.dialect.where);
  return sql`select ${columns(by)} from ${raw(query.table.name)} where ${query.scope} and ${condition} order by ${orderBy} limit ${by.most ?? heldRecords}`;
}

function columns({ columns }: Pick<NarrowPlan, 'columns'>): Sql {
  return raw([...new Set(['rowid', 'object_id', ...columns])].join(', '));
}

/**
 * The page from one index that says all that is asked. The database would not know which of several is the shortest.
 * The index is partial, and SQLite refuses to use it unless the statement says that its column is set: a condition with
 * a value of another type is the constant false, which names no column.
 */
function byIndex(db: Db, query: NarrowQuery, { column }: IndexedCondition): Sql {
  const { table, scope, condition } = query;
  const orderBy = orderToSql(query.order, db.dialect.where);
  const index = raw(`${table.name} indexed by ${table.name}_${column}`);
  const isSet = raw(`${column} is not null`);
  return found(query, sql`${index} where ${scope} and ${isSet} and ${condition} order by ${orderBy}`);
}

/** The page of those `candidates` that fit. Documents are read only for what is answered. */
function judged(db: Db, query: NarrowQuery, candidates: Sql): Sql {
  const orderBy = orderToSql(query.order, db.dialect.where);
  return found(query, sql`(${candidates}) as candidates where ${query.condition} order by ${orderBy}`);
}

/**
 * The same of candidates that come in order, so that the walk ends with the last one that is needed. That a subquery with
 * a limit keeps its order is not promised by SQL but is so in SQLite; the tests would notice.
 */
function firstOf(query: NarrowQuery, { walked, fits }: { readonly walked: Sql; readonly fits: Sql }): Sql {
  return found(query, sql`(${walked}) as candidates where ${fits}`);
}

/** The page of the rows of `from`, which are in order and as good as those that are asked for. */
function found(query: NarrowQuery, from: Sql): Sql {
  const { limit, skip } = query.page;
  return pageInOrder(query, sql`select rowid as listed_row from ${from} limit ${limit + skip}`);
}

function ask<T extends object = Row>(db: Db, { tenant, within }: NarrowQuery, statement: Sql): Promise<T[]> {
  return db.all<T>(statement, { tenant: tenant, isBrief: true, within });
}
