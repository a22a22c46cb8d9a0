import { newObjectId, timeOfId } from '../base/id.ts';
import { joinSql, raw, type Sql, sql } from '../base/sql.ts';
import { bulkInsert } from '../db/bulk.ts';
import type { Db } from '../db/db.ts';
import type { DbTable } from '../db/table.ts';
import { Chunk, type Packing } from './format/chunk.ts';
import { deleteSummaries, insertSummary } from './summaries.ts';
import { coldChunks } from './tables.ts';

/** The statements about stored chunks. A chunk never changes: it is replaced by another one. */

/** The rows of an app in a table that may be packed. */
export interface ColdScope {
  readonly appId: string;
  readonly table: DbTable;
}

/** ObjectIds, each bound included. */
export interface IdRange {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

export interface ChunkHead {
  readonly object_id: string;
  readonly first_id: string;
  readonly last_id: string;
  /** 0: its rows are stored again, and it stays only for those who have read the stored rows before; see `unpack.ts`. */
  readonly row_count: number;
}

export const isUnpacked = ({ row_count }: Pick<ChunkHead, 'row_count'>): boolean => Number(row_count) === 0;

const headColumns = raw('object_id, first_id, last_id, row_count');

/** A condition on `cold_chunks`, under its name or alias. */
export function within({ appId, table }: ColdScope, { from, until }: IdRange, name = 'cold_chunks'): Sql {
  const column = (each: string) => raw(`${name}.${each}`);
  return joinSql(
    [
      sql`${column('app_id')} = ${appId} and ${column('kind')} = ${table.name}`,
      ...(from === undefined ? [] : [sql`${column('last_id')} >= ${from}`]),
      ...(until === undefined ? [] : [sql`${column('first_id')} <= ${until}`]),
    ],
    ' and ',
  );
}

/** Whether there is any packed row that may be in the range. */
export async function hasChunks(db: Db, scope: ColdScope, range: IdRange = {}): Promise<boolean> {
  return (await db.one(sql`select 1 as found from cold_chunks where ${within(scope, range)} limit 1`)) !== undefined;
}

/** A snapshot, newest or oldest first, with at most this many. */
export function listHeads(
  db: Db,
  scope: ColdScope,
  { range, isNewestFirst, limit }: { readonly range: IdRange; readonly isNewestFirst: boolean; readonly limit: number },
): Promise<ChunkHead[]> {
  const order = raw(isNewestFirst ? 'last_id desc, object_id desc' : 'first_id, object_id');
  return db.all<ChunkHead>(
    sql`select ${headColumns} from cold_chunks where ${within(scope, range)} order by ${order} limit ${limit}`,
    { tenant: scope.appId },
  );
}

const headsAtOnce = 1_000;

/** All of them, however many, some at a time. One that replaces others is younger than they are, and so none is missed. */
export async function* allHeads(db: Db, scope: ColdScope, range: IdRange = {}): AsyncGenerator<ChunkHead[]> {
  let last = '';
  for (;;) {
    const heads = await db.all<ChunkHead>(
      sql`select ${headColumns} from cold_chunks where ${within(scope, range)} and object_id > ${last}
        order by object_id limit ${headsAtOnce}`,
      { tenant: scope.appId },
    );
    yield heads;
    if (heads.length < headsAtOnce) return;
    last = heads.at(-1)?.object_id ?? '';
  }
}

/** Undefined if it was replaced or deleted. */
export async function loadChunk(db: Db, { appId, table }: ColdScope, head: ChunkHead): Promise<Chunk | undefined> {
  const row = await db.one<{ content: string }>(
    sql`select content from cold_chunks where app_id = ${appId} and object_id = ${head.object_id}`,
  );
  return row && Chunk.open(table, appId, row.content);
}

const newChunks = bulkInsert(coldChunks);

/** In the place of others, if it has any. */
export async function insertChunk(
  db: Db,
  { appId, table }: ColdScope,
  { ranges, ...packing }: Packing,
  replaced: readonly ChunkHead[] = [],
): Promise<void> {
  // Behind those that it replaces, whatever the clocks of the nodes say: whoever walks over all of them comes to it.
  const time = replaced.reduce((latest, { object_id }) => Math.max(latest, timeOfId(object_id) + 1), Date.now());
  const key = { app_id: appId, object_id: newObjectId(time), kind: table.name };
  for (const statement of newChunks.each(db.dialect, [{ ...key, ...packing }])) await db.run(statement);
  await insertSummary(db, { ...key, filter: packing.filter, filter_of: packing.filter_of, ranges });
}

/** Returns how many still existed, and had not been unpacked since. */
export async function deleteChunks(db: Db, { appId }: ColdScope, heads: readonly ChunkHead[]): Promise<number> {
  const each = heads.map(({ object_id, row_count }) => sql`(object_id = ${object_id} and row_count = ${row_count})`);
  const deleted = await db.run(sql`delete from cold_chunks where app_id = ${appId} and (${joinSql(each, ' or ')})`);
  // One that is still there is found without it as well.
  await deleteSummaries(
    db,
    appId,
    heads.map(({ object_id }) => object_id),
  );
  return deleted;
}

/** False if it was replaced, deleted or unpacked. */
export async function markUnpacked(
  db: Db,
  { appId }: ColdScope,
  { object_id, row_count }: ChunkHead,
): Promise<boolean> {
  const marked = await db.run(sql`update cold_chunks set row_count = 0
    where app_id = ${appId} and object_id = ${object_id} and row_count = ${row_count}`);
  return marked > 0;
}
