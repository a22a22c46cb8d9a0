/**
 * `npm run bench -- disk [-- 100 10]`: what one more visit leaves behind, for that many phones that have made that many visits each and
 * make as many again: bytes of each table and index and entries of indexes, on PostgreSQL and on SQLite. Each visit has its events and log records, a message
 * with its verdict and delivery, and is counted. PostgreSQL has to be named: PHAROS_TEST_POSTGRES_URL.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../server/src/app/app.ts';
import { raw } from '../server/src/base/sql.ts';
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
  const { visits, events } = await driveVisits({ app, db, clock, phones, visitsEach, halfWay });
  const wal = (await walBytes(db)) - walBefore;
  const sizes = since(before, await listSizes(db));
  await app.close();
  report(`${name}: ${visits} visits, each with ${(events / visits).toFixed(1)} events`, sizes, visits);
  if (wal > 0) console.log(`  log (WAL), with what phones send meanwhile ${Math.round(wal / visits)}`);
}

/** Written to the log of PostgreSQL so far. */
async function walBytes(db: Database): Promise<number> {
  if (db.dialect.name !== 'postgres') return 0;
  return Number((await db.one<{ n: number }>(raw("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as n")))?.n);
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
