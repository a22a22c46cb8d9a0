/**
 * `npm run bench -- delivery [-- 50000 [1000000]]`: a push through the whole service (accepted, expanded, sent, recorded)
 * by FCM, APNs and Web Push to a provider in a process of its own; memory for an audience of a million; and the time
 * from an ENTER's arrival to the provider's request. SQLite, and with PHAROS_TEST_POSTGRES_URL PostgreSQL.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { service as byService } from '../server/src/access/audit.ts';
import { type App, createApp } from '../server/src/app/app.ts';
import { joinSql, sql } from '../server/src/base/sql.ts';
import { readConfig } from '../server/src/config/config.ts';
import type { Database } from '../server/src/db/db.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/postgres/postgres.ts';
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts';
import { createPostgresDatabase } from '../server/test/support/build-app.ts';
import type { ProviderReady } from './senders/provider.ts';

const recipients = Number(process.argv[2] ?? 50_000);
const crowd = Number(process.argv[3] ?? 1_000_000);
const beacon = 'BenchBeacon000000000';

async function startProvider(tokens: number) {
  const child = fork(new URL('./senders/provider.ts', import.meta.url), [String(tokens)]);
  const [ready] = (await once(child, 'message')) as [ProviderReady];
  return { child, ready, stop: () => child.kill() };
}
type Provider = Awaited<ReturnType<typeof startProvider>>;

interface Bench {
  readonly db: Database;
  readonly app: App;
  readonly provider: Provider;
  readonly url: string;
}

async function open(database: 'SQLite' | 'PostgreSQL', provider: Provider) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const postgres = database === 'PostgreSQL' ? await createPostgresDatabase() : undefined;
  const db = postgres
    ? openPostgres({ url: postgres.url, poolSize: 10, queryDeadlineMs: 30_000 })
    : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 30_000 });
  await migrate(db, Date.now());
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, provider.ready.ca);
  const config = readConfig({
    PHAROS_DATA: folder,
    PHAROS_LOG_LEVEL: 'error',
    PHAROS_SECRET_KEY: 'ef'.repeat(32),
    PHAROS_PUSH_URL: provider.ready.origin,
    PHAROS_PUSH_CA: ca,
  });
  const app = await createApp({ config, db, now: Date.now });
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`;
  const bench: Bench = { db, app, provider, url };
  const close = async () => {
    await app.close();
    await db.close();
    await postgres?.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { bench, close };
}

/** A separate app for each provider, so that none waits for another's pace. */
async function createReceiver(bench: Bench, kind: 'fcm' | 'apns' | 'webpush') {
  const { app, provider } = bench;
  const { appId, appKey } = await app.apps.create(kind);
  await app.apps.change(appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  const settings = {
    fcm: { serviceAccount: provider.ready.serviceAccount },
    apns: provider.ready.apnsKey,
    webpush: { generate: true, subject: 'mailto:ops@example.org' },
  };
  await app.senders.save({ appId, kind }, settings[kind], byService);
  return {
    appId,
    headers: { 'x-service-appid': appId, 'x-service-appkey': appKey, 'content-type': 'application/json' },
  };
}

async function insert(
  db: Database,
  appId: string,
  rows: Iterable<readonly [id: string, type: string, token: string | null]>,
) {
  const all = [...rows];
  for (let from = 0; from < all.length; from += 1_000) {
    const page = all.slice(from, from + 1_000);
    await db.run(sql`insert into installations
      (app_id, object_id, installation_id, device_type, device_token, channels, metadata, created_at, updated_at)
      values ${joinSql(
        page.map(([id, type, token]) => sql`(${appId}, ${id}, ${id}, ${type}, ${token}, '[]', '{}', 0, 0)`),
        ', ',
      )}`);
  }
}

/** Requests a push and waits until every recipient has a final state. Returns the seconds and the highest RSS in MB. */
async function push(bench: Bench, appId: string) {
  const { db, app } = bench;
  const before = await db.one<{ n: number }>(
    sql`select count(*) as n from pushes where app_id = ${appId} and state = 'done'`,
  );
  const signUp = {
    firstname: 'Ben',
    lastname: 'Bench',
    email: `b${Date.now()}@example.org`,
    password: 'correct horse',
  };
  const key = (await app.apps.keys.rotate(appId, byService)).appKey;
  const headers = { 'x-service-appid': appId, 'x-service-appkey': key, 'content-type': 'application/json' };
  const call = (path: string, body: unknown, more = {}) =>
    fetch(`${bench.url}/api/v2${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  await call('/users', signUp);
  const { accessToken } = (await (await call('/users/signin', signUp)).json()) as { accessToken: string };
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const start = performance.now();
  const data = {
    title: 'Tonight',
    alert: 'The museum is open until 22:00.',
    uri: 'https://museum.example.org/tonight',
  };
  const answer = await call('/push/notification', { data }, { authorization: `Bearer ${accessToken}` });
  if (answer.status !== 200) throw new Error(await answer.text());
  for (;;) {
    const done = await db.one<{ n: number }>(
      sql`select count(*) as n from pushes where app_id = ${appId} and state = 'done'`,
    );
    if ((done?.n ?? 0) > (before?.n ?? 0)) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  clearInterval(watch);
  const seconds = (performance.now() - start) / 1_000;
  const [counts] = await db.all(
    sql`select audience_count, sent_count, no_target_count, failed_count from pushes where app_id = ${appId} order by object_id desc limit 1`,
  );
  return { seconds, peak: Math.round(peak / 1e6), counts };
}

const rate = (count: number, seconds: number) => `${Math.round(count / seconds).toLocaleString('en')}/s`;

async function throughput(bench: Bench): Promise<void> {
  const { ready } = bench.provider;
  const devices = { fcm: ['android', ready.fcm], apns: ['ios', ready.apns], webpush: ['web', ready.webpush] } as const;
  for (const kind of ['fcm', 'apns', 'webpush'] as const) {
    const [type, tokens] = devices[kind];
    const half = Math.ceil(tokens.length / 2);
    const apps: string[] = [];
    // Two apps: one alone is held to a pace below its provider's quota.
    for (const own of [tokens.slice(0, half), tokens.slice(half)]) {
      const { appId } = await createReceiver(bench, kind);
      const rows = own.map((token, index) => [`i${String(index).padStart(8, '0')}`, type, token] as const);
      await insert(bench.db, appId, rows);
      apps.push(appId);
    }
    const pushAll = () => Promise.all(apps.map((appId) => push(bench, appId)));
    await pushAll();
    const used = process.cpuUsage();
    const pushed = await pushAll();
    const { user, system } = process.cpuUsage(used);
    const sent = pushed.reduce((sum, { counts }) => sum + Number(counts?.['sent_count']), 0);
    if (sent !== tokens.length) throw new Error(JSON.stringify(pushed));
    const seconds = Math.max(...pushed.map(({ seconds }) => seconds));
    process.stdout.write(
      `  ${kind.padEnd(8)} ${rate(sent, seconds)} (${sent} in ${seconds.toFixed(1)} s), ${rate(sent, (user + system) / 1e6)} a core\n`,
    );
  }
}

/** None of them has a token: this measures the walk, the rows and their end. */
async function memory(bench: Bench): Promise<void> {
  const { appId } = await createReceiver(bench, 'fcm');
  for (let from = 0; from < crowd; from += 50_000) {
    const count = Math.min(50_000, crowd - from);
    await insert(
      bench.db,
      appId,
      Array.from(
        { length: count },
        (_, index) => [`i${String(from + index).padStart(8, '0')}`, 'android', null] as const,
      ),
    );
  }
  globalThis.gc?.();
  const rest = Math.round(process.memoryUsage.rss() / 1e6);
  const { seconds, peak, counts } = await push(bench, appId);
  process.stdout.write(
    `  an audience of ${crowd.toLocaleString('en')}: ${rate(crowd, seconds)}, RSS ${rest} MB before, ${peak} MB at most ${JSON.stringify(counts)}\n`,
  );
}

async function latency(bench: Bench, times = 200): Promise<void> {
  const { child } = bench.provider;
  const { appId, headers } = await createReceiver(bench, 'fcm');
  const { db } = bench;
  await db.run(sql`insert into beacons (app_id, object_id, name, uuid, uuid_key, major, minor, metadata, created_at, updated_at)
    values (${appId}, ${beacon}, 'Hall', 'u', 'u', 1, 1, '{}', 0, 0)`);
  await db.run(sql`insert into notifications (app_id, object_id, description, beacon_id, event, type, message, is_enabled, created_at, updated_at)
    values (${appId}, 'N', 'Welcome', ${beacon}, 'ENTER', 'TEXT', '{"alertTitle":"a","alertMessage":"b"}', 1, 0, 0)`);
  await insert(
    db,
    appId,
    Array.from({ length: times }, (_, n) => [`L${n}`, 'android', `tok:enter${n}`] as const),
  );
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const watching = once(child, 'message');
    child.send(`enter${n}`);
    await watching;
    const arrived = once(child, 'message') as Promise<[{ at: number }]>;
    const sentAt = performance.timeOrigin + performance.now();
    const body = { installationId: `L${n}`, sightings: [{ beacon, event: 'ENTER', occurredAt: Date.now() }] };
    await fetch(`${bench.url}/api/v2/sightings`, { method: 'POST', headers, body: JSON.stringify(body) });
    const [{ at }] = await arrived;
    took.push(at - sentAt);
  }
  took.sort((a, b) => a - b);
  const of = (share: number) => took[Math.floor(share * (times - 1))]?.toFixed(1);
  process.stdout.write(`  ENTER to the provider's request: p50 ${of(0.5)} ms, p99 ${of(0.99)} ms\n`);
}

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  if (database === 'PostgreSQL' && !process.env['PHAROS_TEST_POSTGRES_URL']) continue;
  const provider = await startProvider(recipients);
  const { bench, close } = await open(database, provider);
  process.stdout.write(`${database}\n`);
  try {
    await throughput(bench);
    await latency(bench);
    if (crowd > 0) await memory(bench);
  } finally {
    await close();
    provider.stop();
  }
}
