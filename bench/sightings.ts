/**
 * `npm run bench -- sightings [-- 20000]`: confirmed events a second to disk, samples a second as they come, a little late and
 * a second time, and the time from an ENTER to its answer over a socket, on SQLite and, with PHAROS_TEST_POSTGRES_URL, on
 * PostgreSQL. With each rate the processor time of the service and, on this machine, of the database's connections.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPolicy } from '../server/src/access/policy.ts';
import { createApp } from '../server/src/app/app.ts';
import { raw, sql } from '../server/src/base/sql.ts';
import { readConfig } from '../server/src/config/config.ts';
import type { Database } from '../server/src/db/db.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { CacheVersion } from '../server/src/db/nodes/cache-version.ts';
import { openPostgres } from '../server/src/db/postgres/postgres.ts';
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts';
import { requestProximityPushes } from '../server/src/features/messages/push/proximity.ts';
import { createEngineLogs } from '../server/src/features/presence/logs/engine-store.ts';
import { createSightingService } from '../server/src/features/presence/sightings/service.ts';
import { SiteCache } from '../server/src/features/presence/sightings/site/site.ts';
import { createOutbox } from '../server/src/jobs/outbox.ts';
import { createPostgresDatabase } from '../server/test/support/build-app.ts';
import { cpuSeconds } from './compare/processes.ts';

const visitors = 2_000;
/** Whole visits, so that everybody has left when the next run begins. */
const events = Math.ceil(Number(process.argv[2] ?? 20_000) / (2 * visitors)) * 2 * visitors;
const beacon = 'BenchBeacon000000000';
const idOf = (visitor: number) => `Visitor${String(visitor).padStart(13, '0')}`;

/** Phones that walk past the beacon, a sample a second in batches; others in each walk. */
const walkers = 500;
const walks = 4;
/** Batches of each; an even number. */
const steps = Math.ceil(events / walkers / 2) * 2;

/** Phones that hear one beacon, which has a notification and a scenario; nobody can be pushed to. */
async function prepare(db: Database, appId: string): Promise<void> {
  await db.transaction(async (db) => {
    await db.run(sql`insert into beacons (app_id, object_id, name, uuid, uuid_key, major, minor, metadata, created_at, updated_at)
      values (${appId}, ${beacon}, 'Hall', 'u', 'u', 1, 1, '{}', 0, 0)`);
    await db.run(sql`insert into notifications (app_id, object_id, description, beacon_id, event, type, message, is_enabled, created_at, updated_at)
      values (${appId}, 'N', 'Welcome', ${beacon}, 'ENTER', 'TEXT', '{"alertTitle":"a","alertMessage":"b"}', 1, 0, 0)`);
    const ids = Array.from({ length: visitors + walks * walkers }, (_, n) => idOf(n));
    for (const id of ids)
      await db.run(sql`insert into installations (app_id, object_id, device_type, channels, metadata, created_at, updated_at)
        values (${appId}, ${id}, 'android', '[]', '{}', 0, 0)`);
  });
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Calls `work` `times` times, `atOnce` at a time. Returns the milliseconds of each call, sorted, and of all together. */
async function drive(times: number, atOnce: number, work: (index: number) => Promise<void>) {
  const each: number[] = [];
  let next = 0;
  const start = performance.now();
  const worker = async () => {
    for (let index = next++; index < times; index = next++) {
      const begun = performance.now();
      await work(index);
      each.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { total: performance.now() - start, each: each.sort((a, b) => a - b) };
}

/**
 * A phone's own decisions, a minute apart: closer together they would be those of a phone that cannot make up its mind.
 */
const minute = 60_000;
/** The pretend time: behind the real one, but not so far that the clock would close a visit. */
let clock = Date.now() - 6 * 3_600_000;

function sighting(index: number, occurredAt = Date.now()) {
  const round = Math.floor(index / visitors);
  return { beacon, event: round % 2 === 0 ? 'ENTER' : 'EXIT', occurredAt };
}

interface Load {
  /** Concurrent senders. */
  readonly atOnce: number;
  /** Events in one batch. */
  readonly size: number;
}

const outbox = createOutbox(Date.now);

const serviceOf = (db: Database) =>
  createSightingService({
    db,
    site: new SiteCache(db, new CacheVersion(db, 'site')),
    requestPushes: (db, pushes) => requestProximityPushes(db, pushes, outbox),
    expect: () => undefined,
    announce: async () => undefined,
    logs: createEngineLogs(false),
  });

/** Processes that work for the database's connections. */
async function helpersOf(db: Database): Promise<number[]> {
  if (db.dialect.name === 'sqlite') return [];
  const rows = await db.all<{ pid: number }>(
    raw('select pid from pg_stat_activity where datname = current_database()'),
  );
  return rows.map(({ pid }) => pid);
}

/** How many of `what` a second, and the processor time of each. */
async function rateOf(db: Database, what: string, { times, size, atOnce, work }: Rated): Promise<string> {
  const before = new Map((await helpersOf(db)).map((pid) => [pid, cpuSeconds([pid])]));
  before.set(process.pid, cpuSeconds([process.pid]));
  const { total } = await drive(times, atOnce, work);
  // Connections that were opened meanwhile count from their beginning.
  const after = [process.pid, ...(await helpersOf(db))];
  const cpu = after.reduce((sum, pid) => sum + cpuSeconds([pid]) - (before.get(pid) ?? 0), 0);
  const count = times * size;
  const micros = Math.round((cpu * 1e6) / count);
  return `${Math.round((count / total) * 1000)} ${what}/s (${micros} µs of CPU each), ${atOnce} senders at once, ${size} a batch`;
}

interface Rated extends Load {
  readonly times: number;
  readonly work: (index: number) => Promise<void>;
}

async function throughput(db: Database, appId: string, { atOnce, size }: Load): Promise<string> {
  const service = serviceOf(db);
  const begun = clock;
  clock += (events / visitors + size + 1) * minute;
  const work = async (index: number) => {
    const installationId = idOf(index % visitors);
    const now = begun + (Math.floor(index / visitors) + 1) * size * minute;
    const sightings = Array.from({ length: size }, (_, n) =>
      sighting(size === 1 ? index : n * visitors, now - minute * (size - 1 - n)),
    );
    const answer = await service.take(
      { appId, policy: defaultPolicy, now, userId: undefined, seesAll: true, seesWhereabouts: true, secret: undefined },
      { installationId, sightings },
    );
    if (answer.events.length !== size) throw new Error(JSON.stringify(answer));
  };
  return rateOf(db, 'events', { atOnce, size, times: events / size, work });
}

/** Which of a phone's batches comes next. */
const orders = {
  'in order': (step: number) => step,
  'every second one late': (step: number) => step ^ 1,
  'a second time': (step: number) => step,
} as const;

interface Walks extends Load {
  readonly firstWalk: number;
}

/** Samples as a phone hears them: as they come, as two gateways tell them, and once more. */
async function samples(db: Database, appId: string, { atOnce, size, firstWalk }: Walks): Promise<string[]> {
  const service = serviceOf(db);
  const rates: string[] = [];
  let walk = firstWalk - 1;
  for (const [name, order] of Object.entries(orders)) {
    if (name !== 'a second time') {
      walk++;
      clock += steps * size * 1_000 + minute;
    }
    const begun = clock - steps * size * 1_000;
    const work = async (index: number) => {
      const walker = index % walkers;
      const step = order(Math.floor(index / walkers));
      const sightings = Array.from({ length: size }, (_, n) => {
        const second = step * size + n;
        // Near for half a minute, then as long away.
        const rssi = (second + walker) % 60 < 30 ? -60 - (second % 4) : -85 - (second % 4);
        return { beacon, rssi, occurredAt: begun + second * 1_000 };
      });
      const answer = await service.take(
        {
          appId,
          policy: defaultPolicy,
          now: clock,
          userId: undefined,
          seesAll: true,
          seesWhereabouts: true,
          secret: undefined,
        },
        { installationId: idOf(visitors + walk * walkers + walker), sightings },
      );
      // A batch that brought about events is answered as it was the first time.
      if (answer.problems.length > 0) throw new Error(JSON.stringify(answer));
    };
    rates.push(await rateOf(db, `samples ${name}`, { atOnce, size, times: walkers * steps, work }));
  }
  return rates;
}

async function latency(db: Database, port: number, headers: Record<string, string>, atOnce: number): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  await db.run(raw('delete from tracks'));
  const { each, total } = await drive(visitors, atOnce, (index) => {
    const body = JSON.stringify({ installationId: idOf(index), sightings: [sighting(index)] });
    return post({ port, agent, headers }, body);
  });
  agent.destroy();
  const [p50, p99] = [quantile(each, 0.5), quantile(each, 0.99)];
  return `ENTER to answer over HTTP, ${atOnce} at once: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${Math.round((visitors / total) * 1000)} requests/s`;
}

/** What a server finds out by itself in its first minute: until then its plans are those for empty tables. */
async function learnSizes(db: Database): Promise<void> {
  if (db.dialect.name === 'postgres') await db.run(raw('analyze'));
}

interface Target {
  readonly port: number;
  readonly agent: Agent;
  readonly headers: Record<string, string>;
}

function post({ port, agent, headers }: Target, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const path = '/api/v2/sightings';
    const call = request({
      port,
      agent,
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    call.on('response', (response) => {
      response.resume();
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function run(name: string, db: Database, settings: Record<string, string>): Promise<void> {
  await migrate(db, Date.now());
  const config = readConfig({ ...settings, PHAROS_PUBLIC_URL: 'http://bench.test', PHAROS_LOG_LEVEL: 'silent' });
  const app = await createApp({ config, db, now: Date.now });
  const { appId, appKey } = await app.apps.create('Bench');
  await app.apps.change(appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  await prepare(db, appId);
  await learnSizes(db);
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.server.address() as AddressInfo;
  const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey };
  for (const [atOnce, size] of [
    [1, 1],
    [64, 1],
    [256, 1],
    [64, 10],
  ] as const) {
    console.log(`${name}: ${await throughput(db, appId, { atOnce, size })}`);
    await learnSizes(db);
  }
  for (const [size, firstWalk] of [
    [1, 0],
    [10, 2],
  ] as const)
    for (const rate of await samples(db, appId, { atOnce: 64, size, firstWalk })) console.log(`${name}: ${rate}`);
  for (const atOnce of [1, 16]) console.log(`${name}: ${await latency(db, port, headers, atOnce)}`);
  await app.close();
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
const sqlite = openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 5_000 });
await run('SQLite', sqlite, { PHAROS_DATA: folder });
await sqlite.close();
if (process.env['PHAROS_TEST_POSTGRES_URL']) {
  const { url, drop } = await createPostgresDatabase();
  const postgres = openPostgres({ url, poolSize: 20, queryDeadlineMs: 5_000 });
  await run('PostgreSQL', postgres, { PHAROS_DATA: folder, PHAROS_DATABASE_URL: url });
  await postgres.close();
  await drop();
}
rmSync(folder, { recursive: true, force: true });
