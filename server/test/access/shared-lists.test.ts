import assert from 'node:assert/strict';
import { parseOrder, parseWhereValue, queryToSql } from '@pharos/query';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { raw, type Sql, sql } from '../../src/base/sql.ts';
import { BucketDirectory } from '../../src/features/data/buckets/definition/directory.ts';
import { buildApp, databases, type SignedIn, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';

/** Records that are shared with several users, by a list in a member of theirs. */

const url = '/api/v2/data/bucket/notes';
const shared = { $or: [{ createdBy: '$auth.userId' }, { 'metadata.sharedWith': { $in: ['$auth.userId'] } }] };

for (const database of databases) {
  describe(`records that are shared with a list of users on ${database}`, () => {
    let app: TestApp;
    let anna: SignedIn;
    let ben: SignedIn;
    let manager: SignedIn;
    let bucketId: string;
    beforeAll(async () => {
      app = await buildApp({ database });
      [anna, ben, manager] = [await signIn(app), await signIn(app), await signInManager(app)];
      await app.app.buckets.createBucket(app.appId, 'notes');
      await app.app.apps.changeRules(app.appId, {
        buckets: { notes: { list: shared, get: shared, create: 'user', update: 'owner', delete: 'owner' } },
      });
      const row = await app.storage.db.one<{ object_id: string }>(sql`select object_id from buckets`);
      bucketId = row?.object_id ?? '';
      // More than are worth learning for; every 300th is Anna's to read.
      await fill(600, sql`case when n % 300 = 0 then ${anna.userId} else 'somebody' end`);
      await askOften();
    });
    afterAll(() => app.close());

    const { send } = {
      send: (by: SignedIn, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) =>
        app.send({ method, url: url + path, headers: by.headers, ...(body ? { body } : {}) }),
    };
    /** Records `n` = 1 … `count`, of which each is shared with `value`, an expression of `n`. */
    async function fill(count: number, value: Sql) {
      const { db } = app.storage;
      await db.run(sql`insert into records (app_id, bucket_id, object_id, doc, created_at, updated_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
        select ${app.appId}, ${bucketId}, 'note' || cast(1000000 + n as text),
          '{"sharedWith":["nobody","' || ${value} || '"]}', n, n from numbers`);
    }
    async function askOften() {
      for (let times = 0; times < 20; times++) await send(anna, 'GET', '');
      await app.app.idle();
    }
    const ids = async (by: SignedIn, query = '') =>
      (await send(by, 'GET', `?limit=1000${query}`)).body.results.map(({ objectId }: { objectId: string }) => objectId);
    const slots = async () =>
      JSON.parse((await app.storage.db.one<{ slots: string }>(raw('select slots from buckets')))?.slots ?? '[]');
    const rows = (objectId: string) =>
      app.storage.db.all<{ value: string }>(
        sql`select value from record_lists where object_id = ${objectId} order by value`,
      );

    test('the list is learned, and answers are what they were', async () => {
      const [slot] = await slots();
      assert.deepEqual([slot.column, slot.type, slot.state, slot.exact], ['sharedWith', 'List', 'ready', true]);
      const hers = ['note1000300', 'note1000600'];
      assert.deepEqual(await ids(anna), hers);
      assert.equal((await send(anna, 'GET', '?count=1&limit=0')).body.count, 2);
      assert.deepEqual(await ids(ben), []);
      assert.equal((await send(ben, 'GET', `/${hers[0]}`)).status, 404);
      const where = (condition: object) => `&where=${encodeURIComponent(JSON.stringify(condition))}`;
      assert.deepEqual(await ids(manager, where({ 'metadata.sharedWith': anna.userId })), hers);
      assert.equal((await ids(manager, where({ 'metadata.sharedWith': { $ne: anna.userId } }))).length, 598);
      assert.equal((await ids(manager, where({ 'metadata.sharedWith': ['nobody', anna.userId] }))).length, 2);
      const both = { $or: [{ 'metadata.sharedWith': anna.userId }, { 'metadata.title': 'none' }] };
      assert.deepEqual(await ids(manager, where(both)), hers, 'beside what no index answers');
    });

    test('what is shared, taken back, handed over and deleted counts at once', async () => {
      const list = (...people: SignedIn[]) => ({ metadata: { sharedWith: people.map(({ userId }) => userId) } });
      const objectId = await create(app, url, list(anna), ben.headers);
      assert.ok((await ids(anna)).includes(objectId) && (await ids(ben)).includes(objectId));
      assert.equal((await send(ben, 'PUT', `/${objectId}`, list())).status, 200);
      assert.ok(!(await ids(anna)).includes(objectId));
      assert.equal((await send(ben, 'PUT', `/${objectId}`, { metadata: { sharedWith: anna.userId } })).status, 200);
      assert.ok((await ids(anna)).includes(objectId), 'a text is a list of one');
      assert.deepEqual(await rows(objectId), [{ value: anna.userId }]);
      assert.equal((await send(ben, 'DELETE', `/${objectId}`)).status, 200);
      assert.deepEqual([await rows(objectId), (await ids(anna)).includes(objectId)], [[], false]);
    });

    test('it is shared with a role, or with those of a venue, in the same list', async () => {
      const groups = ['$auth.userId', '$auth.role', '$auth.venues'];
      const withGroups = { $or: [{ createdBy: '$auth.userId' }, { 'metadata.sharedWith': { $in: groups } }] };
      const rules = { list: withGroups, get: withGroups, create: 'user', update: 'owner', delete: 'owner' } as const;
      await app.app.apps.changeRules(app.appId, { buckets: { notes: rules } });
      const venue = await create(app, '/api/v2/venues', { name: 'North' }, manager.headers);
      await app.app.users.changeUser(
        { appId: app.appId, userId: anna.userId },
        { venueIds: [venue] },
        { by: undefined },
      );
      const make = (sharedWith: readonly string[]) => create(app, url, { metadata: { sharedWith } }, manager.headers);
      const [ofRole, ofVenue, ofNobody] = [await make(['user']), await make([venue]), await make(['manager'])];
      const seenBy = async (by: SignedIn) => {
        const listed = await ids(by);
        const found: string[] = [];
        for (const id of [ofRole, ofVenue, ofNobody]) {
          const { status } = await send(by, 'GET', `/${id}`);
          assert.equal(status, listed.includes(id) ? 200 : 404);
          if (status === 200) found.push(id);
        }
        return found;
      };
      assert.deepEqual(await seenBy(anna), [ofRole, ofVenue]);
      assert.deepEqual(await seenBy(ben), [ofRole]);
      for (const id of [ofRole, ofVenue, ofNobody]) await send(manager, 'DELETE', `/${id}`);
      await app.app.apps.changeRules(app.appId, {
        buckets: { notes: { list: shared, get: shared, create: 'user', update: 'owner', delete: 'owner' } },
      });
    });

    test('a list that no index can hold makes the documents be read', async () => {
      const tooMany = { metadata: { sharedWith: [anna.userId, ...Array.from({ length: 501 }, (_, n) => `u${n}`)] } };
      const objectId = await create(app, url, tooMany, ben.headers);
      assert.equal((await slots())[0].exact, false);
      assert.ok((await ids(anna)).includes(objectId));
      assert.equal((await send(ben, 'DELETE', `/${objectId}`)).status, 200);
    });

    test('among 100,000 records the index of the list leads to them', async () => {
      const { db } = app.storage;
      await db.run(sql`delete from records`);
      const list = { slot: 'l1', column: 'sharedWith', type: 'List', state: 'ready', exact: true, learned: true };
      await db.run(sql`update buckets set slots = ${JSON.stringify([list])}, version = version + 1`);
      await fill(100_000, sql`'u' || cast(n % 2000 as text)`);
      await db.run(sql`insert into record_lists (app_id, bucket_id, slot, value, object_id)
        select app_id, bucket_id, 'l1', 'u' || cast(created_at % 2000 as text), object_id from records`);
      const isPostgres = database === 'postgres';
      if (isPostgres) await db.run(raw('analyze'));
      const directory = new BucketDirectory(db, { onChange: () => undefined } as never);
      const bucket = await directory.reload(app.appId, 'notes');
      assert.ok(bucket);
      const asked = [
        { 'metadata.sharedWith': { $in: ['u7', 'u8'] } },
        {
          $or: [
            { createdBy: { __type: 'Pointer', className: '_User', objectId: 'u7' } },
            { 'metadata.sharedWith': 'u7' },
          ],
        },
      ];
      for (const [index, given] of asked.entries()) {
        const where = parseWhereValue(given, bucket.lookup);
        const order = parseOrder(undefined, bucket.lookup, 'objectId');
        const { condition, orderBy } = queryToSql({ where, order }, db.dialect.where);
        const statement = sql`select object_id from records where app_id = ${app.appId} and bucket_id = ${bucketId}
          and ${condition} order by ${orderBy} limit 1000`;
        const found = await db.all<{ object_id: string }>(statement);
        assert.equal(found.length, index === 0 ? 100 : 50);
        const plan = JSON.stringify(
          await db.all(isPostgres ? sql`explain ${statement}` : sql`explain query plan ${statement}`),
        );
        if (isPostgres) {
          assert.match(plan, /Index[^"]*Scan using record_lists_pkey/);
          assert.match(plan, /Index[^"]*Scan using records_pkey[^"]*|Bitmap Index Scan on records_pkey/);
          assert.match(plan, /object_id = ANY/);
          assert.doesNotMatch(plan, /Seq Scan on record/);
        } else {
          assert.match(plan, /SEARCH record_lists [^"]*\(app_id=\? AND bucket_id=\? AND slot=\? AND value=\?\)/);
          assert.match(plan, /SEARCH records USING [^"]*\(app_id=\? AND bucket_id=\? AND object_id=\?\)/);
          assert.doesNotMatch(plan, /SCAN record/);
        }
      }
    });
  });
}
