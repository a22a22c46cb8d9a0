import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defaultPolicy } from '../src/access/policy.ts';
import { appTables, packedTables as declared, emptyApp, personParts } from '../src/app/tables.ts';
import { restoreBackup, verifyBackup } from '../src/backup/restore.ts';
import { writeBackup } from '../src/backup/write.ts';
import { firstIdAt, newObjectId } from '../src/base/id.ts';
import { raw, sql } from '../src/base/sql.ts';
import { createDiskBlobStore } from '../src/blobs/disk.ts';
import { Chunk } from '../src/cold/chunk.ts';
import { mayHold } from '../src/cold/filter.ts';
import { ColdLookup } from '../src/cold/lookup.ts';
import { packOld } from '../src/cold/pack.ts';
import { withColdRows } from '../src/cold/read.ts';
import type { Sought } from '../src/cold/store.ts';
import type { Database, Row } from '../src/db/db.ts';
import type { DbTable } from '../src/db/table.ts';
import { createEngineLogs } from '../src/features/logs/engine-store.ts';
import { insertLog } from '../src/features/logs/store.ts';
import { exportPerson } from '../src/features/privacy/export.ts';
import { ColdPacking } from '../src/features/sightings/record/cold-packing.ts';
import { purgeTraces } from '../src/features/sightings/record/retention.ts';
import { eventsOf, shownTo } from '../src/features/sightings/replay/store.ts';
import { firstEventIn } from '../src/features/sightings/traces/goal-reads.ts';
import { buildApp, databases, openStorage, type SignedIn, signInManager, type TestApp } from './support/build-app.ts';
import { create } from './support/cases.ts';
import { insertPast, packedTables, packPast, sizes } from './support/cold-data.ts';

/** Packed rows: nothing is lost, doubled or left behind, whatever happens to them. */

const day = 86_400_000;
const kills = Number(process.env['PHAROS_TEST_KILLS'] ?? 4);

interface StoredChunk {
  readonly app_id: string;
  readonly filter: string;
  readonly content: string;
  readonly row_count: number;
  readonly first_id: string;
}

const chunksOf = (db: Database, table: DbTable) =>
  db.all<StoredChunk>(sql`select * from cold_chunks where kind = ${table.name} order by first_id, object_id`);

const idOf = (row: Row) => String(row['object_id']);

const lengthOf = ({ length }: readonly unknown[]) => length;

/** Every row of a table, stored or packed, in the order of the ids. */
async function everyRow(db: Database, table: DbTable): Promise<Row[]> {
  const rows = (await db.all<Row>(raw(`select * from ${table.name}`))).map((row) => ({ ...row }));
  for (const { app_id, content, row_count } of await chunksOf(db, table)) {
    const packed = await Chunk.open(table, app_id, content).all();
    assert.equal(packed.length, Number(row_count));
    rows.push(...packed);
  }
  return rows.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

const everything = (db: Database) => Promise.all(packedTables.map((table) => everyRow(db, table)));
const chunks = async (db: Database) => (await Promise.all(packedTables.map((table) => chunksOf(db, table)))).flat();

interface FirstChunk {
  readonly table: string;
  readonly filter: string;
  readonly content: string;
  readonly rows: readonly Row[];
}

/**
 * Written by the first version that packed. A column that has come since and may not be null needs what it is in such rows: `added` of
 * `packed`.
 */
test('what the first version has packed is read by this one', async () => {
  const written = new URL('./support/first-chunks.json', import.meta.url);
  const chunks = JSON.parse(readFileSync(written, 'utf8')) as readonly FirstChunk[];
  assert.deepEqual(
    chunks.map(({ table }) => table),
    packedTables.map(({ name }) => name),
  );
  for (const [n, { content, filter, rows }] of chunks.entries()) {
    const table = packedTables[n] as DbTable;
    const read = await Chunk.open(table, 'app', content).all();
    for (const [place, row] of rows.entries()) {
      for (const [name, value] of Object.entries(row))
        if (name in table.columns) assert.deepEqual(read[place]?.[name], value, `${table.name}.${name}`);
      const empty = Object.entries(table.columns).filter(([name, of]) => !of.isNullable && read[place]?.[name] == null);
      assert.deepEqual(empty, [], `${table.name} lacks what is declared of a column that came later`);
      assert.ok(mayHold(filter, [String(row['beacon_id'])]) && !mayHold(filter, ['nothing']));
    }
  }
});

test('what may be packed names nobody but by its trail, and is deleted before the chunks when its app is', () => {
  const place = (name: string) => appTables.findIndex((table) => table.name === name);
  for (const { name, users, mentions, trail } of packedTables) {
    assert.deepEqual([users, mentions, trail?.installation], [undefined, undefined, 'installation_id'], name);
    assert.ok(place(name) < place('cold_chunks'), 'otherwise packing would leave behind what an app had');
  }
});

for (const database of databases) {
  describe(`what is packed on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let db: Database;
    let now: number;
    let installations: string[];
    beforeEach(async () => {
      app = await buildApp({ database });
      ({ db } = app.storage);
      ({ now } = app.clock);
      manager = await signInManager(app);
      const retentionDays = { logs: 900, visits: 900, events: 900, deliveries: 900, positions: 900 };
      await app.app.apps.change(app.appId, { policy: { retentionDays } });
      installations = [];
      for (let n = 0; n < 5; n++)
        installations.push(
          await create(app, '/api/v2/installations', { installationId: `past-${n}`, deviceType: 'ios' }),
        );
      await app.app.idle();
      const beacons = ['B1', 'B2', 'B3'].map((name) => name.padEnd(20, '0'));
      await insertPast(db, { appId: app.appId, beacons, installations, now, days: 200, visits: 200 });
    });
    afterEach(() => app.close());
    const past = () => ({ appId: app.appId, now });

    test('is what is old and over: small chunks become large ones, and no row changes', async () => {
      assert.deepEqual(declared, packedTables);
      const before = await everything(db);
      const packed = await packPast(db, past());
      assert.deepEqual(await everything(db), before);
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
        new ColdPacking({ db, now: () => now + later, packedTables, coldAfterDays, listApps }).sweep();
      await sweep(0);
      assert.deepEqual(await chunks(db), []);
      await packOld(db, { appId: app.appId, table: packedTables[0] as DbTable, before: now + 900 * day }, { sizes });
      const newest = await db.one<{ id: string }>(raw('select max(last_id) as id from cold_chunks'));
      assert.ok((newest?.id ?? '~') < firstIdAt(Date.now() - 30 * day));
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
      assert.deepEqual(await everything(db), before);
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

    test('is exported with a person, and erased with her to the last byte', async () => {
      const her = installations[1] ?? '';
      const url = `/api/v2/installations/${her}`;
      const exported = async () => {
        const exporting = { db, parts: personParts, now: () => now, sentTo: async () => [], more: {}, conceal: {} };
        const person = { appId: app.appId, userId: undefined, installationIds: [her] };
        const document = JSON.parse((await Array.fromAsync(exportPerson(exporting, person))).join(''));
        const sorted = (rows: unknown) =>
          (rows as { objectId: string }[]).toSorted((a, b) => (a.objectId < b.objectId ? -1 : 1));
        return packedTables.map(({ name }) => sorted(document[name]));
      };
      const stored = await exported();
      assert.ok(stored.every((rows) => rows.length > 20));
      const before = await everything(db);
      await packPast(db, past());
      assert.deepEqual(await exported(), stored);

      assert.equal((await app.send({ method: 'DELETE', url, headers: manager.headers })).status, 200);
      await app.app.idle();
      const others = before.map((rows) => rows.filter((row) => row['installation_id'] !== her));
      assert.deepEqual(await everything(db), others);
      assert.ok((await chunks(db)).length > 6);
      // The receipt counts packed rows like stored ones.
      const receipt = await db.one<{ counts: string }>(sql`select counts from erasures where app_id = ${app.appId}`);
      const counts = JSON.parse(receipt?.counts ?? '{}') as Record<string, number>;
      assert.deepEqual(
        packedTables.map(({ name }) => counts[name]),
        stored.map((rows) => rows.length),
      );
    });

    test('is judged anew by other rules like what is stored', async () => {
      const stretch = {
        appId: app.appId,
        ids: installations.slice(1, 4),
        from: now - 150 * day,
        until: now - 20 * day,
      };
      const read = async () => {
        const told = await eventsOf(db, stretch);
        const shown = await shownTo(db, stretch, 'T2'.padEnd(20, '0'));
        const byTime = [...shown].map(([id, all]) => [id, all.toSorted((a, b) => a.at - b.at)] as const);
        return [told, new Map(byTime)];
      };
      const stored = await read();
      assert.ok(stored.every(({ size }) => size === 3));
      await packPast(db, past());
      assert.deepEqual(await read(), stored);
    });

    test('counts for the goals of messages like what is stored', async () => {
      const all = await db.all<{ installation_id: string; occurred_at: number; event: string; beacon_id: string }>(
        sql`select * from events where app_id = ${app.appId} order by object_id`,
      );
      const asked = all.filter((_, n) => n % 40 === 7).slice(0, 12);
      const read = async () => {
        const packed = new ColdLookup();
        const found: (number | undefined)[] = [];
        for (const { installation_id: installationId, occurred_at: at, event, beacon_id } of asked)
          for (const beaconIds of [undefined, [beacon_id]]) {
            const window = { appId: app.appId, installationId, from: at - 1, until: at + 9 * day, event, packed };
            const one = await db.transaction((db) =>
              firstEventIn(db, { ...window, ...(beaconIds ? { beaconIds } : {}) }),
            );
            const later = { ...window, from: at };
            found.push(one, await db.transaction((db) => firstEventIn(db, later)));
          }
        return found;
      };
      const stored = await read();
      assert.ok(stored.filter((at) => at !== undefined).length > asked.length);
      await packPast(db, past());
      assert.deepEqual(await read(), stored);
    });

    test('is found by a column that its filter does not know, and by those of chunks that do not say', async () => {
      await packPast(db, past());
      const table = packedTables[0] as DbTable;
      const installation = installations[2] ?? '';
      const condition = sql`app_id = ${app.appId} and cause = 'device' and installation_id = ${installation}`;
      const of = (values: Sought[]) => ({ db, table, appId: app.appId, condition, isAll: false, range: {}, values });
      const count = async (values: Sought[]) => (await withColdRows(of(values), [])).length;
      const values = [
        { column: 'cause', texts: ['device'] },
        { column: 'installation_id', texts: [installation] },
      ];
      const expected = await count([]);
      assert.ok(expected > 10);
      assert.equal(await count(values), expected);
      assert.equal(await count([{ column: 'installation_id', texts: ['nobody'] }]), 0, 'the filter is used');
      await db.run(sql`update cold_chunks set filter_of = null where app_id = ${app.appId}`);
      assert.equal(await count(values), expected);
    });

    test('is walked over whole while it is merged by a node whose clock is behind', async () => {
      const table = packedTables[0] as DbTable;
      const pack = (large: number) =>
        packOld(db, { appId: app.appId, table, before: now - 40 * day }, { sizes: { small: 60, large } });
      await pack(Number.MAX_SAFE_INTEGER);
      // Their ids are of a node whose clock is an hour ahead.
      const ahead = Date.now() + 3_600_000;
      const small = await chunksOf(db, table);
      for (const { first_id } of small)
        await db.run(sql`update cold_chunks set object_id = ${newObjectId(ahead)} where first_id = ${first_id}
          and app_id = ${app.appId} and kind = ${table.name}`);
      const newest = await db.one<{ id: string }>(raw('select max(object_id) as id from cold_chunks'));
      await pack(240);
      const merged = await db.all<{ id: string }>(
        raw('select object_id as id from cold_chunks where row_count >= 240'),
      );
      assert.ok(merged.length > 1 && merged.every(({ id }) => id > (newest?.id ?? '~')));
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
        retentionDays: { ...defaultPolicy.retentionDays, logs: 150, visits: 900, events: 150 },
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
      await packPast(db, past());
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
      const kept = before.map((rows) => rows.filter((row) => idOf(row) >= bound && row['installation_id'] !== her));
      assert.deepEqual(await everything(db), kept);
      const [all = [], rest = []] = [before[0], kept[0]];
      assert.ok(
        counts.every((n) => n <= all.length && n >= rest.length),
        `${counts} of ${all.length} to ${rest.length}`,
      );
    });

    test('goes with the retention, to the row, and with its app', async () => {
      const before = await everything(db);
      await packPast(db, past());
      const policy = { ...defaultPolicy, retentionDays: { logs: 120, visits: 900, events: 100 } };
      const purged = await purgeTraces(db, packedTables, { appId: app.appId, policy, now });
      const bound = (table: DbTable) => firstIdAt(now - (table.name === 'logs' ? 120 : 100) * day);
      const kept = before.map((rows, n) => rows.filter((row) => idOf(row) >= bound(packedTables[n] as DbTable)));
      const left = await everything(db);
      assert.deepEqual(left.map(lengthOf), kept.map(lengthOf));
      assert.deepEqual(left, kept);
      assert.deepEqual(
        packedTables.map(({ name }) => purged[name]),
        before.map((rows, n) => rows.length - (kept[n]?.length ?? 0)),
      );
      await emptyApp(db, app.appId);
      assert.deepEqual(await chunks(db), []);
    });

    test('is in a backup', async () => {
      await packPast(db, past());
      const folder = join(app.storage.folder, 'a backup');
      const blobs = await createDiskBlobStore(join(app.storage.folder, 'files'));
      await writeBackup({ db, blobs, folder, now });
      const target = await openStorage(database === 'sqlite' ? 'postgres' : 'sqlite');
      try {
        const restored = await createDiskBlobStore(join(target.folder, 'files'));
        await restoreBackup({ db: target.db, blobs: restored, folder, now }, await verifyBackup(folder));
        assert.deepEqual(await chunks(target.db).then((all) => all.map(plain)), (await chunks(db)).map(plain));
        assert.deepEqual(await everything(target.db), await everything(db));
      } finally {
        await target.close();
      }
    });

    test('is lost and doubled by no kill in the middle of it', async () => {
      const before = await everything(db);
      const program = fileURLToPath(new URL('./support/pack-process.ts', import.meta.url));
      let isDone = false;
      for (let n = 0; n < kills || !isDone; n++) {
        const child = spawn(process.execPath, [program, app.appId, String(now - 40 * day)], {
          env: { ...process.env, ...app.storage.settings },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = once(child, 'exit');
        // From the first row on that it has packed, at any moment.
        await Promise.race([once(child.stdout, 'data'), ended]);
        if (n < kills) await Promise.race([delay(Math.random() * 60), ended]);
        else await ended;
        child.kill('SIGKILL');
        const [code] = (await ended) as [number | null];
        isDone = code === 0;
        assert.deepEqual(await everything(db), before, `after kill ${n}`);
      }
      assert.ok((await chunks(db)).length > 3);
    });
  });
}

const plain = ({ app_id, filter, content, row_count }: StoredChunk) => [app_id, filter, content, Number(row_count)];

/** A database in whose transactions something happens before the commit. */
function during(db: Database, also: () => Promise<void>): Database {
  return changed(db, {
    transaction: (work) =>
      db.transaction(async (inner) => {
        const result = await work(inner);
        await also();
        return result;
      }),
  });
}

/** A database before whose transactions something happens. */
function beforeEachOf(db: Database, also: () => Promise<void>): Database {
  return changed(db, {
    async transaction(work) {
      await also();
      return db.transaction(work);
    },
  });
}

function changed(db: Database, change: Partial<Database>): Database {
  return new Proxy(db, {
    get(target, name) {
      if (name in change) return change[name as keyof Database];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
