import { timeOfId } from '@pharos/engine';
import { firstIdAt } from '../base/id.ts';
import { raw, type Sql, sql } from '../base/sql.ts';
import type { Database, Db } from './db.ts';

/**
 * Tables of traces in partitions by time: ranges of their objectIds, which begin with the time (ADR 69). The first partition
 * holds everything before the months, the last one everything after them, so that every row has its place, and all of them
 * are in order: the newest hundred are read from one of them.
 */

/** The tables that grow, whose objectIds begin with their time. `partitions.test.ts` compares this with the declarations. */
export const tablesInPartitions = ['logs', 'events', 'verdicts', 'visits', 'deliveries'] as const;

export interface Partition {
  readonly name: string;
  /** The first objectId that it may hold; null: any. */
  readonly from: string | null;
  /** The first objectId that it may not hold; null: any. */
  readonly until: string | null;
}

const monthsAhead = 2;
/** Anything that waits for a lock on a table makes everything else wait behind it. */
const shortWaits = raw(`set local lock_timeout = '3s'`);

const monthOf = (time: number, later = 0) => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

const boundOf = (bound: string | null, otherwise: 'minvalue' | 'maxvalue') =>
  bound === null ? otherwise : `'${bound}'`;
const rangeOf = ({ from, until }: Omit<Partition, 'name'>) =>
  `for values from (${boundOf(from, 'minvalue')}) to (${boundOf(until, 'maxvalue')})`;

const create = (table: string, { name, ...range }: Partition) =>
  raw(`create table ${name} partition of ${table} ${rangeOf(range)}`);

function monthPartition(table: string, start: number): Partition {
  const name = `${table}_${new Date(start).toISOString().slice(0, 7).replace('-', '_')}`;
  return { name, from: firstIdAt(start), until: firstIdAt(monthOf(start, 1)) };
}

const before = (table: string, until: string): Partition => ({ name: `${table}_before`, from: null, until });
const behind = (table: string, from: string): Partition => ({ name: `${table}_behind`, from, until: null });

/** The months from one time until another (ms), each the beginning of a month, and what comes after them. */
function partitionsBetween(table: string, start: number, end: number): Partition[] {
  const months: Partition[] = [];
  for (let month = start; month < end; month = monthOf(month, 1)) months.push(monthPartition(table, month));
  return [...months, behind(table, firstIdAt(end))];
}

/** In the order of time; none for a table that is not in partitions. */
export async function listPartitions(db: Db, table: string): Promise<Partition[]> {
  if (db.dialect.name !== 'postgres') return [];
  const rows = await db.all<{ name: string; bound: string }>(
    sql`select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(${table})`,
  );
  const partitions = rows.map(({ name, bound }): Partition => {
    const [, from = '', until = ''] = /FROM \((.*)\) TO \((.*)\)/.exec(bound) ?? [];
    const idOf = (text: string) => /^'(.*)'$/.exec(text)?.[1] ?? null;
    return { name, from: idOf(from), until: idOf(until) };
  });
  return partitions.sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
}

/** Whether the table exists and is not partitioned. */
async function isWhole(db: Db, table: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from pg_class where oid = to_regclass(${table}) and relkind = 'r'`);
  return row !== undefined;
}

const isEmpty = async (db: Db, table: string) =>
  (await db.one(raw(`select 1 as found from ${table} limit 1`))) === undefined;

interface StoredIndex {
  readonly name: string;
  readonly definition: string;
}

/** Only keys with the objectId can be unique across partitions: a lock keeps a client's event ids unique (logs/store.ts). */
const ownIndexes: Readonly<Record<string, string>> = {
  logs_event_id: 'create index logs_event_id on logs (app_id, event_id) where event_id is not null',
  events_visit: 'create index events_visit on events (app_id, visit_id)',
  deliveries_reason:
    'create index deliveries_reason on deliveries (app_id, push_id, state, reason) where push_id is not null and reason is not null',
};

const preparedName = (name: string) => `${name}_before`;

/** The indexes of a table, but for its key and for those that an interrupted run has prepared, as they are in partitions. */
async function indexesOf(db: Db, table: string): Promise<StoredIndex[]> {
  const prepared = Object.keys(ownIndexes).map(preparedName);
  const rows = await db.all<StoredIndex>(
    sql`select c.relname as name, pg_get_indexdef(c.oid) as definition from pg_index x join pg_class c on c.oid = x.indexrelid
      where x.indrelid = to_regclass(${table}) and not x.indisprimary order by c.relname`,
  );
  return rows
    .filter(({ name }) => !prepared.includes(name))
    .map(({ name, definition }) => ({ name, definition: ownIndexes[name] ?? definition }));
}

/** Recreates the tables of a new database in partitions. Called before the database is used; a table with rows stays as it is. */
export async function bearInPartitions(db: Db, now: number): Promise<void> {
  // A second node that creates the database at the same moment waits here and finds it done.
  await db.run(raw('lock table migrations in exclusive mode'));
  for (const table of tablesInPartitions) {
    if (!(await isWhole(db, table)) || !(await isEmpty(db, table))) continue;
    const indexes = await indexesOf(db, table);
    await db.run(raw(`create table ${table}_new (like ${table} including defaults) partition by range (object_id)`));
    await db.run(raw(`drop table ${table}`));
    await settle(db, table, indexes);
    const start = monthOf(now);
    const all = [before(table, firstIdAt(start)), ...partitionsBetween(table, start, monthOf(now, monthsAhead))];
    for (const partition of all) await db.run(create(table, partition));
  }
}

/** The new table gets the name of the old one, its key and its indexes. */
async function settle(db: Db, table: string, indexes: readonly StoredIndex[]): Promise<void> {
  await db.run(raw(`alter table ${table}_new rename to ${table}`));
  await db.run(raw(`alter table ${table} add primary key (app_id, object_id)`));
  for (const { definition } of indexes) await db.run(raw(definition));
}

/** Adds the months that are missing until the end of the next one, to the tables that are in partitions. */
export async function addPartitions(db: Database, now: number): Promise<void> {
  for (const table of tablesInPartitions) {
    const last = (await listPartitions(db, table)).at(-1);
    const end = monthOf(now, monthsAhead);
    if (last?.from == null || last.from >= firstIdAt(end)) continue;
    await db.longTransaction((db) => addMonths(db, { table, last, end, now }));
  }
}

interface Added {
  readonly table: string;
  /** What comes after the existing months. */
  readonly last: Partition;
  readonly end: number;
  readonly now: number;
}

async function addMonths(db: Db, { table, last, end, now }: Added): Promise<void> {
  await db.run(shortWaits);
  const from = last.from ?? '';
  const newest = await db.one<{ id: string | null }>(raw(`select max(object_id) as id from ${last.name}`));
  let start = monthOf(timeOfId(from));
  if (newest?.id == null) await db.run(raw(`drop table ${last.name}`));
  else {
    // No months were added for long, or a clock is ahead: it becomes a separate partition, with everything in it.
    start = Math.max(monthOf(now, 1), monthOf(timeOfId(newest.id), 1));
    const closed = { name: `${monthPartition(table, timeOfId(from)).name}_on`, from, until: firstIdAt(start) };
    await db.run(raw(`alter table ${table} detach partition ${last.name}`));
    await db.run(raw(`alter table ${last.name} rename to ${closed.name}`));
    await db.run(raw(`alter table ${table} attach partition ${closed.name} ${rangeOf(closed)}`));
  }
  for (const partition of partitionsBetween(table, start, Math.max(start, end))) await db.run(create(table, partition));
}

/** The partitions that hold nothing from a time (ms) on; they are the first ones. */
export async function partitionsOlderThan(db: Db, table: string, time: number): Promise<Partition[]> {
  const bound = firstIdAt(time);
  return (await listPartitions(db, table)).filter(({ until }) => until !== null && until <= bound);
}

/** Drops the first partitions of a table; late rows of their time go into the new first one. */
export async function dropPartitions(db: Database, table: string, first: readonly Partition[]): Promise<void> {
  const until = first.at(-1)?.until;
  if (until == null) return;
  await db.longTransaction(async (db) => {
    await db.run(shortWaits);
    for (const { name } of first) await db.run(raw(`drop table ${name}`));
    await db.run(create(table, before(table, until)));
  });
}

/** PostgreSQL does not collect statistics of a whole partitioned table by itself. */
export async function analyzePartitions(db: Database): Promise<void> {
  for (const table of tablesInPartitions)
    if ((await listPartitions(db, table)).length > 0) await db.longTransaction((db) => db.run(raw(`analyze ${table}`)));
}

/** No row is later than this while a table is being partitioned. */
const attachingMs = 7 * 86_400_000;

/**
 * Partitions the tables of a database in use: the existing data as a whole becomes the first partition. Writes continue except
 * for a moment; reading everything once takes time. Every node must run a version that knows partitions. Can be run again after
 * an interruption.
 */
export async function putInPartitions(db: Database, now: number): Promise<string[]> {
  const done: string[] = [];
  for (const table of tablesInPartitions) {
    if (!(await isWhole(db, table))) continue;
    const start = monthOf(now + attachingMs, 1);
    const indexes = await indexesOf(db, table);
    const until = firstIdAt(start);
    await db.longTransaction(async (db) => {
      await db.run(shortWaits);
      await db.run(raw(`alter table ${table} drop constraint if exists ${table}_in_time`));
      await db.run(
        raw(`alter table ${table} add constraint ${table}_in_time check (object_id < '${until}') not valid`),
      );
    });
    await db.longTransaction((db) => db.run(raw(`alter table ${table} validate constraint ${table}_in_time`)));
    for (const index of indexes) await prepareIndex(db, index);
    await db.longTransaction((db) => attachWhole(db, { table, start, indexes }));
    done.push(table);
  }
  return done;
}

/** An index that differs in partitions is built beforehand, concurrently with writes: attaching would block them for as long. */
async function prepareIndex(db: Database, { name, definition }: StoredIndex): Promise<void> {
  if (!(name in ownIndexes)) return;
  const own = preparedName(name);
  // An unfinished one is of no use.
  const unfinished = await db.one(
    sql`select 1 as found from pg_index where indexrelid = to_regclass(${own}) and not indisvalid`,
  );
  if (unfinished) await db.longTransaction((db) => db.run(raw(`drop index ${own}`)));
  const statement = definition.replace(`create index ${name}`, `create index concurrently if not exists ${own}`);
  await db.alone?.(raw(statement));
}

async function attachWhole(
  db: Db,
  {
    table,
    start,
    indexes,
  }: { readonly table: string; readonly start: number; readonly indexes: readonly StoredIndex[] },
): Promise<void> {
  await db.run(shortWaits);
  const first = before(table, firstIdAt(start));
  const rename = (what: Sql) => db.run(what);
  await rename(raw(`alter table ${table} rename to ${first.name}`));
  await rename(raw(`alter index ${table}_pkey rename to ${first.name}_pkey`));
  for (const { name } of indexes)
    await rename(
      raw(name in ownIndexes ? `drop index ${name}` : `alter index ${name} rename to ${preparedName(name)}`),
    );
  await db.run(raw(`create table ${table}_new (like ${first.name} including defaults) partition by range (object_id)`));
  await settle(db, table, indexes);
  await db.run(raw(`alter table ${table} attach partition ${first.name} ${rangeOf(first)}`));
  await db.run(raw(`alter table ${first.name} drop constraint ${table}_in_time`));
  for (const partition of partitionsBetween(table, start, monthOf(start, 1))) await db.run(create(table, partition));
}
