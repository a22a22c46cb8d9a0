/**
 * `npm run bench -- disk [-- 100 10]`: what one more visit leaves behind, for that many phones that have made that many visits each and
 * make as many again: bytes of each table and index and entries of indexes, on PostgreSQL and on SQLite. Each visit has its events and log records, a message
 * with its verdict and delivery, and is counted; and what of it would take how much space when it is packed. PostgreSQL has to be named: PHAROS_TEST_POSTGRES_URL.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../server/src/app/app.ts';
import { packedTables } from '../server/src/app/tables.ts';
import { raw, sql } from '../server/src/base/sql.ts';
import { packRows } from '../server/src/cold/format/chunk.ts';
import { chunkSizes } from '../server/src/cold/pack.ts';
import { readConfig } from '../server/src/config/config.ts';
import type { Database } from '../server/src/db/db.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/postgres/postgres.ts';
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts';
import { createPostgresDatabase } from '../server/test/support/build-app.ts';
import { driveVisits } from './disk/drive.ts';
import { listSizes, type Size, since } from './disk/sizes.ts';

const [phones, visitsEach] = [Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 10)];
/** State of a phone, which does not grow with its visits, or belongs to the site. */
const ofPhones = new Set([
  'tracks',
  'track_samples',
  'presence',
  'installations',
  'positions',
  'hearing',
  'first_visits',
]);

async function measure(name: string, db: Database, settings: Record<string, string>): Promise<void> {
  const config = readConfig({ ...settings, PHAROS_PUBLIC_URL: 'http://bench.test', PHAROS_LOG_LEVEL: 'silent' });
  const clock = { now: Date.now() - phones * visitsEach };
  const app = await createApp({ config, db, now: () => clock.now });
  let before: Size[] = [];
  let walBefore = 0;
  const halfWay = async () => {
    before = await listSizes(db);
    walBefore = await walBytes(db);
  };
  const { appId, visits, events, all } = await driveVisits({ app, db, clock, phones, visitsEach, halfWay });
  const wal = (await walBytes(db)) - walBefore;
  const sizes = since(before, await listSizes(db));
  const cold = await coldSizes(db, appId);
  await app.close();
  report(`${name}: ${visits} visits, each with ${(events / visits).toFixed(1)} events`, sizes, visits);
  if (wal > 0) console.log(`  log (WAL), with what phones send meanwhile ${Math.round(wal / visits)}`);
  let together = 0;
  for (const { table, rows, bytes } of cold) {
    together += bytes;
    const each = `${(bytes / all).toFixed(1)} for ${(rows / all).toFixed(1)} rows`;
    console.log(`  packed (ADR 83): ${table.padEnd(24)}${each}`);
  }
  const packed = new Set(cold.map(({ table }) => table));
  const left = sizes.filter(({ table, bytes, indexes }) => !ofPhones.has(table) && bytes + indexes > visits * 30);
  const stays = left.filter(({ table }) => !packed.has(table)).reduce((sum, one) => sum + one.bytes + one.indexes, 0);
  console.log(`  packed (ADR 83): ${'together'.padEnd(24)}${(together / all).toFixed(1)}`);
  console.log(`  left of a visit whose records are packed: ${Math.round(together / all + stays / visits)}`);
}

/** Written to the log of PostgreSQL so far. */
async function walBytes(db: Database): Promise<number> {
  if (db.dialect.name !== 'postgres') return 0;
  return Number((await db.one<{ n: number }>(raw("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as n")))?.n);
}

/** Bytes (UTF-8) that the rows of an app take when they are packed, with their filters. Nothing is changed. */
async function coldSizes(db: Database, appId: string) {
  const sizes: { table: string; rows: number; bytes: number }[] = [];
  for (const table of packedTables) {
    const rows = await db.all(sql`select * from ${raw(table.name)} where app_id = ${appId} order by object_id`);
    let bytes = 0;
    for (let start = 0; start < rows.length; start += chunkSizes.large) {
      const { content, filter, ...rest } = await packRows(table, rows.slice(start, start + chunkSizes.large));
      bytes += Buffer.byteLength(content) + Buffer.byteLength(filter) + JSON.stringify(rest).length;
    }
    sizes.push({ table: table.name, rows: rows.length, bytes });
  }
  return sizes;
}

interface Line {
  /** Bytes. */
  readonly table: number;
  readonly indexes: number;
  readonly entries: number;
}

function report(title: string, sizes: readonly Size[], visits: number): void {
  const each = (bytes: number) => String(Math.round(bytes / visits)).padStart(7);
  const line = (name: string, { table, indexes, entries }: Line) =>
    console.log(
      `  ${name.padEnd(40)}${each(table)}${each(indexes)}${each(table + indexes)} ${(entries / visits).toFixed(1).padStart(7)}`,
    );
  const sum = (of: readonly Size[]) => ({
    table: of.reduce((total, one) => total + one.bytes, 0),
    indexes: of.reduce((total, one) => total + one.indexes, 0),
    entries: of.reduce((total, one) => total + one.entries, 0),
  });
  const trails = sizes.filter(({ table, bytes, indexes }) => !ofPhones.has(table) && bytes + indexes > visits * 30);
  console.log(`\n${title}\n  bytes a visit                              rows indexes    both entries`);
  for (const one of trails) {
    line(one.table, { ...one, table: one.bytes });
    for (const { name, bytes, entries } of one.byIndex.filter(({ bytes }) => bytes > 0))
      line(`  ${name}`, { table: 0, indexes: bytes, entries });
  }
  line('together', sum(trails));
  line('(state of phones)', sum(sizes.filter(({ table }) => ofPhones.has(table))));
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
if (process.env['PHAROS_TEST_POSTGRES_URL']) {
  const { url, drop } = await createPostgresDatabase();
  const db = openPostgres({ url, poolSize: 10, queryDeadlineMs: 60_000 });
  await migrate(db, Date.now());
  await measure('PostgreSQL', db, { PHAROS_DATA: mkdtempSync(join(folder, 'data-')), PHAROS_DATABASE_URL: url });
  await db.close();
  await drop();
}
const data = mkdtempSync(join(folder, 'data-'));
const sqlite = openSqlite({ file: join(data, 'pharos.db'), queryDeadlineMs: 60_000 });
await migrate(sqlite, Date.now());
await measure('SQLite', sqlite, { PHAROS_DATA: data });
await sqlite.close();
rmSync(folder, { recursive: true, force: true });
