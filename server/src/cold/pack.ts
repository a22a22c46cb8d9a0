import { isDeepStrictEqual } from 'node:util';
import { firstIdAt } from '../base/id.ts';
import { joinSql, raw, type Sql, sql } from '../base/sql.ts';
import type { Database, Db, Row } from '../db/db.ts';
import { packRows } from './chunk.ts';
import { allHeads, type ChunkHead, type ColdScope, deleteChunks, insertChunk, loadChunk } from './store.ts';

/**
 * Packs old rows: a few hundred at a time become a small chunk, in the transaction that deletes them, and small chunks become a large one.
 * If the process dies, a step is either done or not done.
 */

/** Rows that may still change, or with which a decision is compared, are never older. */
export const leastColdDays = 30;
const dayMs = 86_400_000;

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

class Changed extends Error {}

export interface Packing {
  readonly sizes?: ChunkSizes;
  /** Looked at between steps. */
  readonly isStopped?: () => boolean;
}

/** Packs what is old of one app and table. Answers the number of rows. */
export async function packOld(
  db: Database,
  age: ColdAge,
  { sizes = chunkSizes, isStopped = () => false }: Packing = {},
): Promise<number> {
  // Even if a clock is wrong: lists rely on recent rows not being packed.
  const before = Math.min(age.before, Date.now() - leastColdDays * dayMs);
  let packed = 0;
  for (let last = ''; !isStopped(); ) {
    const rows = await readStep(db, { ...age, before }, { last, limit: sizes.small });
    // The rest waits until there are as many.
    if (rows.length < sizes.small) break;
    last = String(rows.at(-1)?.['object_id']);
    if (await packStep(db, age, rows)) packed += rows.length;
    await db.caughtUp();
  }
  if (!isStopped()) await mergeSmall(db, age, sizes);
  return packed;
}

const chosen = ({ appId, table, before }: ColdAge): Sql =>
  sql`app_id = ${appId} and object_id < ${firstIdAt(before)} and ${table.packed?.only?.(before) ?? raw('1 = 1')}`;

/** The oldest behind an id. */
function readStep(db: Db, age: ColdAge, { last, limit }: { readonly last: string; readonly limit: number }) {
  return db.all(
    sql`select * from ${raw(age.table.name)} where ${chosen(age)} and object_id > ${last} order by object_id limit ${limit}`,
    { tenant: age.appId },
  );
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
    if (!isDeepStrictEqual(found.map(plain), rows.map(plain))) throw new Changed();
    await db.run(sql`delete from ${name} where ${these}`);
    await insertChunk(db, scope, packing);
  });
}

/** Rows of the drivers have different prototypes. */
const plain = (row: Row): Row => ({ ...row });

async function unlessChanged(db: Database, work: (db: Db) => Promise<void>): Promise<boolean> {
  try {
    await db.transaction(work);
    return true;
  } catch (error) {
    if (error instanceof Changed) return false;
    throw error;
  }
}

/** Replaces small chunks by large ones: neighbours in the order of their rows. */
async function mergeSmall(db: Database, scope: ColdScope, sizes: ChunkSizes): Promise<void> {
  const small: ChunkHead[] = [];
  for await (const head of allHeads(db, scope)) if (Number(head.row_count) < sizes.large / 2) small.push(head);
  small.sort((a, b) => (a.first_id < b.first_id ? -1 : 1));
  for (let start = 0; start < small.length; ) {
    let [end, rows] = [start, 0];
    while (rows < sizes.large && end < small.length) rows += Number(small[end++]?.row_count);
    if (rows < sizes.large) return;
    await replaceChunks(db, scope, { heads: small.slice(start, end) });
    start = end;
    await db.caughtUp();
  }
}

export interface Replacement {
  readonly heads: readonly ChunkHead[];
  /** Chooses the rows that stay; all of them without it. */
  readonly keep?: (rows: readonly Row[]) => Promise<readonly Row[]>;
  /** Called in the same transaction with the number of rows that do not stay. */
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
  if (keep && gone === 0) return 0;
  const packing = rows.length === 0 ? undefined : await packRows(scope.table, rows);
  const isDone = await unlessChanged(db, async (db) => {
    if ((await deleteChunks(db, scope, heads)) < heads.length) throw new Changed();
    if (packing) await insertChunk(db, scope, packing);
    if (gone > 0) await also?.(db, gone);
  });
  return isDone ? gone : undefined;
}
