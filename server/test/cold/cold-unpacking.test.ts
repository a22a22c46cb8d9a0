import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { personParts } from '../../src/app/tables.ts';
import { raw, type Sql, sql } from '../../src/base/sql.ts';
import { forgetBoth } from '../../src/cold/forget.ts';
import { unpackAll } from '../../src/cold/unpack.ts';
import type { Database, Row, SlowQuery } from '../../src/db/db.ts';
import { deleteInSteps } from '../../src/db/delete-in-steps.ts';
import { exportPerson } from '../../src/features/privacy/export.ts';
import { events } from '../../src/features/sightings/traces/events.ts';
import { listRecords } from '../../src/resources/lists/list.ts';
import { databases, type TestApp } from '../support/build-app.ts';
import { shellOf } from '../support/command-line.ts';
import { changed } from '../support/storage/changed.ts';
import { packedTables, packPast } from '../support/storage/cold-data.ts';
import { assertEverything, buildPast, chunks, everything, killed, packKept } from '../support/storage/packed-past.ts';

/** Packing is taken back, whatever happens meanwhile. */

const kills = Number(process.env['PHAROS_TEST_KILLS'] ?? 4);

for (const database of databases) {
  describe(`unpacking on ${database}`, () => {
    let app: TestApp;
    let db: Database;
    let now: number;
    let installations: string[];
    let before: Row[][];
    beforeEach(async () => {
      ({ app, db, now, installations } = await buildPast(database));
      before = await everything(db);
      await packKept(database, { db, now });
      assert.ok((await chunks(db)).length > 6);
    });
    afterEach(() => app.close());
    const scopes = () => packedTables.map((table) => ({ appId: app.appId, table }));
    const stored = () => Promise.all(packedTables.map(({ name }) => storedOf(name)));
    const storedOf = async (name: string) =>
      Number((await db.one<{ n: number }>(raw(`select count(*) as n from ${name}`)))?.n);

    test('is a command that stores every row again, unless it would be packed again', async () => {
      const settings = { ...app.storage.settings, PHAROS_QUERY_DEADLINE_MS: '100' };
      const refused = await shellOf(app.storage.folder, { ...settings, PHAROS_COLD_AFTER_DAYS: '60' }).run('unpack');
      assert.equal(refused.code, 2);
      assert.match(refused.err, /Remove the setting first/);
      const packed = (await chunks(db)).reduce((sum, { row_count }) => sum + Number(row_count), 0);
      const { run } = shellOf(app.storage.folder, settings);
      const other = await run('app create --name Other --json');
      assert.deepEqual((await run(`unpack --app ${other.json.appId} --json`)).json, { rows: 0, isWhole: true });
      assert.ok((await chunks(db)).length > 6, 'the other app’s alone');
      const done = await run('unpack --json');
      assert.deepEqual([done.code, done.json], [0, { rows: packed, isWhole: true }]);
      assert.deepEqual(await chunks(db), []);
      await assertEverything(db, before);
      assert.match((await run('unpack')).out, /Stored 0 records as rows again/);
    });

    test('is lost and doubled by no kill in the middle of it', async () => {
      await killed(app, ['unpack'], {
        after: ['delete from cold_chunks', 'insert into cold_chunks', 'update cold_chunks', 'insert into events'],
        kills,
        check: (when) => assertEverything(db, before, when),
      });
      assert.deepEqual(await chunks(db), []);
    });

    /** Unpacks everything, up to where the chunks are removed that are not needed any more. */
    async function unpackNearly(): Promise<() => Promise<unknown>> {
      const [marked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const wait = () => {
        marked.resolve();
        return over.promise;
      };
      const unpacking = unpackAll(db, scopes(), { size: 20, wait }).finally(marked.resolve);
      await marked.promise;
      return () => {
        over.resolve();
        return unpacking;
      };
    }

    test('hides no row from who has read the stored ones already, and lets nobody count one twice', async () => {
      const list = (of: Database, query: Record<string, string>) =>
        listRecords(of, events.records, {
          scope: events.records.match({ app_id: app.appId }),
          query,
          defaultLimit: 1_000,
          defaultOrder: '-objectId',
          tenant: app.appId,
        }).then(({ text }) => text);
      const questions: readonly Record<string, string>[] = [
        {},
        { order: 'distance' },
        { where: '{"cause":{"$ne":"x"}}', limit: '0', count: '1' },
        { limit: '0', count: '1' },
      ];
      const expected: string[] = [];
      for (const query of questions) expected.push(await list(db, query));
      let finish: (() => Promise<unknown>) | undefined;
      const meanwhile = changed(db, {
        async all<T extends object = Row>(statement: Sql, slow?: SlowQuery): Promise<T[]> {
          const rows = await db.all<T>(statement, slow);
          if (statement.strings.join('').includes('from events')) finish ??= await unpackNearly();
          return rows;
        },
      });
      assert.equal(await list(meanwhile, {}), expected[0]);
      assert.deepEqual(
        await stored(),
        before.map(({ length }) => length),
        'they were unpacked in between',
      );
      for (const [n, query] of questions.entries()) assert.equal(await list(db, query), expected[n]);
      await finish?.();
      assert.deepEqual(await chunks(db), []);
      for (const [n, query] of questions.entries()) assert.equal(await list(db, query), expected[n]);
    });

    test('leaves nothing behind of who is erased meanwhile, and nothing out of an export', async () => {
      const [her, other] = [installations[1] ?? '', installations[2] ?? ''];
      const exported = async (of: Database) => {
        const exporting = { db: of, parts: personParts, now: () => now, sentTo: async () => [], more: {}, conceal: {} };
        const person = { appId: app.appId, userId: undefined, installationIds: [other] };
        const document = JSON.parse((await Array.fromAsync(exportPerson(exporting, person))).join(''));
        return packedTables.map(({ name }) =>
          (document[name] as { objectId: string }[]).toSorted((a, b) => (a.objectId < b.objectId ? -1 : 1)),
        );
      };
      const expected = await exported(db);
      let isUnpacked = false;
      const meanwhile = changed(db, {
        async all<T extends object = Row>(statement: Sql, slow?: SlowQuery): Promise<T[]> {
          const rows = await db.all<T>(statement, slow);
          if (/from events/.test(statement.strings.join('')) && !isUnpacked) {
            isUnpacked = true;
            await unpackAll(db, scopes(), { size: 20, wait: async () => undefined });
          }
          return rows;
        },
      });
      assert.deepEqual(await exported(meanwhile), expected);
      assert.ok(isUnpacked);

      await packPast(db, { appId: app.appId, now });
      for (const table of packedTables) {
        const condition = sql`app_id = ${app.appId} and installation_id = ${her}`;
        const values = [{ column: 'installation_id', texts: [her] }];
        let finish: (() => Promise<unknown>) | undefined;
        await forgetBoth(db, { appId: app.appId, table, condition, values }, async () => {
          await deleteInSteps(db, { table: table.name, id: 'object_id', scope: condition });
          finish ??= await unpackNearly();
        });
        await finish?.();
      }
      await assertEverything(
        db,
        before.map((rows) => rows.filter((row) => row['installation_id'] !== her)),
      );
    });
  });
}
