import type { Db, Row } from '../db/db.ts';
import type { Table } from '../db/table.ts';
import type { Order, Where } from '../query/ast.ts';
import type { Page } from '../query/page.ts';
import { type NarrowPlan, planNarrowly } from '../query/plan.ts';
import { queryToSql, whereToSql } from '../query/to-sql.ts';
import { raw, type Sql, sql } from '../sql.ts';

export interface NarrowQuery {
  readonly table: Table;
  /** Whose rows, and within which ids. */
  readonly scope: Sql;
  readonly where: Where | undefined;
  readonly order: Order;
  readonly page: Page;
  /** The app. */
  readonly share: string;
}

/** If no more records have a value, all of them are judged. */
const fewRecords = 500;
/** How far an index is walked for those that fit. */
const walkedRecords = 2_000;
/** More than any value of which there are few has; a limit keeps the databases from taking another index. */
const fence = 100_000;
/** A query that looks at few records and still takes longer reads large ones, or has not been asked for long. */
const longMicros = 10_000;
/** So many long ones in a row are no accident. */
const longInARow = 3;
const pauseMs = 30_000;
const maxRemembered = 1_000;

/** Apps whose records are so large that even few of them take long: theirs wait their turn with the long queries. */
const slowApps = new Map<string, { inARow: number; pausedUntil: number }>();

/**
 * Tries to answer a query of several conditions by looking only at those records that have a value that few have, where
 * others may wait for it. Undefined when there is no such value, and where the database finds such ways by itself: PostgreSQL does, and told how it took half a minute in a trial.
 */
export async function selectNarrowly(db: Db, query: NarrowQuery): Promise<Row[] | undefined> {
  const plan = db.dialect.knowsSizes ? undefined : planNarrowly(query.where, query.order);
  if (!plan || isPaused(query.share)) return undefined;
  return amongFew(db, query, plan);
}

async function amongFew(db: Db, query: NarrowQuery, plan: NarrowPlan): Promise<Row[] | undefined> {
  for (const value of plan.values.slice(0, 2)) {
    const having = sql`from ${raw(query.table.name)} where ${query.scope} and ${whereToSql(value, db.dialect.where)}`;
    const counted = sql`select count(*) as n from (select 1 ${having} limit ${fewRecords + 1}) as few`;
    const [row] = await db.all<{ n: number }>(counted);
    const found = row?.n ?? 0;
    if (found > fewRecords) continue;
    const { limit, skip } = query.page;
    const walked = found > 3 * (limit + skip) ? await byMembership(db, query, { plan, having }) : undefined;
    return walked ?? ask(db, query, judged(db, query, sql`select ${columns(plan)} ${having} limit ${fence}`));
  }
  return undefined;
}

/**
 * Walks the index of the order and keeps who is among the few: two indexes and no record is looked at. Only a full page
 * says that nothing was missed behind the end of the walk.
 */
async function byMembership(
  db: Db,
  query: NarrowQuery,
  { plan, having }: { readonly plan: NarrowPlan; readonly having: Sql },
): Promise<Row[] | undefined> {
  if (!plan.walk?.besideOneValue) return undefined;
  const fits = sql`object_id in (select object_id ${having})`;
  const rows = await ask(db, query, firstOf(db, query, { walked: walk(db, query, plan.walk), fits }));
  return rows.length === query.page.limit ? rows : undefined;
}

type Walk = Pick<NonNullable<NarrowPlan['walk']>, 'where' | 'columns'>;

/** The first ones in the order, by nothing but its index. */
function walk(db: Db, query: NarrowQuery, by: Walk): Sql {
  const { condition, orderBy } = queryToSql({ where: by.where, order: query.order }, db.dialect.where);
  return sql`select ${columns(by)} from ${raw(query.table.name)} where ${query.scope} and ${condition} order by ${orderBy} limit ${walkedRecords}`;
}

function columns({ columns }: Pick<NarrowPlan, 'columns'>): Sql {
  return raw([...new Set(['object_id', ...columns])].join(', '));
}

/** The page of those `candidates` that fit. Documents are read only for what is answered. */
function judged(db: Db, query: NarrowQuery, candidates: Sql): Sql {
  const { condition, orderBy } = queryToSql(query, db.dialect.where);
  return pageOf(db, query, sql`(${candidates}) as candidates where ${condition} order by ${orderBy}`);
}

/**
 * The same of candidates that come in order, so that the walk ends with the last one that is needed. That a subquery with
 * a limit keeps its order is not promised by SQL but is so in SQLite; the tests would notice.
 */
function firstOf(db: Db, query: NarrowQuery, { walked, fits }: { readonly walked: Sql; readonly fits: Sql }): Sql {
  return pageOf(db, query, sql`(${walked}) as candidates where ${fits}`);
}

function pageOf(db: Db, { table, scope, where, order, page }: NarrowQuery, from: Sql): Sql {
  const { orderBy } = queryToSql({ where, order }, db.dialect.where);
  const ids = sql`select object_id from ${from} limit ${page.limit} offset ${page.skip}`;
  return sql`select ${table.selection} from ${raw(table.name)} where ${scope} and object_id in (${ids}) order by ${orderBy}`;
}

/** What this thread has worked until there is a promise is what others have waited for. */
async function ask(db: Db, { share }: NarrowQuery, statement: Sql): Promise<Row[]> {
  const before = process.threadCpuUsage();
  const rows = db.all(statement);
  const { user, system } = process.threadCpuUsage(before);
  if (user + system > longMicros) noteLong(share);
  else slowApps.delete(share);
  return rows;
}

function isPaused(share: string): boolean {
  return performance.now() < (slowApps.get(share)?.pausedUntil ?? 0);
}

function noteLong(share: string): void {
  const inARow = (slowApps.get(share)?.inARow ?? 0) + 1;
  if (slowApps.size >= maxRemembered) slowApps.clear();
  slowApps.set(share, { inARow, pausedUntil: inARow >= longInARow ? performance.now() + pauseMs : 0 });
}
