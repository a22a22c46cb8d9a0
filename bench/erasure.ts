/**
 * `npm run bench:erasure [-- 7300 10 recording]`: how long it takes to erase a phone with that many visits, among that many like it, from the
 * request to the receipt, and how long a write of somebody else takes meanwhile. A visit has five events, two log records, a verdict and a
 * delivery. Beside it stands what deleting another phone's rows takes in one statement a table, a measure of the machine that
 * no step between others can be faster than. With `recording` at the end, 20 other phones enter and leave a beacon all the time, 100
 * requests a second at most. PostgreSQL has to be named (PHAROS_TEST_POSTGRES_URL), or only SQLite is measured.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createApp } from '../server/src/app/app.ts';
import { traceTables } from '../server/src/app/tables.ts';
import { newObjectId } from '../server/src/base/id.ts';
import { joinSql, raw, sql } from '../server/src/base/sql.ts';
import { readConfig } from '../server/src/config/config.ts';
import type { Database, Db } from '../server/src/db/db.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/postgres/postgres.ts';
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts';
import type { DbTable } from '../server/src/db/table.ts';
import { createPostgresDatabase } from '../server/test/support/build-app.ts';

const [visits, phones] = [Number(process.argv[2] ?? 7_300), Number(process.argv[3] ?? 10)];
const isRecording = process.argv[4] === 'recording';
const rowsOfAVisit: Readonly<Record<string, number>> = { visits: 1, events: 5, logs: 2, verdicts: 1, deliveries: 1 };
const filled = traceTables.filter(({ name }) => rowsOfAVisit[name] !== undefined);
const rowsOfAStatement = 250;

/** Rows as those of real visits are: every cell that must be there, ids in the order of time, a beacon of 50. */
async function fill(db: Db, table: DbTable, appId: string, ids: readonly string[]): Promise<void> {
  const columns = Object.entries(table.columns).filter(
    ([name, { isNullable, hasDefault }]) => name === table.trail?.installation || (!isNullable && !hasDefault),
  );
  const total = visits * (rowsOfAVisit[table.name] ?? 0) * ids.length;
  const begin = Date.now() - 29 * 86_400_000;
  let rows = [];
  for (let n = 0; n < total; n++) {
    const at = begin + Math.floor((n * 28 * 86_400_000) / total);
    const special: Readonly<Record<string, string>> = {
      app_id: appId,
      object_id: newObjectId(at),
      installation_id: ids[n % ids.length] ?? '',
      beacon_id: `beacon${n % 50}`,
    };
    const cells = columns.map(([name, { type }]) => {
      const value = special[name] ?? (type === 'text' ? `${name} of ${n % 1_000}` : name.startsWith('is_') ? 0 : at);
      return sql`${value}`;
    });
    rows.push(sql`(${joinSql(cells, ', ')})`);
    if (rows.length < rowsOfAStatement && n < total - 1) continue;
    const names = raw(columns.map(([name]) => name).join(', '));
    await db.run(sql`insert into ${raw(table.name)} (${names}) values ${joinSql(rows, ', ')}`);
    rows = [];
  }
}

type Send = (method: 'POST', path: string, body: object, more?: object) => Promise<{ result: { objectId: string } }>;

/** Phones that come and go at a beacon, until it is over; `sent` is how many requests they made. */
async function record(send: Send, isOver: () => boolean): Promise<{ readonly sent: Promise<number> }> {
  const account = { firstname: 'Manager', lastname: 'Of content', email: 'm@example.org', password: 'correct horse' };
  await send('POST', '/users', account);
  const { accessToken } = (await send('POST', '/users/signin', account)) as unknown as { accessToken: string };
  const body = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
  const { objectId } = (await send('POST', '/beacons', body, { authorization: `Bearer ${accessToken}` })).result;
  const ids = Array.from({ length: 20 }, (_, n) => `recorded ${n}`);
  for (const installationId of ids) await send('POST', '/installations', { installationId, deviceType: 'ios' });
  const comeAndGo = async (installationId: string) => {
    let sent = 0;
    for (; !isOver(); sent++) {
      const sightings = [{ beacon: objectId, event: sent % 2 === 0 ? 'ENTER' : 'EXIT' }];
      await send('POST', '/sightings', { installationId, sightings });
      await delay(200);
    }
    return sent;
  };
  const all = Promise.all(ids.map(comeAndGo));
  return { sent: all.then((counts) => counts.reduce((sum, n) => sum + n, 0)) };
}

async function measure(name: string, db: Database, settings: Record<string, string>): Promise<void> {
  const config = readConfig({ ...settings, PHAROS_PUBLIC_URL: 'http://bench.test', PHAROS_LOG_LEVEL: 'silent' });
  const app = await createApp({ config, db, now: Date.now });
  const { appId, appKey } = await app.apps.create('Bench');
  const rateLimit = { enabled: false, perSecond: 1, burst: 1 };
  await app.apps.change(appId, { policy: { rateLimit, retentionDays: { logs: 3650, visits: 3650, events: 3650 } } });
  const credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey };
  const send = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, more: object = {}) => {
    const headers = { ...credentials, ...more };
    const answer = await app.server.inject({
      method,
      url: `/api/v2${path}`,
      headers,
      ...(body ? { payload: body } : {}),
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.payload}`);
    return answer.json();
  };
  const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'correct horse' };
  await send('POST', '/users', account);
  const { accessToken } = await send('POST', '/users/signin', account);
  const bearer = { authorization: `Bearer ${accessToken}` };
  const ids: string[] = [];
  for (let n = 0; n < phones; n++) {
    const body = { installationId: `phone ${n}`, deviceType: 'ios' };
    ids.push((await send('POST', '/installations', body, n === 0 ? bearer : {})).result.objectId);
  }
  for (const table of filled) await db.longTransaction((db) => fill(db, table, appId, ids));
  await db.alone?.(raw(db.readsAreLocal ? 'analyze' : 'vacuum analyze'));
  const rows = async (id: string) => {
    const counts = filled.map((table) =>
      db.one<{ n: number }>(
        sql`select count(*) as n from ${raw(table.name)} where app_id = ${appId} and installation_id = ${id}`,
      ),
    );
    return (await Promise.all(counts)).reduce((sum, row) => sum + Number(row?.n ?? 0), 0);
  };
  const [mine = '', other = ''] = ids;
  const before = await rows(mine);

  let isOver = false;
  const waits: number[] = [];
  const others = (async () => {
    while (!isOver) {
      const began = performance.now();
      await send('POST', '/installations', { installationId: `phone ${phones - 1}`, deviceType: 'ios' });
      waits.push(performance.now() - began);
      await delay(10);
    }
  })();
  const recorded = isRecording ? await record(send, () => isOver) : undefined;
  const began = performance.now();
  const { result } = await send('DELETE', '/users/me', undefined, bearer);
  const answered = performance.now() - began;
  while ((await send('GET', `/erasures/${result.erasureId}`)).result.completedAt === null) await delay(20);
  const erased = performance.now() - began;
  isOver = true;
  await others;
  const passes = await recorded?.sent;
  if ((await rows(mine)) !== 0) throw new Error('Rows are left.');

  const began2 = performance.now();
  for (const table of filled)
    await db.longTransaction((db) =>
      db.run(sql`delete from ${raw(table.name)} where app_id = ${appId} and installation_id = ${other}`),
    );
  const atOnce = performance.now() - began2;
  waits.sort((a, b) => a - b);
  const ms = (value = 0) => `${value.toFixed(0)} ms`;
  console.log(
    `${name}: ${before} rows of ${visits} visits among ${phones} phones: answered after ${ms(answered)}, erased after ${ms(erased)}, ` +
      `${(erased / atOnce).toFixed(1)} times what the rows take in one statement a table (${ms(atOnce)}); ` +
      `writes of others meanwhile: median ${ms(waits[waits.length >> 1])}, longest ${ms(waits.at(-1))} of ${waits.length}` +
      (passes === undefined ? '' : `; ${((passes * 1_000) / erased).toFixed(0)} requests with sightings a second`),
  );
  await app.close();
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
const data = mkdtempSync(join(folder, 'data-'));
const sqlite = openSqlite({ file: join(data, 'pharos.db'), queryDeadlineMs: 60_000 });
await migrate(sqlite, Date.now());
await measure('SQLite', sqlite, { PHAROS_DATA: data });
await sqlite.close();
if (process.env['PHAROS_TEST_POSTGRES_URL']) {
  const { url, drop } = await createPostgresDatabase();
  const db = openPostgres({ url, poolSize: 10, queryDeadlineMs: 60_000 });
  await migrate(db, Date.now());
  await measure('PostgreSQL', db, { PHAROS_DATA: mkdtempSync(join(folder, 'data-')), PHAROS_DATABASE_URL: url });
  await db.close();
  await drop();
}
rmSync(folder, { recursive: true, force: true });
