import { raw } from '../base/sql.ts';
import { bulkInsert } from '../db/bulk.ts';
import type { Database, Row } from '../db/db.ts';
import { type Chunk, packRows } from './format/chunk.ts';
import { Changed, chunkSizes, rest, unlessChanged } from './pack.ts';
import {
  allHeads,
  type ChunkHead,
  type ColdScope,
  deleteChunks,
  hasChunks,
  insertChunk,
  isUnpacked,
  loadChunk,
  markUnpacked,
} from './store.ts';

/**
 * Takes packing back. Whoever has read the stored rows may be about to read the chunks, so a chunk stays for a while after its rows are
 * stored again, marked as unpacked: lists find its rows in both and answer them once, counts pass over it. If the process dies, a step
 * is either done or not done.
 */

export interface Unpacking {
  /** Rows that are stored in one transaction. */
  readonly size?: number;
  /** Resolves when every query has ended that had begun before. */
  readonly wait: () => Promise<unknown>;
}

/** In the first one large chunks become small ones; more are needed if somebody replaces some meanwhile. */
const mostRounds = 6;

/**
 * Stores the packed rows of these tables again. Answers how many, and whether all of them are.
 */
export async function unpackAll(
  db: Database,
  scopes: readonly ColdScope[],
  { size = chunkSizes.small, wait }: Unpacking,
): Promise<{ readonly rows: number; readonly isWhole: boolean }> {
  let rows = 0;
  for (const scope of scopes) rows += await unpackTable(db, scope, size);
  const marked: (readonly [ColdScope, ChunkHead])[] = [];
  for (const scope of scopes)
    for await (const heads of allHeads(db, scope))
      for (const head of heads.filter(isUnpacked)) marked.push([scope, head]);
  if (marked.length > 0) await wait();
  for (const [scope, head] of marked) {
    await deleteChunks(db, scope, [head]);
    await db.caughtUp();
  }
  for (const scope of scopes) if (await hasChunks(db, scope)) return { rows, isWhole: false };
  return { rows, isWhole: true };
}

async function unpackTable(db: Database, scope: ColdScope, size: number): Promise<number> {
  let rows = 0;
  for (let round = 0; round < mostRounds; round++) {
    let isWhole = true;
    for await (const heads of allHeads(db, scope))
      for (const head of heads.filter((one) => !isUnpacked(one))) {
        const stored = await unpackChunk(db, scope, { head, size });
        if (stored === undefined) isWhole = false;
        else rows += stored;
        await rest(db);
      }
    if (isWhole) break;
  }
  return rows;
}

interface Unpacked {
  readonly head: ChunkHead;
  readonly size: number;
}

/** How many rows it had; undefined if it was replaced, by others or by several small ones. */
async function unpackChunk(db: Database, scope: ColdScope, { head, size }: Unpacked): Promise<number | undefined> {
  const chunk = await loadChunk(db, scope, head);
  if (!chunk) return undefined;
  if (chunk.length > size) return split(db, scope, { head, size, chunk });
  const rows = await chunk.all();
  // One that was recorded again is there already.
  const insert = bulkInsert(scope.table, { conflict: raw('on conflict (app_id, object_id) do nothing') });
  const isDone = await unlessChanged(db, async (db) => {
    if (!(await markUnpacked(db, scope, head))) throw new Changed();
    for (const statement of insert.each(db.dialect, rows as never)) await db.run(statement);
  });
  return isDone ? rows.length : undefined;
}

/** So many rows at once would hold up other writes: small chunks take the place of a large one. */
async function split(
  db: Database,
  scope: ColdScope,
  { head, size, chunk }: Unpacked & { readonly chunk: Chunk },
): Promise<undefined> {
  const rows: readonly Row[] = await chunk.all();
  const parts: Awaited<ReturnType<typeof packRows>>[] = [];
  for (let start = 0; start < rows.length; start += size)
    parts.push(await packRows(scope.table, rows.slice(start, start + size)));
  await unlessChanged(db, async (db) => {
    if ((await deleteChunks(db, scope, [head])) < 1) throw new Changed();
    for (const part of parts) await insertChunk(db, scope, part, [head]);
  });
}
