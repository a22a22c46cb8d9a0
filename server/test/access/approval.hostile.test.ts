import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { service } from '../../src/access/audit.ts';
import { raw, sql } from '../../src/base/sql.ts';
import { insertPush } from '../../src/features/messages/push/store.ts';
import { ScriptedSender } from '../fakes/scripted-sender.ts';
import { buildApp, databases, type SignedIn, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { type Browser, openConsole } from '../support/console.ts';

const url = '/api/v2/push/notification';
const hour = 3_600_000;

for (const database of databases) {
  describe(`a push to many on ${database}`, () => {
    let app: TestApp;
    let fcm: ScriptedSender;
    let writer: Browser;
    let other: Browser;
    let manager: SignedIn;
    beforeAll(async () => {
      fcm = new ScriptedSender();
      app = await buildApp({ database, senders: [fcm.definition('fcm')] });
      await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
      manager = await signInManager(app);
      writer = await openConsole(app, 'editor');
      other = await openConsole(app, 'editor');
      for (let n = 0; n < 3; n++) await register(n);
    });
    afterAll(() => app.close());
    beforeEach(async () => {
      await policy({ enabled: true, above: 2 });
      await app.app.idle();
      for (const table of ['pushes', 'jobs', 'deliveries']) await app.storage.db.run(raw(`delete from ${table}`));
      fcm.calls.length = 0;
    });

    const policy = (approval: object) => app.app.apps.change(app.appId, { policy: { approval } });
    const register = (n: number, channels: string[] = []) =>
      app.send({
        method: 'POST',
        url: '/api/v2/installations',
        body: { installationId: `phone-${n}`, deviceType: 'android', deviceToken: `token-${n}`, channels },
      });
    const as = (browser: Browser, method: 'GET' | 'POST' | 'PUT', path = '', more: object = {}) =>
      browser.send({ method, url: `/apps/${app.appId}/v2/push/notification${path}`, ...more });
    const asUser = (user: SignedIn, method: 'GET' | 'POST', path: string, body?: object) =>
      app.send({ method, url: `${url}${path}`, headers: user.headers, ...(body ? { body } : {}) });
    const tonight = { data: { title: 'Tonight' } };
    async function send(body: object = tonight, by = writer): Promise<string> {
      app.clock.now += 1;
      const answer = await as(by, 'POST', '', { body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await app.app.idle();
      return `/${String(answer.headers['location']).split('/').at(-1)}`;
    }
    const get = async (id: string) => (await as(writer, 'GET', id)).body.result;
    const approve = async (id: string, by = other, headers: Record<string, string> = {}) => {
      const answer = await as(by, 'POST', `${id}/approve`, { headers });
      await app.app.idle();
      return answer;
    };
    const sent = () => fcm.calls.map(({ message }) => message.content.title);

    test('it waits until somebody who has not written it approves it', async () => {
      const id = await send();
      const waiting = await get(id);
      assert.deepEqual(
        [waiting.state, waiting.approval, waiting.audience],
        ['accepted', { state: 'waiting', above: 2 }, 0],
      );
      const own = await approve(id, writer);
      assert.deepEqual([own.status, own.body.code], [403, 119]);
      assert.match(own.body.error.error, /somebody else/);
      assert.deepEqual(sent(), []);
      const answer = await approve(id);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual([answer.body.result.approval.state, answer.body.result.approval.by], ['approved', other.email]);
      assert.deepEqual(sent(), ['Tonight', 'Tonight', 'Tonight']);
      assert.equal((await get(id)).state, 'done');
      const again = await approve(id);
      assert.deepEqual([again.status, again.body.code], [409, 139]);
      assert.equal(fcm.calls.length, 3);
    });

    test('one to few goes out at once, and so does one to many where nobody has asked for approval', async () => {
      await register(1, ['few']);
      await send({ ...tonight, where: { channels: 'few' } });
      assert.deepEqual(sent(), ['Tonight']);
      await policy({ enabled: false, above: 2 });
      const id = await send();
      assert.deepEqual([(await get(id)).approval, fcm.calls.length], [undefined, 4]);
    });

    test('rules that let no user send keep no administrator from approving and changing it', async () => {
      await app.app.apps.changeRules(app.appId, { resources: { pushes: { create: 'nobody' } } });
      try {
        const body = { ...tonight, sendAt: new Date(app.clock.now + hour).toISOString() };
        const id = await send(body);
        assert.equal((await approve(id)).status, 200);
        assert.equal((await as(other, 'PUT', id, { body })).status, 200);
      } finally {
        await app.app.apps.changeRules(app.appId, {});
      }
    });

    test('whoever changes it is an author too, and what was approved has to be approved again', async () => {
      const later = new Date(app.clock.now + hour).toISOString();
      const id = await send({ ...tonight, sendAt: later });
      assert.equal((await approve(id)).status, 200);
      assert.deepEqual(sent(), []);
      const changed = await as(other, 'PUT', id, { body: { data: { title: 'Other words' }, sendAt: later } });
      assert.equal(changed.body.result.approval.state, 'waiting', JSON.stringify(changed.body));
      assert.deepEqual([(await approve(id, other)).status, (await approve(id, writer)).status], [403, 403]);
      app.clock.now += hour + 1;
      await app.app.idle();
      assert.deepEqual(
        [sent(), (await get(id)).state],
        [[], 'accepted'],
        'its time has come, and nobody has approved it',
      );
      // It can still be mended, and goes out at once when it is approved.
      const third = await openConsole(app, 'owner');
      assert.equal((await approve(id, third)).status, 200);
      assert.deepEqual(sent(), ['Other words', 'Other words', 'Other words']);
    });

    test('an administrator and a user of the app with one address are one person', async () => {
      const user = await signInManager(app);
      await app.storage.db.run(sql`update users set email = ${writer.email}, email_key = ${writer.email}
        where object_id = ${user.userId}`);
      const id = await send();
      assert.equal((await asUser(user, 'POST', `${id}/approve`)).status, 403);
      const theirs = await asUser(user, 'POST', '', tonight);
      await app.app.idle();
      const own = String(theirs.headers['location']).split('/').at(-1);
      assert.equal((await approve(`/${own}`, writer)).status, 403);
      assert.equal((await asUser(manager, 'POST', `${id}/approve`)).status, 200);
    });

    test('and stay one person when the user takes another address, before or after it is written', async () => {
      writer = await openConsole(app, 'editor');
      const user = await signInManager(app);
      await app.storage.db.run(sql`update users set email = ${writer.email}, email_key = ${writer.email}
        where object_id = ${user.userId}`);
      const early = await send();
      const theirs = await asUser(user, 'POST', '', tonight);
      const body = { email: `other-${user.userId}@example.org`, currentPassword: 'correct horse' };
      const moved = await app.send({ method: 'PATCH', url: '/api/v2/users/me', headers: user.headers, body });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
      const late = await asUser(user, 'POST', '', tonight);
      await app.app.idle();
      assert.equal((await asUser(user, 'POST', `${early}/approve`)).status, 403);
      for (const sent of [theirs, late]) {
        const own = String(sent.headers['location']).split('/').at(-1);
        assert.equal((await approve(`/${own}`, writer)).status, 403);
        assert.equal((await approve(`/${own}`)).status, 200, 'by somebody else');
      }
    });

    test('what is changed while somebody reads it is not approved', async () => {
      writer = await openConsole(app, 'editor');
      other = await openConsole(app, 'editor');
      const id = await send();
      const read = await as(other, 'GET', id);
      await as(writer, 'PUT', id, { body: { data: { title: 'Not what was read' } } });
      const late = await approve(id, other, { 'if-match': String(read.headers['etag']) });
      assert.deepEqual([late.status, sent()], [412, []]);
      const now = await as(other, 'GET', id);
      assert.equal((await approve(id, other, { 'if-match': String(now.headers['etag']) })).status, 200);
      assert.deepEqual(sent(), ['Not what was read', 'Not what was read', 'Not what was read']);
    });

    test('one that nobody approves expires, and one that is cancelled cannot be approved', async () => {
      const id = await send({ ...tonight, expiresAt: new Date(app.clock.now + 60_000).toISOString() });
      const cancelled = await send();
      await as(writer, 'POST', `${cancelled}/cancel`);
      const refused = await approve(cancelled);
      assert.deepEqual([refused.status, refused.body.code], [409, 139]);
      app.clock.now += 60_001;
      assert.equal((await approve(id)).status, 409);
      await app.app.idle();
      const { state, problem } = await get(id);
      assert.deepEqual([state, problem], ['failed', 'It expired before somebody else had approved it.']);
      assert.deepEqual(sent(), []);
    });

    test('one whose audience has grown until its time comes waits then', async () => {
      await register(1, ['news']);
      const later = new Date(app.clock.now + hour).toISOString();
      const id = await send({ ...tonight, where: { channels: 'news' }, sendAt: later });
      assert.equal((await get(id)).approval, undefined);
      for (let n = 0; n < 3; n++) await register(n, ['news']);
      app.clock.now += hour + 1;
      await app.app.idle();
      assert.deepEqual([sent(), (await get(id)).approval], [[], { state: 'waiting', above: 2 }]);
      assert.equal((await approve(id)).status, 200);
      assert.equal(fcm.calls.length, 3);
    });

    test('through the interface a manager approves what another has sent, and a key is nobody', async () => {
      writer = await openConsole(app, 'editor');
      const sender = await signInManager(app);
      const answer = await asUser(sender, 'POST', '', tonight);
      const id = `/${String(answer.headers['location']).split('/').at(-1)}`;
      await app.app.idle();
      assert.deepEqual(sent(), []);
      const stranger = await signIn(app);
      assert.equal((await asUser(stranger, 'POST', `${id}/approve`)).status, 404);
      assert.equal((await asUser(sender, 'POST', `${id}/approve`)).status, 403);
      const approved = await asUser(manager, 'POST', `${id}/approve`);
      await app.app.idle();
      assert.deepEqual([approved.status, approved.body.result.approval.by], [200, manager.userId]);
      assert.equal(fcm.calls.length, 3);
    });

    test('an ordinary user does not learn from it how many her condition finds', async () => {
      for (let n = 0; n < 3; n++) await register(n, ['news']);
      const visitor = await signIn(app);
      const told = async (where: object, more: object = {}) => {
        const answer = await asUser(visitor, 'POST', '', { ...tonight, where, ...more });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        await app.app.idle();
        const id = `/${String(answer.headers['location']).split('/').at(-1)}`;
        const { state, approval } = (await asUser(visitor, 'GET', id)).body.result;
        return { id, said: JSON.stringify([state, approval]) };
      };
      const found = { channels: 'news' };
      const nobody = await told({ channels: 'nobody' });
      assert.equal((await told(found)).said, nobody.said);
      const own = { installationId: 'phone-0' };
      const either = (channels: string) => told({ $or: [own, { channels }] });
      assert.equal((await either('news')).said, (await either('nobody')).said);
      assert.deepEqual(sent(), []);
      // Whoever names few phones knows how few they are.
      for (const where of [own, { ...own, ...found }, { installationId: { $in: ['phone-1', 'phone-2'] } }])
        assert.equal((await told(where)).said, JSON.stringify(['done', null]));
      // When its time comes there are more phones, and still nothing is told of those that it finds.
      await policy({ enabled: true, above: 3 });
      const later = { sendAt: new Date(app.clock.now + hour).toISOString() };
      const [one, other] = [await told({ deviceType: 'android' }, later), await told({ channels: 'nobody' }, later)];
      const { objectId } = (await register(3, ['news'])).body.result;
      app.clock.now += hour + 1;
      await app.app.idle();
      await app.send({ method: 'DELETE', url: `/api/v2/installations/${objectId}`, headers: manager.headers });
      const seen = async ({ id }: { readonly id: string }) => {
        const { state, approval } = (await asUser(visitor, 'GET', id)).body.result;
        return [state, approval];
      };
      assert.deepEqual(await seen(one), await seen(other));
    });

    test('whoever has made a key does not approve what it sends', async () => {
      const maker = await openConsole(app, 'owner');
      const scopes = [{ resource: 'pushes', verbs: ['create'] }];
      const key = await maker.send({
        method: 'POST',
        url: `/apps/${app.appId}/secret-keys`,
        body: { name: 'Server', scopes },
      });
      assert.equal(key.status, 201, JSON.stringify(key.body));
      const headers = { 'x-service-appkey': key.body.result.secretKey };
      const answer = await app.send({ method: 'POST', url, headers, body: tonight });
      const id = `/${String(answer.headers['location']).split('/').at(-1)}`;
      const own = await approve(id, maker);
      assert.deepEqual([own.status, sent()], [403, []]);
      assert.equal((await approve(id)).status, 200);
      assert.equal(fcm.calls.length, 3);
    });

    test('home names those that wait to everybody who may send', async () => {
      writer = await openConsole(app, 'editor');
      const analyst = await openConsole(app, 'analyst');
      const id = await send();
      const found = async (browser: Browser) => {
        const { body } = await browser.send({ method: 'GET', url: `/apps/${app.appId}/attention` });
        return body.result.findings.flatMap(({ kind, key }: { kind: string; key: string }) =>
          kind === 'approval' ? key : [],
        );
      };
      assert.deepEqual(await found(writer), [`approval ${id.slice(1)}`]);
      assert.deepEqual(await found(analyst), []);
      // However many come after it, it is told until somebody has decided.
      const { db } = app.storage;
      const [first] = await db.all<
        Parameters<typeof insertPush>[1]
      >(sql`select app_id as "appId", data, audience, language,
        translations, user_id as "userId", approval, authors, send_at as "sendAt", expires_at as "expiresAt", created_at as now from pushes`);
      assert.ok(first);
      for (let n = 10; n < 35; n++) await insertPush(db, { ...first, pushId: `zzzz${n}` });
      assert.ok((await found(writer)).includes(`approval ${id.slice(1)}`));
      await db.run(sql`delete from pushes where object_id like 'zzzz%'`);
      await as(writer, 'POST', `${id}/cancel`);
      assert.deepEqual(await found(writer), []);
    });
  });
}
