import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { joinSql, listSql, raw, type Sql, sql } from '../base/sql.ts';
import type { Database, Db } from './db.ts';
import { readChunk } from './unpack/chunk.ts';

/**
 * Stores the rows again that earlier versions packed (ADR 137), before the first migration of this version. A chunk is deleted in the
 * transaction that stores its rows: a process that is killed loses none and doubles none, and the next start goes on.
 */

interface Key {
  readonly app_id: string;
  readonly object_id: string;
}

interface Packed {
  readonly chunks: number;
  readonly rows: number;
}

/** A chunk has a few thousand rows. */
const chunksAtOnce = 25;
/** Bytes on an SQLite disk that a row takes at most, with its index entries. */
const bytesOfRow = 1_000;
/** For the database's log, and for everything else. */
const sparedBytes = 100_000_000;
const valuesAtOnce = 4_000;
/** How long a node that was killed seems to be there, ms. */
const aliveMs = 12_000;

/** @throws Error if the disk has not enough space, or while an earlier version uses the database; nothing has been changed then */
export async function unpackRows(db: Database): Promise<void> {
  if (!(await db.one(db.dialect.findTable('cold_chunks')))) return;
  const { chunks, rows } = await countPacked(db);
  if (chunks > 0) {
    await assertAlone(db);
    say(
      `Old records are unpacked before the start: ${rows} in ${chunks} chunks. If this is interrupted, it goes on at the next start.`,
    );
  }
  for (let [left, done] = [await nextKeys(db), 0]; left.length > 0; left = await nextKeys(db, left.at(-1))) {
    await assertRoom(db);
    for (const key of left) {
      done += await db.longTransaction((db) => unpackChunk(db, key));
      await db.caughtUp();
    }
    say(`Old records are unpacked: ${done} of ${rows}.`);
  }
  await db.longTransaction(async (db) => {
    if (await db.one(db.dialect.findTable('cold_summaries'))) await db.run(raw('delete from cold_summaries'));
    await db.run(sql`delete from settings where name = 'packed'`);
  });
}

/** The log of the service does not exist yet: a line as it writes them. */
const say = (msg: string) => void process.stderr.write(`${JSON.stringify({ level: 30, time: Date.now(), msg })}\n`);

export async function countPacked(db: Database): Promise<Packed> {
  if (!(await db.one(db.dialect.findTable('cold_chunks')))) return { chunks: 0, rows: 0 };
  const [found] = await db.longTransaction((db) =>
    db.all<Packed>(
      raw('select count(*) as chunks, cast(coalesce(sum(row_count), 0) as bigint) as rows from cold_chunks'),
    ),
  );
  return { chunks: Number(found?.chunks), rows: Number(found?.rows) };
}

const nextKeys = (db: Db, last: Key = { app_id: '', object_id: '' }) =>
  db.all<Key>(sql`select app_id, object_id from cold_chunks where (app_id, object_id) > (${last.app_id}, ${last.object_id})
    order by app_id, object_id limit ${chunksAtOnce}`);

/** Nodes of an earlier version might miss rows that move, and pack them again. Those of this version are there only once nothing is packed. */
async function assertAlone(db: Database): Promise<void> {
  for (const end = performance.now() + aliveMs; ; await delay(1_000)) {
    if ((await countRunning(db)) === 0) return;
    if (performance.now() < end) continue;
    throw new Error(
      'Old records are packed in this database, and services of the version before run on it. Stop all of them and start again; or, for an update without a ' +
        'break, go back to that version, start its services without PHAROS_COLD_AFTER_DAYS, and run its command "pharos unpack" first.',
    );
  }
}

/** Services and workers that use the database now. */
export async function countRunning(db: Database): Promise<number> {
  if (!(await db.one(db.dialect.findTable('nodes')))) return 0;
  const now = (await db.time?.()) ?? Date.now();
  const row = await db.one<{ n: number }>(sql`select count(*) as n from nodes where alive_until > ${now}`);
  return Number(row?.n ?? 0);
}

/** What is left to unpack fits on the disk of the embedded database. PostgreSQL has its own, and refuses a step for which there is no space. */
async function assertRoom(db: Database): Promise<void> {
  if (db.dialect.name !== 'sqlite') return;
  const { rows } = await countPacked(db);
  const [found] = await db.all<{ file: string; reusable: number }>(
    raw(`select file, (select freelist_count from pragma_freelist_count) * (select page_size from pragma_page_size) as reusable
      from pragma_database_list where name = 'main'`),
  );
  if (!found) return;
  const { bavail, bsize } = await statfs(dirname(found.file));
  const missing = rows * bytesOfRow + sparedBytes - Number(found.reusable) - bavail * bsize;
  if (missing <= 0) return;
  throw new Error(
    `${rows} old records are still packed and have to be unpacked, for which the disk has too little space: ${Math.ceil(missing / 1e6)} MB are missing. ` +
      'Make room and start again; what is unpacked already stays so. Until then the version before can still be used.',
  );
}

/** Answers how many rows it stored. */
async function unpackChunk(db: Db, { app_id, object_id }: Key): Promise<number> {
  const [chunk] = await db.all<{ kind: string; row_count: number; content: string }>(
    sql`delete from cold_chunks where app_id = ${app_id} and object_id = ${object_id} returning kind, row_count, content`,
  );
  // Another node was faster; or its rows are stored already, as "pharos unpack" of the version before leaves it.
  if (!chunk || Number(chunk.row_count) === 0) return 0;
  const columns = readChunk(chunk.content);
  const count = columns.values().next().value?.length ?? 0;
  if (count !== Number(chunk.row_count))
    throw new Error(`Packed records are damaged: a chunk has ${count} instead of ${chunk.row_count}.`);
  for (const statement of inserts(chunk.kind, app_id, columns)) await db.run(statement);
  return count;
}

/** A row that was recorded again since is there already. */
function* inserts(table: string, appId: string, columns: ReturnType<typeof readChunk>): Generator<Sql> {
  const names = ['app_id', ...columns.keys()];
  const impossible = [table, ...names].find((name) => !/^[a-z][a-z0-9_]*$/.test(name));
  if (impossible !== undefined) throw new Error(`Packed records are damaged: the name ${impossible} is impossible.`);
  const cells = [...columns.values()];
  const length = cells[0]?.length ?? 0;
  const size = Math.floor(valuesAtOnce / names.length);
  for (let start = 0; start < length; start += size) {
    const rows = Array.from({ length: Math.min(size, length - start) }, (_, n) => {
      const values = [appId, ...cells.map((column) => column[start + n] ?? null)];
      return sql`(${listSql(values)})`;
    });
    yield sql`insert into ${raw(table)} (${raw(names.join(', '))}) values ${joinSql(rows, ', ')} on conflict do nothing`;
  }
}
