import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { service } from '../../src/access/audit.ts';
import { raw } from '../../src/base/sql.ts';
import { ScriptedSender } from '../fakes/scripted-sender.ts';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from '../support/build-app.ts';
import { type Browser, openConsole } from '../support/console.ts';

const hour = 3_600_000;

for (const database of databases) {
  describe(`a push that was cancelled before its time on ${database}`, () => {
    let app: TestApp;
    let visitor: SignedIn;
    let editor: Browser;
    let other: Browser;
    let fcm: ScriptedSender;
    beforeAll(async () => {
      fcm = new ScriptedSender();
      app = await buildApp({ database, senders: [fcm.definition('fcm')] });
      await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
      visitor = await signIn(app);
      editor = await openConsole(app, 'editor');
      other = await openConsole(app, 'editor');
      for (const n of [1, 2])
        await app.send({
          method: 'POST',
          url: '/api/v2/installations',
          body: { installationId: `phone-${n}`, deviceType: 'android', deviceToken: `token-${n}`, channels: [`c${n}`] },
        });
    });
    afterAll(() => app.close());
    beforeEach(async () => {
      await approval({ enabled: false, above: 2 });
      await app.app.idle();
      for (const table of ['pushes', 'jobs', 'deliveries']) await app.storage.db.run(raw(`delete from ${table}`));
      fcm.calls.length = 0;
    });

    const approval = (value: object) => app.app.apps.change(app.appId, { policy: { approval: value } });
    const data = { title: 'Tonight' };
    const inAnHour = () => new Date(app.clock.now + hour).toISOString();
    const push = (method: 'GET' | 'POST' | 'PUT', path = '', body?: object) =>
      editor.send({ method, url: `/apps/${app.appId}/v2/push/notification${path}`, ...(body ? { body } : {}) });
    async function send(body: object): Promise<string> {
      app.clock.now += 1;
      const answer = await push('POST', '', body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await app.app.idle();
      return String(answer.headers['location']).split('/').at(-1) ?? '';
    }
    const get = async (id: string) => (await push('GET', `/${id}`)).body.result;
    const cancel = (id: string) => push('POST', `/${id}/cancel`);
    const resume = (id: string, by = editor) =>
      by.send({ method: 'POST', url: `/apps/${app.appId}/pushes/${id}/resume` });
    const later = async () => {
      app.clock.now += hour;
      await app.app.idle();
    };

    test('waits again, is sent once at its time, and is in the audit', async () => {
      const id = await send({ data, sendAt: inAnHour() });
      const before = await get(id);
      await cancel(id);
      const resumed = await resume(id);
      assert.equal(resumed.status, 200, JSON.stringify(resumed.body));
      const { updatedAt: _, ...rest } = await get(id);
      const { updatedAt: __, ...was } = before;
      assert.deepEqual(rest, was);
      assert.deepEqual(fcm.calls, []);
      await later();
      assert.equal((await get(id)).state, 'done');
      assert.equal(fcm.calls.length, 2);
      const owner = await openConsole(app, 'owner');
      const { results } = (await owner.send({ method: 'GET', url: '/audit' })).body;
      const entry = results.find(({ action }: { action: string }) => action === 'push.resume');
      assert.deepEqual([entry.subject, entry.actor], [id, editor.email]);
    });

    test('goes out when the job that would have sent it is gone', async () => {
      const id = await send({ data, sendAt: inAnHour() });
      await cancel(id);
      // Another node, whose clock is ahead, has found it cancelled.
      await app.storage.db.run(raw('delete from jobs'));
      assert.equal((await resume(id)).status, 200);
      await later();
      assert.equal((await get(id)).state, 'done');
      assert.equal(fcm.calls.length, 2);
    });

    test('can be cancelled and taken back again, and taking back twice is fine', async () => {
      const id = await send({ data, sendAt: inAnHour() });
      for (let n = 0; n < 2; n++) {
        await cancel(id);
        assert.deepEqual(
          (await Promise.all([resume(id), resume(id, other)])).map(({ status }) => status),
          [200, 200],
        );
      }
      await later();
      assert.equal(fcm.calls.length, 2);
    });

    test('stays cancelled if its time has come in between, or if sending had begun', async () => {
      const late = await send({ data, sendAt: inAnHour() });
      await cancel(late);
      await later();
      const refused = await resume(late);
      assert.deepEqual([refused.status, refused.body.code], [409, 139]);
      assert.match(refused.body.error.error, /time has come/);
      assert.equal((await get(late)).state, 'cancelled');

      const gate = Promise.withResolvers<void>();
      fcm.script = async () => {
        await gate.promise;
        return { outcome: 'sent' };
      };
      const answer = await push('POST', '', { data });
      const begun = String(answer.headers['location']).split('/').at(-1) ?? '';
      await cancel(begun);
      assert.equal((await resume(begun)).status, 409);
      gate.resolve();
      await app.app.idle();
      fcm.script = () => ({ outcome: 'sent' });
    });

    test('stays cancelled when recipients had been found before its time, by a node whose clock is ahead', async () => {
      const id = await send({ data, sendAt: inAnHour() });
      await cancel(id);
      await app.storage.db.run(raw(`update pushes set expanded_to = 'somebody'`));
      assert.equal((await resume(id)).status, 409);
    });

    test('still waits for the second person for whom it waited, and no longer than before', async () => {
      await approval({ enabled: true, above: 1 });
      const id = await send({ data });
      await cancel(id);
      assert.equal((await resume(id)).status, 200);
      assert.equal((await get(id)).approval.state, 'waiting');
      await app.app.idle();
      assert.deepEqual(fcm.calls, []);
      const own = await push('POST', `/${id}/approve`);
      assert.equal(own.status, 403);
      const url = `/apps/${app.appId}/v2/push/notification/${id}/approve`;
      assert.equal((await other.send({ method: 'POST', url })).status, 200);
      await app.app.idle();
      assert.equal(fcm.calls.length, 2);

      const left = await send({ data, expiresAt: inAnHour() });
      await cancel(left);
      await resume(left);
      await later();
      const { state, problem } = await get(left);
      assert.deepEqual([state, /expired before/.test(problem)], ['failed', true]);
    });

    test('is checked for approval as before if its sender must not learn the size of its audience', async () => {
      await approval({ enabled: true, above: 2 });
      const body = { data, where: { channels: 'c1' }, sendAt: inAnHour() };
      const headers = visitor.headers;
      const sent = await app.send({ method: 'POST', url: '/api/v2/push/notification', headers, body });
      const id = String(sent.headers['location']).split('/').at(-1) ?? '';
      assert.equal((await get(id)).approval, undefined);
      await cancel(id);
      await resume(id);
      // There are more than it may reach by now, though it finds one: waiting must not tell that.
      await app.send({
        method: 'POST',
        url: '/api/v2/installations',
        body: { installationId: 'phone-3', deviceType: 'android', deviceToken: 'token-3' },
      });
      await later();
      assert.deepEqual([(await get(id)).approval?.state, fcm.calls], ['waiting', []]);
    });

    test('can be resumed only by administrators who may send, and in the same app', async () => {
      const id = await send({ data, sendAt: inAnHour() });
      await cancel(id);
      const analyst = await openConsole(app, 'analyst');
      assert.equal((await resume(id, analyst)).status, 403);
      assert.equal((await resume('nothing')).status, 404);
      assert.equal((await get(id)).state, 'cancelled');
    });
  });
}
