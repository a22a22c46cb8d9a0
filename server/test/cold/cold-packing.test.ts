import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { defaultPolicy } from '../../src/access/policy.ts';
import { packedTables as declared } from '../../src/app/tables.ts';
import { firstIdAt, newObjectId } from '../../src/base/id.ts';
import { raw, sql } from '../../src/base/sql.ts';
import { mayHold } from '../../src/cold/format/filter.ts';
import { packOld } from '../../src/cold/pack.ts';
import type { Database, Row } from '../../src/db/db.ts';
import type { DbTable } from '../../src/db/table.ts';
import { createEngineLogs } from '../../src/features/logs/engine-store.ts';
import { insertLog } from '../../src/features/logs/store.ts';
import { ColdPacking } from '../../src/features/sightings/record/cold-packing.ts';
import { purgeTraces } from '../../src/features/sightings/record/retention.ts';
import { databases, type SignedIn, signInManager, type TestApp } from '../support/build-app.ts';
import { changed } from '../support/storage/changed.ts';
import { packedTables, packPast, sizes } from '../support/storage/cold-data.ts';
import {
  assertEverything,
  beforeEachOf,
  buildPast,
  chunks,
  chunksOf,
  during,
  everyRow,
  everything,
  isKeptFrom,
  killed,
  packKept,
} from '../support/storage/packed-past.ts';

/** Packing: nothing is lost, doubled or left behind, whatever happens in the middle. */

const day = 86_400_000;
/** No other node is there. */
const atOnce = async () => undefined;
const kills = Number(process.env['PHAROS_TEST_KILLS'] ?? 4);

for (const database of databases) {
  describe(`packing on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let db: Database;
    let now: number;
    let installations: string[];
    beforeEach(async () => {
      ({ app, db, now, manager, installations } = await buildPast(database));
    });
    afterEach(() => app.close());
    const past = () => ({ appId: app.appId, now });

    test('is what is old and over: small chunks become large ones, and no row changes', async () => {
      assert.deepEqual(declared, packedTables);
      const before = await everything(db);
      const packed = await packPast(db, past());
      await assertEverything(db, before);
      for (const [n, table] of packedTables.entries()) {
        const found = await chunksOf(db, table);
        assert.equal(
          found.reduce((sum, { row_count }) => sum + Number(row_count), 0),
          packed[n],
        );
        assert.ok(
          found.some(({ row_count }) => Number(row_count) >= sizes.large),
          table.name,
        );
        assert.ok(found.filter(({ row_count }) => Number(row_count) < sizes.large).length < 4, table.name);
      }
      const left = await db.all<{ n: number }>(sql`select count(*) as n from events where app_id = ${app.appId}
        and object_id < ${firstIdAt(now - 60 * day)} and visit_id not in (select object_id from visits where is_open = 1)`);
      assert.ok(Number(left[0]?.n) < sizes.small, 'only what does not fill a chunk is left');
      const open = await db.all<{ id: string }>(raw('select object_id as id from visits where is_open = 1'));
      for (const { filter } of await chunks(db))
        assert.deepEqual(
          open.filter(({ id }) => mayHold(filter, [id])).length < open.length / 2,
          true,
          'events of open visits are stored',
        );
    });

    test('is nothing without the setting, and nothing of the last month', async () => {
      const listApps = async () => [{ appId: app.appId, policy: defaultPolicy }];
      const sweep = (coldAfterDays: number, later = 0) =>
        new ColdPacking({ db, now: () => now + later, packedTables, coldAfterDays, listApps, wait: atOnce }).sweep();
      await sweep(0);
      assert.deepEqual(await chunks(db), []);
      await packOld(db, { appId: app.appId, table: packedTables[0] as DbTable, before: now + 900 * day }, { sizes });
      const newest = await db.one<{ id: string }>(raw('select max(last_id) as id from cold_chunks'));
      assert.ok((newest?.id ?? '~') < firstIdAt(Date.now() - 30 * day));
    });

    test('is by the time of the nodes, and so are lists of it, whatever the clock of the machine says', async () => {
      const table = packedTables[0] as DbTable;
      // The machine's clock is as far behind.
      app.clock.now += 45 * day;
      const where = { occurredAt: { $gte: new Date(now - 10 * day).toISOString() } };
      const query = `limit=1000&count=1&where=${encodeURIComponent(JSON.stringify(where))}`;
      const { headers } = await signInManager(app);
      const list = async () => {
        const { body } = await app.send({ method: 'GET', url: `/api/v2/events?${query}`, headers });
        return [body.count, body.results.map(({ objectId }: { objectId: string }) => objectId)] as const;
      };
      const before = await list();
      assert.ok(before[0] > 10, String(before[0]));
      const few = { small: 5, large: 20 };
      await packOld(db, { appId: app.appId, table, before: app.clock.now - 31 * day }, { sizes: few });
      const newest = await db.one<{ id: string }>(raw('select max(last_id) as id from cold_chunks'));
      assert.ok((newest?.id ?? '') > firstIdAt(now - 10 * day));
      assert.deepEqual(await list(), before);
    });

    test('stays where it is when its transaction fails, or a row is changed meanwhile', async () => {
      const before = await everything(db);
      const table = packedTables[0] as DbTable;
      const failing = during(db, async () => {
        throw new Error('the power is gone');
      });
      const packing = { appId: app.appId, table, before: now - 40 * day };
      await assert.rejects(packOld(failing, packing, { sizes }), /the power is gone/);
      assert.deepEqual(await chunks(db), []);
      await assertEverything(db, before);
      let changes = 0;
      const changing = beforeEachOf(db, async () => {
        if (changes++ > 0) return;
        await db.run(sql`update events set cause = 'device' where app_id = ${app.appId}`);
      });
      await packOld(changing, packing, { sizes });
      assert.ok(changes > 1);
      const causes = new Set((await everyRow(db, table)).map((row) => row['cause']));
      assert.deepEqual([...causes], ['device'], 'no chunk has what was there before the change');
    });

    test('are the records of the engine, also by the name that older nodes find them by, and no client’s with an id', async () => {
      const table = packedTables[2] as DbTable;
      const at = now - 150 * day;
      const [beaconId = '', installationId = ''] = ['B1'.padEnd(20, '0'), installations[0]];
      const record = (n: number) => {
        const moduleType = 'PRESENCE' as const;
        const eventId = newObjectId(at + n);
        const log = {
          appId: app.appId,
          moduleType,
          event: 'ENTER',
          beaconId,
          installationId,
          occurredAt: at + n,
          now: at + n,
        };
        return { ...log, eventId };
      };
      const engine = Array.from({ length: 130 }, (_, n) => record(n));
      const client = Array.from({ length: 130 }, (_, n) => record(n));
      for (const statement of createEngineLogs(true).insert(db.dialect, engine)) await db.run(statement);
      await db.transaction(async (db) => {
        for (const log of client)
          await insertLog(db, { ...log, objectId: newObjectId(log.now), eventId: `${log.eventId}:${log.moduleType}` });
      });
      await packPast(db, past());
      const left = new Set((await db.all<Row>(raw('select event_id from logs'))).map((row) => row['event_id']));
      const isLeft = ({ eventId }: { readonly eventId: string }) => left.has(`${eventId}:PRESENCE`);
      assert.ok(client.every(isLeft), 'found again, however old');
      assert.ok(engine.filter(isLeft).length < sizes.small);
      const packed = await everyRow(db, table);
      assert.ok(engine.every(({ eventId }) => packed.some((row) => row['event_id'] === `${eventId}:PRESENCE`)));
    });

    test('is found behind many rows that are not packed; hourly only what is new', async () => {
      const table = packedTables[0] as DbTable;
      const picky: DbTable = {
        ...table,
        packed: { foundBy: [], fits: (row) => String(row['object_id']) > firstIdAt(now - 90 * day) },
      };
      const age = { appId: app.appId, table: picky, before: now - 40 * day };
      const small = { small: 20, large: 10_000 };
      await packOld(db, age, { sizes: small, since: now - 45 * day });
      const first = async () => (await chunksOf(db, table))[0]?.first_id ?? '~';
      assert.ok((await first()) >= firstIdAt(now - 45 * day));
      assert.ok((await packOld(db, age, { sizes: small })) > 100);
      assert.ok((await first()) >= firstIdAt(now - 90 * day));
    });

    test('is not held up by another app’s trouble, and by no sweep of the hour before', async () => {
      const trouble = changed(db, {
        all: async (statement, slow) => {
          if (slow?.tenant === 'troubled') throw new Error('its rows cannot be read');
          return db.all(statement, slow);
        },
      });
      const listApps = async () => ['troubled', app.appId].map((appId) => ({ appId, policy: defaultPolicy }));
      const small = packedTables.map((table) => ({ ...table }));
      const packing = new ColdPacking({
        db: trouble,
        now: () => now,
        packedTables: small,
        coldAfterDays: 60,
        listApps,
        wait: atOnce,
      });
      const [one, two] = await Promise.allSettled([packing.sweep(), packing.sweep()]);
      assert.equal(one.status, 'rejected');
      assert.ok(one.reason instanceof AggregateError && one.reason.errors.length === packedTables.length);
      assert.equal(two.status, 'fulfilled', 'the other one is at it');
      assert.ok((await chunks(db)).length > 0);
    });

    test('loses nothing while two pack it, somebody is erased, the oldest goes and others look on', async () => {
      const before = await everything(db);
      const her = installations[3] ?? '';
      const policy = {
        ...defaultPolicy,
        retentionDays: { ...defaultPolicy.retentionDays, logs: 150, visits: 900, events: 150, deliveries: 150 },
      };
      const counted = async () => {
        const seen: number[] = [];
        for (let n = 0; n < 6; n++) {
          const { status, body } = await app.send({
            method: 'GET',
            url: `/api/v2/events?limit=0&count=1&where=${encodeURIComponent(JSON.stringify({ cause: { $ne: 'nothing' } }))}`,
            headers: manager.headers,
          });
          assert.ok(status === 200 || status === 408 || status === 503, String(status));
          if (status === 200) seen.push(body.count);
        }
        return seen;
      };
      await packKept(database, { db, now });
      const [counts] = await Promise.all([
        counted(),
        packPast(db, past()),
        packPast(db, past()),
        app.send({ method: 'DELETE', url: `/api/v2/installations/${her}`, headers: manager.headers }),
        purgeTraces(db, packedTables, { appId: app.appId, policy, now }),
      ]);
      await app.app.idle();
      // What was being replaced by others is left to the next sweep.
      await purgeTraces(db, packedTables, { appId: app.appId, policy, now });
      const bound = firstIdAt(now - 150 * day);
      const isKept = isKeptFrom(bound);
      const kept = before.map((rows) => rows.filter((row) => isKept(row) && row['installation_id'] !== her));
      await assertEverything(db, kept);
      const [all = [], rest = []] = [before[0], kept[0]];
      assert.ok(
        counts.every((n) => n <= all.length && n >= rest.length),
        `${counts} of ${all.length} to ${rest.length}`,
      );
    });

    test('is lost and doubled by no kill in the middle of it', async () => {
      const before = await everything(db);
      await killed(app, [String(now - 40 * day)], {
        after: [
          'delete from events',
          'insert into cold_chunks',
          'insert into cold_summaries',
          'delete from cold_chunks',
        ],
        kills,
        check: (when) => assertEverything(db, before, when),
      });
      assert.ok((await chunks(db)).length > 3);
    });
  });
}
