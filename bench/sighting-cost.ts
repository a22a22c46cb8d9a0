/**
 * `npm run bench:sighting-cost [-- 240]`: what a sighting costs to keep, for that many visitors of a site with eight beacons:
 * rows that are written, bytes of PostgreSQL's log, bytes that the process writes on SQLite, and the processor time. Most
 * sightings are of beacons that are merely overheard; one phone in six walks up to a beacon and stays for a minute and a half.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
import { cpuSeconds } from './compare/processes.ts';

const visitors = Number(process.argv[2] ?? 240);
const minutes = 5;
/** Seconds between two deliveries of a phone, each with a sample a scan of some beacons. */
const every = 5;
const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
const start = Math.floor(Date.now() / 1000) * 1000;

/** The same for every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What a phone hears in the seconds before `second`: each of four beacons twice, far away but for the visit. */
function heard(visitor: number, second: number): object[] {
  const next = random(visitor * 7919 + second);
  const isVisitor = visitor % 6 === 0;
  const begin = 60 + (visitor % 90);
  return [0, 1, 2, 3].flatMap((place) => {
    const minor = 1 + ((visitor + place) % 8);
    return [3, 1].map((ago) => {
      const at = second - ago;
      const isNear = isVisitor && place === 0 && at >= begin && at < begin + 90;
      const rssi = Math.round((isNear ? -60 : -84 - 2 * place) + 6 * (next() - 0.5));
      return { uuid, major: 1, minor, rssi, occurredAt: start + at * 1000 };
    });
  });
}

const charactersWritten = () => Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? 0);

async function logPosition(db: Database): Promise<number> {
  if (db.dialect.name === 'sqlite') return charactersWritten();
  const row = await db.one<{ at: number }>(raw(`select (pg_current_wal_insert_lsn() - '0/0')::bigint as at`));
  return Number(row?.at ?? 0);
}

interface Measured {
  readonly sightings: number;
  readonly bytes: number;
  readonly cpu: number;
}

async function visit(db: Database, settings: Record<string, string>, oneZone: boolean): Promise<Measured> {
  const config = readConfig({ ...settings, PHAROS_PUBLIC_URL: 'http://bench.test', PHAROS_LOG_LEVEL: 'silent' });
  const clock = { now: start };
  const app = await createApp({ config, db, now: () => clock.now });
  const { appId, appKey } = await app.apps.create('Bench');
  await app.apps.change(appId, { policy: { oneZone, rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const payload = JSON.stringify(body);
    const answer = await app.server.inject({ method: 'POST', url: `/api/v2/${path}`, headers, payload });
    if (answer.statusCode > 201) throw new Error(answer.body);
    return answer.json().result;
  };
  for (let minor = 1; minor <= 8; minor++)
    await db.run(
      raw(`insert into beacons (app_id, object_id, name, uuid, uuid_key, major, minor, metadata, created_at, updated_at)
        values ('${appId}', 'B${String(minor).padStart(19, '0')}', 'B', '${uuid}', '${uuid.toLowerCase().replaceAll('-', '')}', 1, ${minor}, '{}', 0, 0)`),
    );
  for (let n = 0; n < visitors; n++)
    await post('installations', { installationId: `phone-${n}`, deviceType: 'android' });
  await app.idle();
  const [before, cpu] = [await logPosition(db), cpuSeconds([process.pid])];
  let sightings = 0;
  for (let second = 1; second <= minutes * 60; second++) {
    clock.now = start + second * 1000;
    const now = Array.from({ length: visitors }, (_, n) => n).filter((n) => (n + second) % every === 0 && second > 5);
    await Promise.all(
      now.map((n) => {
        const own = heard(n, second);
        sightings += own.length;
        return post('sightings', { installationId: `phone-${n}`, sightings: own, sentAt: clock.now });
      }),
    );
    await app.ticker.tick();
    await (app as { flushTracks?: () => Promise<number> }).flushTracks?.();
  }
  await app.idle();
  const measured = { sightings, bytes: (await logPosition(db)) - before, cpu: cpuSeconds([process.pid]) - cpu };
  await app.close();
  return measured;
}

function report(name: string, { sightings, bytes, cpu }: Measured, rows?: number): void {
  const perSighting = rows === undefined ? '' : `${(rows / sightings).toFixed(3)} rows, `;
  console.log(
    `${name}: ${sightings} sightings, each ${perSighting}${Math.round(bytes / sightings)} bytes of log, ${Math.round((cpu * 1e6) / sightings)} µs of CPU`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
for (const oneZone of [false, true]) {
  const name = oneZone ? 'one zone at a time' : 'each beacon by itself';
  const data = mkdtempSync(join(folder, 'data-'));
  const sqlite = openSqlite({ file: join(data, 'pharos.db'), queryDeadlineMs: 5_000 });
  await migrate(sqlite, Date.now());
  report(`SQLite, ${name}`, await visit(sqlite, { PHAROS_DATA: data }, oneZone));
  await sqlite.close();
  if (!process.env['PHAROS_TEST_POSTGRES_URL']) continue;
  const { url, drop } = await createPostgresDatabase();
  const postgres = openPostgres({ url, poolSize: 10, queryDeadlineMs: 5_000 });
  await migrate(postgres, Date.now());
  await postgres.run(raw('select pg_stat_reset()')).catch(() => undefined);
  const measured = await visit(postgres, { PHAROS_DATA: data, PHAROS_DATABASE_URL: url }, oneZone);
  await postgres.close();
  // A server process tells what it has done when it ends.
  const reader = openPostgres({ url, poolSize: 1, queryDeadlineMs: 5_000 });
  const tables = await reader.all<{ relname: string; rows: number }>(
    raw(`select relname, n_tup_ins + n_tup_upd + n_tup_del as rows from pg_stat_user_tables
      where relname not in ('beacons', 'installations', 'migrations', 'revisions', 'apps') and n_tup_ins + n_tup_upd + n_tup_del > 0 order by 2 desc`),
  );
  report(
    `PostgreSQL, ${name}`,
    measured,
    tables.reduce((sum, { rows }) => sum + Number(rows), 0),
  );
  console.log(`  ${tables.map(({ relname, rows }) => `${relname} ${rows}`).join(', ')}`);
  await reader.close();
  await drop();
}
rmSync(folder, { recursive: true, force: true });
