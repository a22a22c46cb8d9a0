import { firstIdAt } from '../base/id.ts';
import { joinSql, raw, sql } from '../base/sql.ts';
import { whenQuiet } from '../base/work-slices.ts';
import type { Database, Db, Row } from '../db/db.ts';
import { announcePacking, daysAgo } from './ever.ts';
import { packRows } from './format/chunk.ts';
import { allHeads, type ChunkHead, type ColdScope, deleteChunks, insertChunk, isUnpacked, loadChunk } from './store.ts';

/**
 * Packs old rows: a few hundred at a time become a small chunk, in the transaction that deletes them, and small chunks become a large one.
 * If the process dies, a step is either done or not done.
 */

export interface ChunkSizes {
  /** Rows that leave their table in one transaction, so that no other write waits for long. */
  readonly small: number;
  /** The least rows of a large chunk. */
  readonly large: number;
}

export const chunkSizes: ChunkSizes = { small: 512, large: 4_096 };

export interface ColdAge extends ColdScope {
  /** Rows from before (ms). */
  readonly before: number;
}

/** Others were faster. */
export class Changed extends Error {}

export interface Packing {
  readonly sizes?: ChunkSizes;
  /** Only what is not older than this (ms) is looked at. */
  readonly since?: number;
  /** Looked at between steps. */
  readonly isStopped?: () => boolean;
}

/** Packs what is old of one app and table. Other nodes have to know of it (`ever.ts`). Answers the number of rows. */
export async function packOld(
  db: Database,
  age: ColdAge,
  { sizes = chunkSizes, since = 0, isStopped = () => false }: Packing = {},
): Promise<number> {
  // Whatever the caller asks for: lists rely on younger rows not being packed.
  const before = Math.min(age.before, daysAgo(db, await announcePacking(db)));
  let packed = 0;
  for await (const rows of oldRows(db, { ...age, before }, { since, size: sizes.small })) {
    if (await packStep(db, age, rows)) packed += rows.length;
    await rest(db);
    if (isStopped()) return packed;
  }
  await mergeSmall(db, age, { sizes, isStopped });
  return packed;
}

/** Nobody waits for it. */
export async function rest(db: Database): Promise<void> {
  await db.caughtUp();
  await whenQuiet();
}

/** Rows that are looked at by one statement, of which few may be chosen: so many times those of a chunk. */
const rowsOfLook = 8;

/** The oldest first, as many as a small chunk has; what is left at the end waits until there are as many. */
async function* oldRows(
  db: Db,
  { appId, table, before }: ColdAge,
  { since, size }: { readonly since: number; readonly size: number },
): AsyncGenerator<Row[]> {
  const name = raw(table.name);
  const end = firstIdAt(before);
  const { only, fits = () => true } = table.packed ?? {};
  const chosen = only?.(before) ?? raw('1 = 1');
  let rows: Row[] = [];
  for (let last = firstIdAt(since); ; ) {
    const all = sql`app_id = ${appId} and object_id > ${last} and object_id < ${end}`;
    // Without such an end a statement would walk on and on where few rows are chosen.
    const [stop] = await db.all<{ object_id: string }>(
      sql`select object_id from ${name} where ${all} order by object_id limit 1 offset ${size * rowsOfLook - 1}`,
      { tenant: appId },
    );
    const until = stop ? sql` and object_id <= ${stop.object_id}` : raw('');
    const limit = size - rows.length;
    const found = await db.all(
      sql`select * from ${name} where ${all}${until} and ${chosen} order by object_id limit ${limit}`,
      { tenant: appId },
    );
    rows.push(...found.filter(fits));
    const isCut = found.length === limit;
    if (!isCut && !stop) return;
    last = isCut ? String(found.at(-1)?.['object_id']) : (stop?.object_id ?? last);
    if (rows.length < size) continue;
    yield rows;
    rows = [];
  }
}

/** False if a row was changed or deleted in between: then all stay until the next time. */
async function packStep(db: Database, scope: ColdScope, rows: readonly Row[]): Promise<boolean> {
  const packing = await packRows(scope.table, rows);
  const name = raw(scope.table.name);
  const ids = joinSql(
    rows.map((row) => sql`${row['object_id'] ?? null}`),
    ', ',
  );
  const these = sql`app_id = ${scope.appId} and object_id in (${ids})`;
  return unlessChanged(db, async (db) => {
    const found = await db.all(sql`select * from ${name} where ${these} order by object_id${raw(db.dialect.lockRow)}`);
    if (found.length < rows.length || !rows.every((row, n) => isSame(row, found[n] ?? {}))) throw new Changed();
    await db.run(sql`delete from ${name} where ${these}`);
    await insertChunk(db, scope, packing);
  });
}

const isSame = (row: Row, other: Row) => Object.keys(row).every((name) => Object.is(row[name], other[name]));

export async function unlessChanged(db: Database, work: (db: Db) => Promise<void>): Promise<boolean> {
  try {
    await db.transaction(work);
    return true;
  } catch (error) {
    if (error instanceof Changed) return false;
    throw error;
  }
}

/** Replaces small chunks by large ones: neighbours in the order of their rows. */
async function mergeSmall(
  db: Database,
  scope: ColdScope,
  { sizes, isStopped }: Required<Pick<Packing, 'sizes' | 'isStopped'>>,
): Promise<void> {
  const small: ChunkHead[] = [];
  for await (const heads of allHeads(db, scope))
    small.push(...heads.filter((head) => !isUnpacked(head) && Number(head.row_count) < sizes.large / 2));
  small.sort((a, b) => (a.first_id < b.first_id ? -1 : 1));
  for (let start = 0; start < small.length && !isStopped(); ) {
    let [end, rows] = [start, 0];
    while (rows < sizes.large && end < small.length) rows += Number(small[end++]?.row_count);
    if (rows < sizes.large) return;
    await replaceChunks(db, scope, { heads: small.slice(start, end) });
    start = end;
    await rest(db);
  }
}

export interface Replacement {
  readonly heads: readonly ChunkHead[];
  /** Chooses the rows that stay, or changes some: a changed one is another object. All of them stay without it. */
  readonly keep?: (rows: readonly Row[]) => Promise<readonly Row[]>;
  /** Called in the same transaction with the number of rows that do not stay, unless nothing is changed. */
  readonly also?: (db: Db, gone: number) => Promise<void>;
}

/** Replaces chunks by one with their remaining rows. Returns the number of removed rows; undefined if another process was faster. */
export async function replaceChunks(
  db: Database,
  scope: ColdScope,
  { heads, keep, also }: Replacement,
): Promise<number | undefined> {
  const all: Row[] = [];
  for (const head of heads) {
    const chunk = await loadChunk(db, scope, head);
    if (!chunk) return undefined;
    all.push(...(await chunk.all()));
  }
  all.sort((a, b) => (String(a['object_id']) < String(b['object_id']) ? -1 : 1));
  const rows = keep ? await keep(all) : all;
  const gone = all.length - rows.length;
  if (keep && gone === 0 && rows.every((row, place) => row === all[place])) return 0;
  const packing = rows.length === 0 ? undefined : await packRows(scope.table, rows);
  // Rows that are stored again are counted there.
  const isMarked = heads.every(isUnpacked);
  const isDone = await unlessChanged(db, async (db) => {
    if ((await deleteChunks(db, scope, heads)) < heads.length) throw new Changed();
    if (packing) await insertChunk(db, scope, isMarked ? { ...packing, row_count: 0 } : packing, heads);
    if (keep && !isMarked) await also?.(db, gone);
  });
  return isDone ? gone : undefined;
}
