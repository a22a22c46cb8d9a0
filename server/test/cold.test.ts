import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defaultPolicy } from '../src/access/policy.ts';
import { packedTables as declared, emptyApp, personParts } from '../src/app/tables.ts';
import { restoreBackup, verifyBackup } from '../src/backup/restore.ts';
import { writeBackup } from '../src/backup/write.ts';
import { firstIdAt } from '../src/base/id.ts';
import { raw, sql } from '../src/base/sql.ts';
import { createDiskBlobStore } from '../src/blobs/disk.ts';
import { Chunk } from '../src/cold/chunk.ts';
import { mayHold } from '../src/cold/filter.ts';
import { packOld } from '../src/cold/pack.ts';
import type { Database, Row } from '../src/db/db.ts';
import type { DbTable } from '../src/db/table.ts';
import { exportPerson } from '../src/features/privacy/export.ts';
import { ColdPacking } from '../src/features/sightings/record/cold-packing.ts';
import { purgeTraces } from '../src/features/sightings/record/retention.ts';
import { eventsOf, shownTo } from '../src/features/sightings/replay/store.ts';
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
