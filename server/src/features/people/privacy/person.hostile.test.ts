import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases, type SignedIn, signIn, signInManager, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import {
  fill,
  filled,
  type KnownPerson,
  openKnownPerson,
  tableOf,
  withPerson,
} from '../../../../test/support/sites/known-person.ts';
import { service } from '../../../access/audit.ts';
import { raw, sql } from '../../../base/sql.ts';

/** What is exported of a person, and erased: all of it, and nothing of anybody else. */

for (const database of databases) {
  describe(`what is known of a person on ${database}`, () => {
    let person: KnownPerson;
    let app: TestApp;
    let vera: SignedIn;
    let phone: string;
    beforeEach(async () => {
      person = await openKnownPerson(database);
      ({ app, vera, phone } = person);
    });
    afterEach(() => person.close());

    test('is all exported, and all that is exported is erased', async () => {
      const other = await signIn(app);
      const theirs = await create(
        app,
        '/api/v2/installations',
        { installationId: 'x', deviceType: 'ios' },
        other.headers,
      );
      await person.fillAll(person.hers());
      await person.fillAll({ installationId: theirs, userId: other.userId, at: app.clock.now, mark: 'theirs' });
      app.clock.now += 1_000;

      const document = await person.exported();
      assert.deepEqual(
        [document.format, document.userId, document.installationIds],
        ['pharos-person', vera.userId, [phone]],
      );
      const silent = ['jobs', 'live_events', 'list_changes'];
      for (const { name } of withPerson) {
        if (silent.includes(name) || name === 'erasures') continue;
        assert.ok(document[name]?.length > 0, `${name} is not exported`);
        assert.ok(!JSON.stringify(document[name]).includes(other.userId), `${name} of somebody else is exported`);
      }
      assert.deepEqual([document.webhooks.length, document.webhooks[0].calls], [1, 1]);
      const stored = await app.storage.db.one<{ password_hash: string }>(
        sql`select password_hash from users where object_id = ${vera.userId}`,
      );
      assert.ok(!JSON.stringify(document).includes(stored?.password_hash ?? ''), 'no secrets');

      const erasureId = await person.erase();
      assert.equal((await person.receipt(erasureId)).completedAt, null);
      await app.app.idle();
      assert.deepEqual(await person.tablesNaming(vera.userId), []);
      assert.deepEqual(await person.tablesNaming(phone), []);
      const { erased, completedAt, kind, askedBy, webhooks } = await person.receipt(erasureId);
      assert.ok(completedAt);
      assert.deepEqual([kind, askedBy, webhooks.length], ['user', 'person', 1]);
      for (const { name } of filled) assert.ok(erased[name] > 0, `${name} is not counted`);
      for (const { name } of filled) {
        const rows = await app.storage.db.all(raw(`select * from ${name}`));
        const text = JSON.stringify(rows);
        assert.ok(text.includes(other.userId) || text.includes(theirs), `${name} of somebody else is gone`);
      }
    });

    test('what she has written goes with her, and what of it was to be sent is cancelled', async () => {
      const mark = 'AureliaFindable';
      const [other, manager] = [await signIn(app), await signInManager(app)];
      const register = (installationId: string, { headers }: SignedIn) =>
        create(app, '/api/v2/installations', { installationId, deviceType: 'ios' }, headers);
      const theirs = await register('theirs', other);
      const hers = await register(`phone of ${mark}`, vera);
      const push = async (who: SignedIn, sendAt?: number) => {
        const when = sendAt === undefined ? {} : { sendAt: new Date(sendAt).toISOString() };
        const body = { data: { title: mark, alert: mark }, ...when };
        const sent = await app.send({ method: 'POST', url: '/api/v2/push/notification', body, headers: who.headers });
        assert.equal(sent.status, 200, sent.raw.toString());
      };
      await push(vera);
      await app.app.idle();
      await push(vera, app.clock.now + 3_600_000);
      assert.deepEqual((await person.tablesNaming(mark)).sort(), ['installations', 'pushes']);
      const erasureId = await person.erase();
      await app.app.idle();
      assert.deepEqual(await person.tablesNaming(mark), []);
      assert.deepEqual(await person.tablesNaming(hers), []);
      const { erased } = await person.receipt(erasureId);
      assert.deepEqual([erased.installations, erased.pushes], [2, 2]);
      app.clock.now += 2 * 3_600_000;
      await app.app.idle();
      const reports = await app.storage.db.all<{ installation_id: string; state: string }>(
        raw('select installation_id, state from deliveries'),
      );
      assert.deepEqual(
        reports.map(({ installation_id, state }) => [installation_id, state === 'queued']),
        [[theirs, false]],
        'only what had gone out, to others',
      );
      // What a manager sends is the house's.
      await push(manager);
      const gone = await app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: manager.headers });
      assert.equal(gone.status, 200);
      await app.app.idle();
      assert.deepEqual(await person.tablesNaming(mark), ['pushes']);
      assert.deepEqual(await person.tablesNaming(manager.userId), []);
    });

    test('of an installation without an account, an administrator exports and erases', async () => {
      const nobodys = await create(app, '/api/v2/installations', { installationId: 'nobodys', deviceType: 'ios' });
      await person.fillAll({ ...person.hers(), installationId: nobodys, mark: 'nobodys' });
      const console = await openConsole(app, 'manager');
      const at = `/apps/${app.appId}`;
      const answer = await console.send({ method: 'GET', url: `${at}/installations/${nobodys}/export` });
      assert.equal(answer.body.visits.length, 1);
      const gone = await console.send({ method: 'DELETE', url: `${at}/v2/installations/${nobodys}` });
      assert.equal(gone.status, 200);
      await app.app.idle();
      assert.deepEqual(await person.tablesNaming(nobodys), []);
      const [first] = (await console.send({ method: 'GET', url: `${at}/erasures` })).body.result;
      assert.deepEqual([first.kind, first.askedBy, first.erased.visits], ['installation', 'request', 1]);
    });

    test('what the former holder of a phone did is not exported', async () => {
      const before = app.clock.now - 60_000;
      await fill(app, tableOf('visits'), { ...person.hers(), at: before, mark: 'earlier' });
      await fill(app, tableOf('visits'), person.hers());
      await app.storage.db.run(sql`update installations set held_since = ${app.clock.now} where object_id = ${phone}`);
      assert.equal((await person.exported()).visits.length, 1);
    });

    test('nothing about other people is exported with it', async () => {
      const console = await openConsole(app, 'manager');
      const users = `/apps/${app.appId}/users/${vera.userId}`;
      for (const role of ['manager', 'user'])
        assert.equal((await console.send({ method: 'PUT', url: users, body: { role } })).status, 200);
      const [manager, other] = [await signInManager(app), await signIn(app)];
      await create(app, '/api/v2/installations', { installationId: 'others', deviceType: 'ios' }, other.headers);
      const push = async (where: object, { headers }: Pick<SignedIn, 'headers'>) => {
        const body = { where, data: { title: 'Hello' } };
        const sent = await app.send({ method: 'POST', url: '/api/v2/push/notification', body, headers });
        assert.equal(sent.status, 200, JSON.stringify(sent.body));
      };
      const pointers = [vera, other].map(({ userId: objectId }) => ({
        __type: 'Pointer',
        className: '_User',
        objectId,
      }));
      await push({ userId: { $in: pointers } }, manager);
      await push({ deviceType: 'ios' }, vera);
      await app.app.idle();
      const before = app.clock.now - 60_000;
      await fill(app, tableOf('webhook_deliveries'), {
        ...person.hers(),
        userId: 'former',
        at: before,
        mark: 'earlier',
      });
      await app.storage.db.run(sql`update installations set held_since = ${app.clock.now} where object_id = ${phone}`);

      const document = await person.exported();
      assert.deepEqual(
        [document.webhooks, document.webhook_deliveries],
        [[], []],
        'what was sent about the former holder',
      );
      assert.equal(document.pushes.length, 1);
      assert.equal(document.pushes[0].audience ?? null, null, 'it would tell how many others there are');
      assert.ok(document.deliveries.length > 0);
      assert.ok(document.audit.length > 0);
      const text = JSON.stringify(document);
      assert.ok(!text.includes(other.userId));
      for (const { actor, address } of document.audit) assert.deepEqual([actor, address], [undefined, undefined]);
    });

    test('what rules hide from her in her own records is exported by administrators only', async () => {
      await app.app.buckets.createBucket(app.appId, 'complaints');
      const members = { 'metadata.note': { hidden: ['user'] } } as const;
      await app.app.apps.changeRules(app.appId, {
        buckets: { complaints: { members } },
        resources: { installations: { members: { appName: { hidden: ['user'] } } } },
      });
      const bucket = '/api/v2/data/bucket/complaints';
      const objectId = await create(app, bucket, { metadata: { text: 'Too loud' } }, vera.headers);
      const console = await openConsole(app, 'manager');
      const records = `/apps/${app.appId}/v2/data/bucket/complaints`;
      const write = async (path: string, body: object) => {
        const answer = await console.send({ method: 'PATCH', url: path, body });
        assert.equal(answer.status, 200, answer.raw.toString());
      };
      for (const note of ['is never content', 'is rarely content'])
        await write(`${records}/${objectId}`, { metadata: { note } });
      await write(`/apps/${app.appId}/v2/installations/${phone}`, { appName: 'inner circle' });
      const ofAdministrator = await console.send({
        method: 'GET',
        url: `/apps/${app.appId}/users/${vera.userId}/export`,
      });
      const [all, own] = [ofAdministrator.raw.toString(), await person.exported()];
      for (const hidden of ['never content', 'rarely content', 'inner circle']) {
        assert.ok(all.includes(hidden), hidden);
        assert.ok(!JSON.stringify(own).includes(hidden), hidden);
      }
      assert.deepEqual(own.records[0].doc, { text: 'Too loud' });
      assert.deepEqual(own.withheld, ['installations', 'records', 'versions', 'trash']);
      assert.ok(own.versions.length > 0);
      const notice = await console.send({ method: 'GET', url: `/apps/${app.appId}/privacy` });
      assert.match(notice.raw.toString(), /without what the app does not show/);
      await console.send({ method: 'DELETE', url: `${records}/${objectId}` });
      const later = await person.exported();
      assert.deepEqual([later.trash.length, JSON.stringify(later).includes('rarely content')], [1, false]);
      const another = await create(app, bucket, { metadata: { text: 'Too dark' } }, vera.headers);
      await write(`${records}/${another}`, { metadata: { note: 'was never content' } });
      const buckets = `/apps/${app.appId}/buckets/complaints`;
      const gone = await console.send({ method: 'DELETE', url: buckets });
      assert.equal(gone.status, 200, gone.raw.toString());
      const last = await person.exported();
      assert.deepEqual(last.records[0].doc, { text: 'Too dark' }, 'records wait for a bucket in the trash');
    });

    test('two apps do not erase each other’s', async () => {
      const { appId } = await app.app.apps.create('Other', service);
      await person.fillAll(person.hers());
      await app.storage.db.run(sql`update visits set app_id = ${appId}`);
      await person.erase();
      await app.app.idle();
      assert.equal((await app.storage.db.all(raw('select * from visits'))).length, 1);
    });
  });
}
