import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type App, createApp } from '../../src/app/app.ts';
import { tables } from '../../src/app/tables.ts';
import { firstIdAt } from '../../src/base/id.ts';
import { raw, sql } from '../../src/base/sql.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { addPartitions, listPartitions, putInPartitions, tablesInPartitions } from '../../src/db/partitions.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { createPostgresDatabase } from '../support/build-app.ts';
import type { PostgresDatabase } from '../support/migrated.ts';
import { patientMs } from '../support/patience.ts';
import { openSite, type Site, stay, walk } from '../support/site.ts';

/** Traces in partitions by month (ADR 69): what retention drops, what is added, and a database that becomes one of them. */

const day = 86_400_000;
const monthAt = (time: number, later: number) => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

test('what is in partitions goes by an age that its objectIds begin with', () => {
  const byName = new Map(tables.map((table) => [table.name, table]));
  for (const name of tablesInPartitions) {
    const table = byName.get(name);
    assert.ok(table?.kept && table.kept.by === undefined, name);
    assert.deepEqual(table.key, ['app_id', 'object_id']);
    for (const { isUnique } of Object.values(table.indexes ?? {})) assert.ok(!isUnique, `${name} has a unique index`);
  }
});

describe('the partitions of a new database', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite('postgres');
    site.app.app.ticker.stop();
  });
  afterAll(() => site.close());

  const names = async (table: string) => (await listPartitions(site.app.storage.db, table)).map(({ name }) => name);
  const rowsIn = async (table: string) =>
    Number((await site.app.storage.db.one<{ n: number }>(raw(`select count(*) as n from ${table}`)))?.n);
  /** A visit and its log record as they were left at a time. */
  async function leave(appId: string, at: number, isOpen = 0): Promise<void> {
    const id = `${firstIdAt(at)}${Math.random().toString(36).slice(2).padEnd(12, '0').slice(0, 12)}`;
    const { db } = site.app.storage;
    await db.run(sql`insert into visits (app_id, object_id, beacon_id, installation_id, entered_at, left_at, dwell, is_open, source,
        inferred, created_at, updated_at)
      values (${appId}, ${id}, 'b', 'i', ${at}, ${at}, 0, ${isOpen}, 'samples', 0, ${at}, ${at})`);
    await db.run(sql`insert into logs (app_id, object_id, module_type, event, beacon_id, installation_id, occurred_at, created_at,
        updated_at) values (${appId}, ${id}, 'PRESENCE', 'ENTER', 'b', 'i', ${at}, ${at}, ${at})`);
  }

  test('take what the service writes in the month, and get further months in time', async () => {
    const { db } = site.app.storage;
    await site.send(walk(stay(2, 10), site.now - 10_000));
    const month = new Date(site.now).toISOString().slice(0, 7).replace('-', '_');
    for (const table of ['visits', 'events', 'logs']) assert.ok((await rowsIn(`${table}_${month}`)) > 0, table);
    const known = await names('events');
    await addPartitions(db, site.now);
    assert.deepEqual(await names('events'), known, 'nothing is missing');
    await addPartitions(db, monthAt(site.now, 1) + day);
    const later = new Date(monthAt(site.now, 2)).toISOString().slice(0, 7).replace('-', '_');
    assert.deepEqual(await names('events'), [...known.slice(0, -1), `events_${later}`, 'events_behind']);
    assert.equal((await site.list('events')).length, await rowsIn('events'));
  });

  test('keep what has come when nobody had added a month for long', async () => {
    const { db } = site.app.storage;
    const far = monthAt(site.now, 7) + 3 * day;
    await leave('late', far);
    assert.equal(await rowsIn('logs_behind'), 1);
    await addPartitions(db, far);
    assert.equal(await rowsIn('logs_behind'), 0);
    assert.equal(
      await rowsIn('logs'),
      (await site.list('logs')).length + 1,
      'the one of another app is there and nothing else is lost',
    );
    await leave('late', far + 60 * day);
    await leave('late', far + 1);
    await db.run(raw("delete from visits where app_id = 'late'"));
    await db.run(raw("delete from logs where app_id = 'late'"));
  });

  test('are dropped whole once they are too old for every app, and what is to stay keeps its month', async () => {
    const { app, storage } = site.app;
    const { appId: other } = await app.apps.create('Keeps for long');
    await app.apps.change(site.app.appId, { policy: { retentionDays: { logs: 40, visits: 40, events: 40 } } });
    await app.apps.change(other, { policy: { retentionDays: { logs: 100, visits: 100, events: 100 } } });
    // Behind all months of the tests before.
    const start = monthAt(site.now, 12);
    await addPartitions(storage.db, start + 65 * day);
    const month = new Date(start).toISOString().slice(0, 7).replace('-', '_');
    for (const appId of [site.app.appId, other]) for (let n = 0; n < 5; n++) await leave(appId, start + n * day);
    await leave(other, start + 6 * day, 1);
    // Its visits are counted as they go, one by one.
    const { appId: forgetful } = await app.apps.create('Keeps nothing');
    await app.apps.change(forgetful, { policy: { retentionDays: { logs: 40, visits: 0, events: 40 } } });
    const oids = new Map<string, number>();
    for (const table of ['logs', 'visits'])
      oids.set(
        table,
        Number(
          (await storage.db.one<{ oid: number }>(sql`select to_regclass(${`${table}_${month}`})::oid::bigint as oid`))
            ?.oid,
        ),
      );
    // Too old for one app alone: row by row.
    site.app.clock.now = start + 75 * day;
    await app.retention.sweep();
    assert.equal(await rowsIn(`logs_${month}`), 6);
    assert.equal(await rowsIn(`visits_${month}`), 6);
    // Too old for both: the month of log records goes, that of visits stays because of somebody who is still there.
    site.app.clock.now = start + 140 * day;
    await app.retention.sweep();
    assert.ok(!(await names('logs')).includes(`logs_${month}`));
    assert.equal((await names('logs'))[0], 'logs_before');
    assert.equal(await rowsIn(`visits_${month}`), 1);
    await storage.db.run(raw('update visits set is_open = 0'));
    await leave(forgetful, start + 2 * day);
    await app.retention.sweep();
    const counted = await storage.db.one<{ n: number }>(
      sql`select sum(visits) as n from gone_visits where app_id = ${forgetful}`,
    );
    assert.equal(Number(counted?.n), 1, 'it was counted before it went');
    await app.retention.sweep();
    assert.ok(!(await names('visits')).includes(`visits_${month}`));
    // What still comes for that time has a place, and goes with the next sweep.
    await leave(other, start + day);
    assert.equal(await rowsIn('logs_before'), 1);
    await app.retention.sweep();
    assert.equal(await rowsIn('logs_before'), 0);
    const purges = await storage.db.all<{ change: string }>(
      sql`select * from audit where action = 'traces.purge' and app_id = ${other}`,
    );
    assert.match(JSON.stringify(purges), /logs\\*":7.*visits\\*":7/);
  });
});

describe('a database of the version before', () => {
  let database: PostgresDatabase;
  let db: Database;
  let app: App;
  const folder = mkdtempSync(join(tmpdir(), 'pharos-partitions-'));
  const now = Date.now();
  beforeAll(async () => {
    database = await createPostgresDatabase();
    db = openPostgres({ url: database.url, poolSize: 4, queryDeadlineMs: 5_000, timeoutMs: patientMs });
    await migrate(db, now, 98);
  });
  afterAll(async () => {
    await app?.close();
    await db.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('goes on in one piece, beside nodes of that version, and is put in partitions while it is used', async () => {
    // What the version before has written: an event with its log record, and one of a client.
    await migrate(db, now);
    assert.deepEqual(await listPartitions(db, 'logs'), []);
    const config = readConfig({
      PHAROS_DATABASE_URL: database.url,
      PHAROS_DATA: folder,
      PHAROS_PUBLIC_URL: 'http://pharos.test',
      PHAROS_LOG_LEVEL: 'silent',
    });
    const clock = { now };
    app = await createApp({ repeats: false, config, db, now: () => clock.now });
    const { appId, appKey } = await app.apps.create('Old');
    const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey, 'content-type': 'application/json' };
    const post = async (path: string, body: object) => {
      const answer = await app.server.inject({
        method: 'POST',
        url: `/api/v2/${path}`,
        headers,
        payload: JSON.stringify(body),
      });
      assert.ok(answer.statusCode <= 201, answer.body);
      return answer.json().result;
    };
    await db.run(sql`insert into beacons (app_id, object_id, name, uuid, uuid_key, major, minor, metadata, created_at, updated_at)
      values (${appId}, 'hall', 'Hall', 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', 'b9407f30f5f8466eaff925556b57fe6d', 1, 1, '{}', 0, 0)`);
    await post('installations', { installationId: 'phone-1', deviceType: 'ios' });
    const record = {
      event: 'ENTER',
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId: 'hall' },
      moduleType: 'PRESENCE',
    };
    const first = await post('logs', { ...record, eventId: 'of the client' });
    await post('sightings', { installationId: 'phone-1', sightings: walk(stay(1.5, 10), clock.now - 12_000) });
    const eventIds = () =>
      db.all<{ event_id: string | null }>(
        sql`select event_id from logs where app_id = ${appId} and installation_id is not null`,
      );
    // A node of that version finds the record of an event by this.
    assert.match(String((await eventIds())[0]?.event_id), /^\w{20}:PRESENCE$/);

    // Such nodes have given it an objectId of which its event knows nothing.
    await db.run(sql`update logs set object_id = ${raw("substr(object_id, 1, 8) || 'written0then'")}
      where app_id = ${appId} and installation_id is not null`);

    const before = await db.all(sql`select * from logs where app_id = ${appId} order by object_id`);
    assert.deepEqual((await putInPartitions(db, clock.now)).sort(), [...tablesInPartitions].sort());
    assert.deepEqual(await putInPartitions(db, clock.now), [], 'everything is done');
    assert.deepEqual(await db.all(sql`select * from logs where app_id = ${appId} order by object_id`), before);
    assert.deepEqual(
      (await listPartitions(db, 'logs')).map(({ name }) => name.replace(/\d{4}_\d\d/, 'MONTH')),
      ['logs_before', 'logs_MONTH', 'logs_behind'],
    );

    // The service that was running goes on: an event that is known is not written again, and a visit ends.
    assert.deepEqual(await post('logs', { ...record, eventId: 'of the client' }), first);
    const [one, two] = await Promise.all([1, 2].map(() => post('logs', { ...record, eventId: 'twice at once' })));
    assert.deepEqual(one, two);
    clock.now += 120_000;
    await post('sightings', { installationId: 'phone-1', sightings: walk(stay(30, 40), clock.now - 41_000) });
    const kinds = await db.all<{ event: string }>(
      sql`select event from logs where app_id = ${appId} and installation_id is not null order by object_id`,
    );
    assert.deepEqual(
      kinds.map(({ event }) => event),
      ['ENTER', 'EXIT'],
    );
    // Late samples take the end back, whoever has written its record.
    await post('sightings', {
      installationId: 'phone-1',
      sightings: walk(stay(1.5, 118), clock.now - 119_000 - 2_000),
    });
    // And from before the visit was known to have begun.
    await post('sightings', { installationId: 'phone-1', sightings: walk(stay(1.5, 8), now - 20_000) });
    const corrected = await db.all(
      sql`select event, occurred_at from events where app_id = ${appId} and event in ('ENTER', 'EXIT') order by occurred_at`,
    );
    const told = await db.all(
      sql`select event, occurred_at from logs where app_id = ${appId} and installation_id is not null order by occurred_at`,
    );
    assert.deepEqual(told, corrected);
    await addPartitions(db, monthAt(clock.now, 5));
    assert.ok((await listPartitions(db, 'verdicts')).length > 4);
  });
});
