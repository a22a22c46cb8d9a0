import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { defaultPolicy } from '../../src/access/policy.ts';
import { emptyApp } from '../../src/app/tables.ts';
import { raw, type Sql, sql } from '../../src/base/sql.ts';
import type { Database, Row } from '../../src/db/db.ts';
import { ColdPacking } from '../../src/features/sightings/record/cold-packing.ts';
import { purgeTraces } from '../../src/features/sightings/record/retention.ts';
import { events } from '../../src/features/sightings/traces/events.ts';
import { listRecords } from '../../src/resources/lists/list.ts';
import { databases, type SignedIn, type TestApp } from '../support/build-app.ts';
import { changed } from '../support/storage/changed.ts';
import { packedTables } from '../support/storage/cold-data.ts';
import { buildPast, chunks, chunksOf, packKept } from '../support/storage/packed-past.ts';

/** What is in chunks is known beside them, so that a list opens few of them, whoever has packed them. */

for (const database of databases) {
  describe(`what is known of packed rows on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let db: Database;
    let now: number;
    let installations: string[];
    const summaries = () => db.all<Row>(raw('select * from cold_summaries order by object_id'));
    beforeEach(async () => {
      ({ app, db, now, manager, installations } = await buildPast(database));
      await packKept(database, { db, now });
      assert.ok((await summaries()).length > 6);
    });
    afterEach(() => app.close());

    /** The summaries that are there, and those that should be. */
    const assertComplete = async () => {
      const there = await db.all<{ id: string }>(raw('select object_id as id from cold_chunks order by object_id'));
      assert.deepEqual(
        (await summaries()).map((row) => row['object_id']),
        there.map(({ id }) => id),
      );
    };
    /** Asks through the code of lists, and counts the chunks that are opened. */
    async function asked(query: Readonly<Record<string, string>>) {
      let opened = 0;
      const look = (statement: Sql) => {
        if (/select content from cold_chunks/.test(statement.strings.join(''))) opened++;
      };
      const watched = changed(db, {
        one<T extends object>(statement: Sql): Promise<T | undefined> {
          look(statement);
          return db.one<T>(statement);
        },
      });
      const { text } = await listRecords(watched, events.records, {
        scope: events.records.match({ app_id: app.appId }),
        query,
        defaultLimit: 100,
        defaultOrder: '-objectId',
        idsFollowOccurrence: true,
        tenant: app.appId,
      });
      return { text, opened };
    }
    const questions: readonly Readonly<Record<string, string>>[] = [
      { where: '{"distance":{"$gt":20}}' },
      { order: 'leftAt', where: '{"leftAt":{"$ne":null}}', limit: '3' },
      { order: '-enteredAt', limit: '3' },
      { order: 'createdAt,objectId', limit: '3' },
      { order: '-distance', limit: '3' },
      { where: '{"enteredAt":{"$lt":{"__type":"Date","iso":"2000-01-01T00:00:00.000Z"}}}', limit: '0', count: '1' },
    ];
    const sweep = (coldAfterDays: number) => {
      const listApps = async () => [{ appId: app.appId, policy: defaultPolicy }];
      const wait = async () => undefined;
      return new ColdPacking({ db, now: () => now, packedTables, coldAfterDays, listApps, wait }).sweep();
    };

    test('lists open only the chunks in which there may be something, and answer as without', async () => {
      await assertComplete();
      const found: Awaited<ReturnType<typeof asked>>[] = [];
      for (const query of questions) found.push(await asked(query));
      assert.deepEqual([found[0]?.opened, found[5]?.opened], [0, 0]);
      const all = (await chunksOf(db, events.table)).length;
      assert.ok(all > 2);
      assert.ok((found[2]?.opened ?? all) < all && (found[3]?.opened ?? all) < all, JSON.stringify(found));
      await db.run(sql`delete from cold_summaries where app_id = ${app.appId}`);
      for (const [n, query] of questions.entries()) {
        const { text, opened } = await asked(query);
        assert.equal(text, found[n]?.text, JSON.stringify(query));
        assert.ok(opened >= (found[n]?.opened ?? 0));
      }
    });

    for (const coldAfterDays of [0, 40])
      test(`what an earlier version has packed gets it, and what it left of others goes, with a setting of ${coldAfterDays}`, async () => {
        const before = (await summaries()).map((row) => ({ ...row }));
        await db.run(
          sql`delete from cold_summaries where app_id = ${app.appId} and object_id > ${before[2]?.['object_id'] ?? ''}`,
        );
        await db.run(
          sql`update cold_summaries set object_id = 'gone' where app_id = ${app.appId} and object_id = ${before[0]?.['object_id'] ?? ''}`,
        );
        await sweep(coldAfterDays);
        await assertComplete();
        const kept = new Map((await summaries()).map((row) => [row['object_id'], { ...row }]));
        for (const row of before)
          if (kept.has(row['object_id'] ?? '')) assert.deepEqual(kept.get(row['object_id'] ?? ''), row);
      });

    test('nothing of it is left of who is erased, of what is too old, and of an app', async () => {
      const url = `/api/v2/installations/${installations[1]}`;
      const before = new Set((await summaries()).map((row) => row['object_id']));
      assert.equal((await app.send({ method: 'DELETE', url, headers: manager.headers })).status, 200);
      await app.app.idle();
      await assertComplete();
      const replaced = (await summaries()).filter((row) => !before.has(row['object_id'] ?? ''));
      assert.ok(replaced.length >= 4, 'chunks of hers are others now');
      const retentionDays = { ...defaultPolicy.retentionDays, logs: 100, visits: 900, events: 100, deliveries: 100 };
      await purgeTraces(db, packedTables, { appId: app.appId, policy: { ...defaultPolicy, retentionDays }, now });
      assert.ok((await chunks(db)).length > 0);
      await assertComplete();
      await emptyApp(db, app.appId);
      assert.deepEqual(await summaries(), []);
    });
  });
}
