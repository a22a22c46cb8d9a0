import { joinSql, raw, type Sql, sql } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import { type DbTable, type Mentions, stepColumn } from '../../../db/table.ts';
import { idsOf, type Person, type PersonPart, scopeOf } from './person.ts';
import * as store from './store.ts';

/** Erases rows in steps, so that no other write waits for long. Each step counts in the receipt what it has erased. */

/** Rows that a transaction erases: few at first, so that no other write waits, and more if a step is fast. */
const stepSize = 200;
const maxInStep = 2_000;
/** How long a step should take (ms), since other writes wait for it. */
const stepTakesMs = 25;
/** Rows whose texts are looked at in one query. */
const pageSize = 1_000;

/** The rows of a table that belong to a person, and the receipt in which they are counted. */
export interface ErasureStep {
  readonly part: PersonPart;
  readonly person: Person;
  readonly key: store.ErasureKey;
}

interface What {
  readonly scope: Sql;
  /** Without it, the rows are deleted. */
  readonly set?: Sql;
}

/** Each step a transaction; values of the column `within` one after the other, because the keys begin with it. */
export async function inSteps(db: Database, step: ErasureStep, what: What): Promise<void> {
  const { table } = step.part;
  if (table.within === undefined) return stepsOf(db, step, what);
  const within = raw(table.within);
  let last = '';
  for (;;) {
    const next = await db.one<{ value: string }>(
      sql`select ${within} as value from ${raw(table.name)} where app_id = ${step.person.appId} and ${within} > ${last}
        order by ${within} limit 1`,
    );
    if (!next) return;
    last = next.value;
    await stepsOf(db, step, { ...what, scope: sql`${within} = ${last} and ${what.scope}` });
  }
}

async function stepsOf(db: Database, { part: { table }, key }: ErasureStep, { scope, set }: What): Promise<void> {
  const [name, id] = [raw(table.name), raw(stepColumn(table))];
  const some = sql`${scope} and ${id} in (select ${id} from ${name} where ${scope} limit ${stepSize})`;
  const statement = set ? sql`update ${name} set ${set} where ${some}` : sql`delete from ${name} where ${some}`;
  for (;;) {
    const count = await db.transaction(async (db) => {
      const changed = await db.run(statement);
      if (changed > 0) await store.addCount(db, key, table.name, changed);
      return changed;
    });
    if (count === 0) return;
    await db.caughtUp();
  }
}

/** An index has the rows of one installation in the order of the column by which they are deleted in steps. */
export function isInOrder(part: PersonPart & { readonly how: 'trace' }): boolean {
  const { table, column } = part;
  const wanted = ['app_id', column, stepColumn(table)];
  const all = [{ on: table.key }, ...Object.values(table.indexes ?? {}).filter(({ isPartial }) => !isPartial)];
  return all.some(({ on }) => wanted.every((name, place) => on[place] === name));
}

/**
 * Deletes the rows of one installation from the first to the last. If each step searched from the beginning, it would walk over all deleted
 * entries, which PostgreSQL's indexes keep for a while: quadratic time.
 */
export async function inOrder(db: Database, { part: { table }, key, person }: ErasureStep, scope: Sql): Promise<void> {
  const [name, id] = [raw(table.name), raw(stepColumn(table))];
  let size = stepSize;
  for (let last = '', found = 0; ; ) {
    const began = performance.now();
    const ids = await db.all<{ id: string }>(
      sql`select ${id} as id from ${name} where ${scope} and ${id} > ${last} order by ${id} limit ${size}`,
    );
    const these = joinSql(
      ids.map((row) => sql`${row.id}`),
      ', ',
    );
    if (ids.length > 0)
      await db.transaction(async (db) => {
        const deleted = sql`delete from ${name} where app_id = ${person.appId} and ${id} in (${these}) and ${scope}`;
        await store.addCount(db, key, table.name, await db.run(deleted));
      });
    found += ids.length;
    if (ids.length === size) last = ids.at(-1)?.id ?? '';
    // Rows written during the deletion may lie before the position it has reached.
    else if (found > 0) [last, found] = ['', 0];
    else return;
    const took = performance.now() - began;
    size = Math.max(
      stepSize,
      Math.min(maxInStep, Math.round(size * (took < stepTakesMs / 2 ? 2 : took > stepTakesMs ? 0.5 : 1))),
    );
    await db.caughtUp();
  }
}

/** No index leads to ids inside texts: all rows are read once, page by page, between other requests. */
export async function eraseMentions(db: Database, { part, person, key }: ErasureStep): Promise<void> {
  if (part.how !== 'mentioned') return;
  const { table, mentions } = part;
  const [name, id] = [raw(table.name), raw(idOf(table))];
  const scope = scopeOf(part, person);
  let last = '';
  for (;;) {
    const page = await db.all<{ id: string }>(
      sql`select ${id} as id from ${name} where ${scope} and ${id} > ${last} order by ${id} limit ${pageSize}`,
      { tenant: person.appId },
    );
    for (let start = 0; start < page.length; start += stepSize) {
      const ids = page.slice(start, start + stepSize).map((row) => sql`${row.id}`);
      const these = sql`app_id = ${person.appId} and ${id} in (${joinSql(ids, ', ')})`;
      await db.transaction(async (db) => {
        const count = await db.run(
          mentions.erased === 'delete'
            ? sql`delete from ${name} where ${these}`
            : sql`update ${name} set ${cellsOf(mentions, person)} where ${these}`,
        );
        if (count > 0) await store.addCount(db, key, table.name, count);
      });
      await db.caughtUp();
    }
    if (page.length < pageSize) return;
    last = page.at(-1)?.id ?? '';
  }
}

function cellsOf({ in: columns, erased }: Mentions, person: Person): Sql {
  if (erased === 'unname')
    return joinSql(
      columns.map((column) => withoutIds(column, person)),
      ', ',
    );
  return joinSql(
    Object.entries(erased).map(([column, value]) => sql`${raw(column)} = ${value ?? null}`),
    ', ',
  );
}

const withoutIds = (column: string, person: Person): Sql =>
  sql`${raw(column)} = ${idsOf(person).reduce((text, id) => sql`replace(${text}, ${id}, 'erased')`, raw(column))}`;

/** The column after `app_id` that makes a row findable. */
function idOf({ name, key }: DbTable): string {
  const [id, ...more] = key.filter((column) => column !== 'app_id');
  if (id === undefined || more.length > 0) throw new Error(`Rows of ${name} that mention a person have no id.`);
  return id;
}
