import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';

/** Users and webhooks, which are no data of the interface, many at once. */

for (const database of databases) {
  describe(`users and webhooks, many at once on ${database}`, () => {
    let app: TestApp;
    let manager: Browser;
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' } });
      manager = await openConsole(app, 'manager');
    });
    afterAll(() => app.close());

    const send = (body: object, browser = manager) => {
      app.clock.now += 1_000;
      return browser.send({ method: 'POST', url: `/apps/${app.appId}/bulk`, body });
    };
    const bulk = async (body: object) => {
      const { status, body: answer } = await send(body);
      assert.equal(status, 200, JSON.stringify(answer));
      return answer.result;
    };
    let people = 0;
    const person = () =>
      create(app, '/api/v2/users', {
        firstname: 'Anna',
        lastname: 'Bell',
        email: `p${++people}@a.org`,
        password: 'long enough',
      });
    const user = async (id: string) =>
      (await manager.send({ method: 'GET', url: `/apps/${app.appId}/users/${id}` })).body.result;
    const audit = async (query = '') =>
      (await manager.send({ method: 'GET', url: `/audit?appId=${app.appId}${query}` })).body.results;
    const hook = async (description: string) => {
      const body = { url: 'http://127.0.0.1:9/pharos', events: ['presence.enter'], description };
      const url = `/apps/${app.appId}/webhooks`;
      return (await manager.send({ method: 'POST', url, body })).body.result.objectId as string;
    };
    const webhook = async (id: string) =>
      (await manager.send({ method: 'GET', url: `/apps/${app.appId}/webhooks/${id}` })).body.result;

    test('users are changed with one entry, in which each is found with what was before', async () => {
      const [ana, ben, eve] = [await person(), await person(), await person()];
      await app.app.users.changeUser({ appId: app.appId, userId: eve }, { disabled: true }, { by: undefined });
      const ids = [ana, ben, eve];
      const records = ids.map((objectId) => ({ objectId, seen: { disabled: false } }));
      const result = await bulk({ operation: 'changeAppUser', ids, change: { disabled: true }, records });
      assert.deepEqual(
        [result.done, result.failed.map(({ objectId, error }: Record<string, string>) => [objectId, error])],
        [[ana, ben], [[eve, 'PreconditionFailed']]],
      );
      assert.ok((await user(ana)).disabledAt && (await user(ben)).disabledAt);
      const again = await bulk({ operation: 'changeAppUser', ids, change: { disabled: true }, records });
      assert.deepEqual(
        [again.done, again.failed.map((one: { isAlready: boolean }) => one.isAlready)],
        [[], [true, true, true]],
      );
      const [entry, ...older] = await audit('&kind=many');
      assert.deepEqual([entry.action, entry.subject, older], ['many.change', '2 of Users', []]);
      assert.deepEqual(entry.after, { count: 2, ids: [ana, ben], change: { disabled: true } });
      const was = [ana, ben].map((objectId) => ({ objectId, disabled: false }));
      assert.deepEqual(entry.before, { was });
      assert.deepEqual(await audit('&kind=user'), [], 'and none for each');
      const back = [{ objectId: ana, seen: { disabled: true }, change: { disabled: false } }];
      assert.deepEqual((await bulk({ operation: 'changeAppUser', ids: [ana], records: back })).done, [ana]);
      assert.equal((await user(ana)).disabledAt, undefined);
      const about = async (id: string) => (await audit(`&about=${id}`)).map((one: { subject: string }) => one.subject);
      assert.deepEqual(await about(ana), ['1 of Users', '2 of Users']);
      assert.deepEqual(await about(ben), ['2 of Users']);
      assert.deepEqual([await about(eve), await about('%25')], [[], []]);
    });

    test('more than a hundred users are all named', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 3; n++) ids.push(await person());
      const unknown = Array.from({ length: 120 }, (_, n) => `none${n}`);
      const { done, failed } = await bulk({
        operation: 'changeAppUser',
        ids: [...unknown, ...ids],
        change: { disabled: true },
      });
      assert.deepEqual([done, failed.length], [ids, 120]);
      assert.deepEqual((await audit('&kind=many'))[0].after.ids, ids);
    });

    test('making managers takes a confirmation, and whoever may not change users changes none', async () => {
      const ids = [await person()];
      const change = { role: 'manager' };
      const names = async (browser: Browser, body: object) => (await send(body, browser)).body.error.name;
      for (const role of ['editor', 'analyst'] as const)
        assert.equal(
          await names(await openConsole(app, role), { operation: 'changeAppUser', ids, change }),
          'OperationForbidden',
        );
      const before = app.clock.now;
      app.clock.now += 6 * 60_000;
      assert.equal(await names(manager, { operation: 'changeAppUser', ids, change }), 'ConfirmationNeeded');
      const records = [{ objectId: ids[0], change }];
      assert.equal(await names(manager, { operation: 'changeAppUser', ids, records }), 'ConfirmationNeeded');
      assert.equal(await names(manager, { operation: 'changeAppUser', ids, change: { role: 'x' } }), 'ValidationError');
      app.clock.now = before;
      assert.equal((await user(ids[0] as string)).role, 'user');
      assert.deepEqual((await bulk({ operation: 'changeAppUser', ids, change })).done, ids);
    });

    test('of a change of many, nobody is told who the others are, and an erasure leaves them', async () => {
      const [ana, ben] = [await person(), await person()];
      await bulk({ operation: 'changeAppUser', ids: [ana, ben], change: { disabled: true } });
      const exported = await manager.send({ method: 'GET', url: `/apps/${app.appId}/users/${ana}/export` });
      const text = JSON.stringify(exported.body);
      assert.ok(text.includes('many.change') && text.includes(ana));
      assert.ok(!text.includes(ben), text);
      await manager.send({ method: 'DELETE', url: `/apps/${app.appId}/users/${ana}` });
      await app.app.idle();
      const [entry] = await audit('&kind=many');
      assert.deepEqual(entry.after.ids, ['erased', ben]);
      assert.deepEqual(entry.before.was[1], { objectId: ben, disabled: false });
      assert.ok(!JSON.stringify(entry).includes(ana));
    });

    test('webhooks are changed and deleted with one entry, unless somebody has changed them since', async () => {
      const [one, two] = [await hook('One'), await hook('Two')];
      const seen = { events: ['presence.enter'] };
      const url = `/apps/${app.appId}/webhooks/${two}`;
      await manager.send({ method: 'PUT', url, body: { events: ['visit.closed'] } });
      const change = { events: ['presence.exit'] };
      const records = [one, two].map((objectId) => ({ objectId, seen }));
      const result = await bulk({ operation: 'changeWebhook', ids: [one, two], change, records });
      assert.deepEqual([result.done, result.failed[0].objectId], [[one], two]);
      assert.deepEqual((await webhook(one)).events, ['presence.exit']);
      assert.deepEqual((await webhook(two)).events, ['visit.closed']);
      const [entry] = await audit();
      assert.deepEqual([entry.action, entry.subject, entry.after.change], ['many.change', '1 of Webhooks', change]);
      const gone = [one, two].map((objectId) => ({ objectId, seen: { events: ['presence.exit'] } }));
      const removed = await bulk({ operation: 'deleteWebhook', ids: [one, two], records: gone });
      assert.deepEqual([removed.done, removed.failed[0].error], [[one], 'PreconditionFailed']);
      assert.deepEqual((await audit())[0].before.ids, [one]);
      assert.equal((await webhook(two)).description, 'Two');
      const stale = { 'if-match': '"of nobody"' };
      assert.equal((await manager.send({ method: 'DELETE', url, headers: stale })).status, 412);
      const tag = (await manager.send({ method: 'GET', url })).headers['etag'] as string;
      assert.equal((await manager.send({ method: 'DELETE', url, headers: { 'if-match': tag } })).status, 200);
    });
  });
}
