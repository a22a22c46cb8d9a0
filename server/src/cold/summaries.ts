import { joinSql, type Sql, sql } from '../base/sql.ts';
import { bulkInsert } from '../db/bulk.ts';
import type { Database, Db } from '../db/db.ts';
import type { DbTable } from '../db/table.ts';
import { Chunk, type Packing } from './format/chunk.ts';
import { mayHold } from './format/filter.ts';
import { mayBeWithin, type NumberBound, type Ranges } from './format/ranges.ts';
import { coldSummaries } from './tables.ts';

/**
 * What is in chunks, stored beside them (ADR 96). A chunk is replaced in one transaction with its summary; one of an earlier version has
 * none until a sweep adds it, and is asked by its own filter until then.
 */

/** Of a column some texts: all rows that are asked for have one of them there. */
export interface Sought {
  readonly column: string;
  readonly texts: readonly string[];
}

export interface Asks {
  /** All rows that are asked for have what each of them seeks. */
  readonly values: readonly Sought[];
  /** And are within each of these. */
  readonly bounds?: readonly NumberBound[];
}

interface Named {
  readonly object_id: string;
}

interface StoredSummary extends Named {
  readonly filter: string;
  readonly filter_of: string | null;
  readonly ranges?: string;
}

const newSummaries = bulkInsert(coldSummaries);

export async function insertSummary(
  db: Db,
  {
    ranges,
    ...row
  }: Pick<Packing, 'filter' | 'filter_of' | 'ranges'> &
    Named & {
      readonly app_id: string;
      readonly kind: string;
    },
): Promise<void> {
  for (const statement of newSummaries.each(db.dialect, [{ ...row, ranges: JSON.stringify(ranges) }]))
    await db.run(statement);
}

export async function deleteSummaries(db: Db, appId: string, ids: readonly string[]): Promise<void> {
  await db.run(sql`delete from cold_summaries where app_id = ${appId} and object_id in (${listed(ids)})`);
}

const listed = (ids: readonly string[]): Sql =>
  joinSql(
    ids.map((id) => sql`${id}`),
    ', ',
  );

/** At first few: the newest chunks may be all that a page needs. */
const atOnce = { first: 2, most: 64 };

/** The chunks in which there may be rows that are asked for, in the same order; one that has gone is among them. */
export async function* mayHave<T extends Named>(
  db: Db,
  { appId }: { readonly appId: string },
  heads: readonly T[],
  { values, bounds = [] }: Asks,
): AsyncGenerator<T> {
  if (values.length === 0 && bounds.length === 0) {
    yield* heads;
    return;
  }
  for (let start = 0, size = atOnce.first; start < heads.length; start += size) {
    if (start > 0) size = Math.min(2 * size, atOnce.most);
    const some = heads.slice(start, start + size);
    const known = new Map<string, StoredSummary>();
    const look = async (statement: Sql) => {
      for (const row of await db.all<StoredSummary>(statement)) known.set(row.object_id, row);
    };
    const ids = some.map(({ object_id }) => object_id);
    await look(sql`select object_id, filter, filter_of, ranges from cold_summaries
      where app_id = ${appId} and object_id in (${listed(ids)})`);
    const others = ids.filter((id) => !known.has(id));
    if (others.length > 0 && values.length > 0)
      await look(sql`select object_id, filter, filter_of from cold_chunks
        where app_id = ${appId} and object_id in (${listed(others)})`);
    for (const head of some) {
      const found = known.get(head.object_id);
      if (found === undefined || isPossible(found, { values, bounds })) yield head;
    }
  }
}

/** A filter tells nothing about a column that it does not know. */
function isPossible({ filter, filter_of, ranges }: StoredSummary, { values, bounds = [] }: Asks): boolean {
  const known = (filter_of ?? '').split(' ');
  return (
    values.every(({ column, texts }) => !known.includes(column) || mayHold(filter, texts)) &&
    (bounds.length === 0 || ranges === undefined || mayBeWithin(JSON.parse(ranges) as Ranges, bounds))
  );
}

const rangesAtOnce = 500;

/** Between which numbers a column is in each chunk for which that is known. */
export async function rangesOf(
  db: Db,
  { appId }: { readonly appId: string },
  heads: readonly Named[],
  column: string,
): Promise<ReadonlyMap<string, Ranges[string]>> {
  const found = new Map<string, Ranges[string]>();
  for (let start = 0; start < heads.length; start += rangesAtOnce) {
    const ids = heads.slice(start, start + rangesAtOnce).map(({ object_id }) => object_id);
    const rows = await db.all<Named & { readonly ranges: string }>(
      sql`select object_id, ranges from cold_summaries where app_id = ${appId} and object_id in (${listed(ids)})`,
      { tenant: appId },
    );
    for (const { object_id, ranges } of rows) {
      const range = (JSON.parse(ranges) as Ranges)[column];
      if (range) found.set(object_id, range);
    }
  }
  return found;
}

const missingAtOnce = 50;

/**
 * Adds the summaries that are missing, and deletes those of chunks that have gone: a version that does not know of them leaves both. Answers how
 * many it added.
 */
export async function completeSummaries(
  db: Database,
  { appId, table }: { readonly appId: string; readonly table: DbTable },
  { rest, isStopped }: { readonly rest: () => Promise<void>; readonly isStopped: () => boolean },
): Promise<number> {
  await db.run(sql`delete from cold_summaries where app_id = ${appId} and kind = ${table.name} and not exists
    (select 1 from cold_chunks c where c.app_id = ${appId} and c.object_id = cold_summaries.object_id)`);
  let added = 0;
  for (let last = ''; ; ) {
    const rows = await db.all<Named>(
      sql`select object_id from cold_chunks c where app_id = ${appId} and kind = ${table.name} and object_id > ${last}
        and not exists (select 1 from cold_summaries s where s.app_id = ${appId} and s.object_id = c.object_id)
        order by object_id limit ${missingAtOnce}`,
      { tenant: appId },
    );
    for (const { object_id } of rows) {
      if (isStopped()) return added;
      const one = sql`app_id = ${appId} and object_id = ${object_id}`;
      const [chunk] = await db.all<{ content: string }>(sql`select content from cold_chunks where ${one}`);
      if (chunk === undefined) continue;
      const summary = await Chunk.open(table, appId, chunk.content).summary();
      await db.transaction(async (db) => {
        // It may have been replaced meanwhile.
        if ((await db.all(sql`select 1 as found from cold_chunks where ${one}`)).length > 0)
          await insertSummary(db, { app_id: appId, object_id, kind: table.name, ...summary });
      });
      added++;
      await rest();
    }
    if (rows.length < missingAtOnce) return added;
    last = rows.at(-1)?.object_id ?? '';
  }
}
