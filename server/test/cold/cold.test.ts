import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { defaultPolicy } from '../../src/access/policy.ts';
import { appTables, emptyApp, personParts } from '../../src/app/tables.ts';
import { restoreBackup, verifyBackup } from '../../src/backup/restore.ts';
import { writeBackup } from '../../src/backup/write.ts';
import { firstIdAt, newObjectId } from '../../src/base/id.ts';
import { raw, sql } from '../../src/base/sql.ts';
import { createDiskBlobStore } from '../../src/blobs/disk.ts';
import { Chunk } from '../../src/cold/format/chunk.ts';
import { mayHold } from '../../src/cold/format/filter.ts';
import { ColdLookup } from '../../src/cold/lookup.ts';
import { packOld } from '../../src/cold/pack.ts';
import { withColdRows } from '../../src/cold/read.ts';
import type { Sought } from '../../src/cold/summaries.ts';
import type { Database, Row } from '../../src/db/db.ts';
import type { DbTable } from '../../src/db/table.ts';
import { exportPerson } from '../../src/features/privacy/export.ts';
import { purgeTraces } from '../../src/features/sightings/record/retention.ts';
import { eventsOf, shownTo } from '../../src/features/sightings/replay/store.ts';
import { firstEventIn } from '../../src/features/sightings/traces/goal-reads.ts';
import { databases, openStorage, type SignedIn, type TestApp } from '../support/build-app.ts';
import { packedTables } from '../support/storage/cold-data.ts';
import {
  assertEverything,
  buildPast,
  chunks,
  chunksOf,
  everything,
  isKeptFrom,
  lengthOf,
  packKept,
  type StoredChunk,
} from '../support/storage/packed-past.ts';

/** Packed rows are asked, exported, erased and backed up like stored ones. */

const day = 86_400_000;

interface FirstChunk {
  readonly table: string;
  readonly filter: string;
  readonly content: string;
  readonly rows: readonly Row[];
}

/**
 * Written by the first version that packed such rows. A column that has come since and may not be null needs what it is in such rows: `added` of
 * `packed`.
 */
test('what the first version has packed is read by this one', async () => {
  const written = new URL('../support/storage/first-chunks.json', import.meta.url);
  const chunks = JSON.parse(readFileSync(written, 'utf8')) as readonly FirstChunk[];
  assert.deepEqual(
    chunks.map(({ table }) => table),
    ['events', 'verdicts', 'logs', 'deliveries'],
  );
  for (const [n, { content, filter, rows }] of chunks.entries()) {
    const table = packedTables[n] as DbTable;
    const read = await Chunk.open(table, 'app', content).all();
    for (const [place, row] of rows.entries()) {
      for (const [name, value] of Object.entries(row))
        if (name in table.columns) assert.deepEqual(read[place]?.[name], value, `${table.name}.${name}`);
      const empty = Object.entries(table.columns).filter(([name, of]) => !of.isNullable && read[place]?.[name] == null);
      assert.deepEqual(empty, [], `${table.name} lacks what is declared of a column that came later`);
      assert.ok(mayHold(filter, [String(row['beacon_id'] ?? row['installation_id'])]) && !mayHold(filter, ['nothing']));
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
      ({ app, db, now, manager, installations } = await buildPast(database));
    });
    afterEach(() => app.close());
    const pack = () => packKept(database, { db, now });

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
      assert.ok(
        stored.every((rows) => rows.length > 20),
        String(stored.map(lengthOf)),
      );
      const before = await everything(db);
      await pack();
      assert.deepEqual(await exported(), stored);

      assert.equal((await app.send({ method: 'DELETE', url, headers: manager.headers })).status, 200);
      await app.app.idle();
      const others = before.map((rows) => rows.filter((row) => row['installation_id'] !== her));
      await assertEverything(db, others);
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
      await pack();
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
      await pack();
      assert.deepEqual(await read(), stored);
    });

    test('is found by a column that its filter does not know, and by those of chunks that do not say', async () => {
      await pack();
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
      // A filter lets some chunks through that do not have what is sought.
      let mistaken = 0;
      for (let n = 0; n < 20; n++) mistaken += await count([{ column: 'installation_id', texts: [`nobody${n}`] }]);
      assert.ok(mistaken < (20 * expected) / 4, `${mistaken} of ${20 * expected}: the filter is used`);
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

    test('loses nothing where its chunks are made in one millisecond, or the clock is set back between them', async () => {
      const before = await everything(db);
      const [{ now: clock }, start] = [Date, Date.now()];
      let asked = 0;
      Date.now = () => start - (Math.floor(asked++ / 4) % 3) * 3_600_000;
      const age = { appId: app.appId, before: now - 40 * day };
      try {
        for (const table of packedTables) await packOld(db, { ...age, table }, { sizes: { small: 60, large: 240 } });
      } finally {
        Date.now = clock;
      }
      const made = await db.all<{ id: string }>(raw('select object_id as id from cold_chunks'));
      const ids = made.map(({ id }) => id.slice(0, 8));
      assert.ok(new Set(ids).size < ids.length, 'some have one time');
      await assertEverything(db, before);
    });

    test('goes with the retention, to the row, and with its app', async () => {
      const before = await everything(db);
      await pack();
      const policy = { ...defaultPolicy, retentionDays: { logs: 120, visits: 900, events: 100, deliveries: 100 } };
      const purged = await purgeTraces(db, packedTables, { appId: app.appId, policy, now });
      const bound = (table: DbTable) => firstIdAt(now - (table.name === 'logs' ? 120 : 100) * day);
      const kept = before.map((rows, n) => rows.filter(isKeptFrom(bound(packedTables[n] as DbTable))));
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
      await pack();
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
  });
}

const plain = ({ app_id, filter, content, row_count }: StoredChunk) => [app_id, filter, content, Number(row_count)];
