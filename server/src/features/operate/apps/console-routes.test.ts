import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, signIn, type TestApp } from '../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { defaultPolicy, newAppPolicy } from '../../../access/policy.ts';

for (const database of databases) {
  describe(`apps in the console on ${database}`, () => {
    let app: TestApp;
    let browser: Browser;
    beforeAll(async () => {
      app = await buildApp({ database });
      browser = await openConsole(app, 'manager');
    });
    afterAll(() => app.close());

    const create = async (name = 'Guide') =>
      (await browser.send({ method: 'POST', url: '/apps', body: { name } })).body.result;
    const call = (credentials: { appId: string; appKey: string }) =>
      app.send({
        method: 'GET',
        url: '/api/v2/users',
        headers: { 'x-service-appid': credentials.appId, 'x-service-appkey': credentials.appKey },
      });

    test('a new app works with the credentials that are shown once', async () => {
      const made = await create();
      assert.equal((await call(made)).status, 200);
      const shown = await browser.send({ method: 'GET', url: `/apps/${made.appId}` });
      assert.deepEqual(shown.body.result.policy, { ...defaultPolicy, ...newAppPolicy.specification });
      const list = await browser.send({ method: 'GET', url: '/apps' });
      assert.ok(list.body.results.some(({ appId }: { appId: string }) => appId === made.appId));
      const keys = await browser.send({ method: 'GET', url: `/apps/${made.appId}/keys` });
      assert.equal(keys.body.results[0].hint, made.appKey.slice(-4));
      for (const answer of [shown, list, keys]) assert.ok(!JSON.stringify(answer.body).includes(made.appKey));
    });

    test('name, policy, limits and time zone are changed, and broken rules are refused', async () => {
      const { appId } = await create();
      const change = (body: unknown) => browser.send({ method: 'PUT', url: `/apps/${appId}`, body });
      const rateLimit = { enabled: true, perSecond: 5, burst: 10 };
      const done = await change({ name: 'Tour', policy: { push: 'manager', timeZone: 'Europe/Vienna', rateLimit } });
      assert.equal(done.status, 200);
      assert.deepEqual(done.body.result.policy, {
        ...defaultPolicy,
        ...newAppPolicy.specification,
        push: 'manager',
        timeZone: 'Europe/Vienna',
        rateLimit,
      });
      assert.equal(done.body.result.name, 'Tour');
      const cases: readonly (readonly [object, string])[] = [
        [{ name: '' }, 'name'],
        [{ name: 'x'.repeat(101) }, 'name'],
        [{ name: null }, 'name'],
        [{ disabled: 'yes' }, 'disabled'],
        [{ policy: [] }, 'policy'],
        [{ policy: { push: 'everyone' } }, 'push'],
        [{ policy: { timeZone: 'Mars/Base' } }, 'timeZone'],
        [{ policy: { timeZone: '+02:00' } }, 'timeZone'],
        [{ policy: { consentTexts: { version: '', messages: 'May we?' } } }, 'consentTexts.version'],
        [
          { policy: { consentTexts: { version: '1', translations: { deutsch: {} } } } },
          'consentTexts.translations.deutsch',
        ],
        [{ policy: { tokenDays: 0 } }, 'tokenDays'],
        [{ policy: { rateLimit: { enabled: true, perSecond: 0, burst: 1 } } }, 'rateLimit.perSecond'],
      ];
      for (const [body, field] of cases) {
        const refused = await change(body);
        assert.deepEqual([refused.status, refused.body.code, refused.body.error.details[0].field], [400, 142, field]);
      }
      const after = await browser.send({ method: 'GET', url: `/apps/${appId}` });
      assert.deepEqual(after.body.result, done.body.result, 'nothing of a refused change was written');
    });

    test('a disabled app is refused at once and works again when enabled', async () => {
      const made = await create();
      const set = (disabled: boolean) =>
        browser.send({ method: 'PUT', url: `/apps/${made.appId}`, body: { disabled } });
      assert.equal((await call(made)).status, 200);
      assert.equal((await set(true)).body.result.disabled, true);
      assert.equal((await call(made)).status, 404);
      await set(false);
      assert.equal((await call(made)).status, 200);
    });

    test('two keys live side by side; a third switches the oldest off, and each can be switched off', async () => {
      const first = await create();
      const url = `/apps/${first.appId}/keys`;
      const rotate = async () => (await browser.send({ method: 'POST', url })).body.result;
      app.clock.now += 1000;
      const second = await rotate();
      assert.deepEqual(second.disabledKeyIds, []);
      assert.deepEqual([(await call(first)).status, (await call(second)).status], [200, 200]);
      app.clock.now += 1000;
      const third = await rotate();
      assert.deepEqual(third.disabledKeyIds, [first.keyId]);
      assert.deepEqual(
        [(await call(first)).status, (await call(second)).status, (await call(third)).status],
        [404, 200, 200],
      );
      assert.equal((await browser.send({ method: 'DELETE', url: `${url}/${second.keyId}` })).status, 200);
      assert.equal((await call(second)).status, 404);
      assert.equal((await browser.send({ method: 'DELETE', url: `${url}/${second.keyId}` })).status, 404);
      const { keyId } = await create();
      assert.equal((await browser.send({ method: 'DELETE', url: `${url}/${keyId}` })).status, 404, "another app's key");
    });

    test('a key for a pretend phone opens what an app key does, for an hour, and takes no place', async () => {
      const made = await create();
      const url = `/apps/${made.appId}`;
      const trial = async () => (await browser.send({ method: 'POST', url: `${url}/trial-keys` })).body.result;
      const { appKey, expiresAt } = await trial();
      assert.equal(Date.parse(expiresAt) - app.clock.now, 3_600_000);
      const status = async (key: string) => (await call({ ...made, appKey: key })).status;
      assert.equal(await status(appKey), 200);
      const { results } = (await browser.send({ method: 'GET', url: `${url}/keys` })).body;
      assert.deepEqual(
        results.map(({ keyId }: { keyId: string }) => keyId),
        [made.keyId],
      );
      assert.deepEqual((await browser.send({ method: 'POST', url: `${url}/keys` })).body.result.disabledKeyIds, []);
      app.clock.now += 3_599_000;
      assert.equal(await status(appKey), 200);
      app.clock.now += 1_000;
      assert.deepEqual([await status(appKey), await status(made.appKey)], [404, 200]);
    });

    test('each key shows when it was last used, to the day', async () => {
      const made = await create();
      const used = async () => {
        // A session ends when it is idle for half a day.
        const console = await openConsole(app, 'manager');
        const { body } = await console.send({ method: 'GET', url: `/apps/${made.appId}/keys` });
        return body.results[0].lastUsedAt;
      };
      const use = async () => {
        assert.equal((await call(made)).status, 200);
        await app.app.idle();
        return used();
      };
      const now = () => new Date(app.clock.now).toISOString();
      const first = now();
      assert.deepEqual([await used(), await use()], [null, first]);
      app.clock.now += 80_000_000;
      assert.equal(await use(), first, 'the same day');
      app.clock.now += 10_000_000;
      assert.equal(await use(), now());
      browser = await openConsole(app, 'manager');
    });

    test('deleting an app removes everything in it and nothing of another', async () => {
      const owner = await openConsole(app, 'owner');
      const made = await create();
      await browser.send({ method: 'POST', url: `/apps/${made.appId}/buckets`, body: { name: 'visits' } });
      assert.equal((await owner.send({ method: 'DELETE', url: `/apps/${made.appId}` })).status, 200);
      assert.equal((await call(made)).status, 404);
      assert.equal((await owner.send({ method: 'GET', url: `/apps/${made.appId}` })).status, 404);
      const left = await app.storage.db.all({
        strings: ['select * from buckets where app_id = ', ''],
        values: [made.appId],
      });
      assert.deepEqual(left, []);
      assert.equal((await call(app)).status, 200);
    });

    test('buckets are created, listed with their records counted, and deleted', async () => {
      const url = `/apps/${app.appId}/buckets`;
      const make = (body: unknown) => browser.send({ method: 'POST', url, body });
      const made = await make({ name: 'visits' });
      assert.deepEqual([made.status, made.body.result.name], [201, 'visits']);
      const taken = await make({ name: 'visits' });
      assert.deepEqual([taken.status, taken.body.code], [409, 137]);
      for (const name of ['', '1st', 'a b', 'x'.repeat(31), 7, null, undefined]) {
        const refused = await make({ name });
        assert.deepEqual([refused.status, refused.body.code], [400, 301]);
      }
      const visitor = await signIn(app);
      const record = {
        method: 'POST',
        url: '/api/v2/data/bucket/visits',
        headers: visitor.headers,
        body: { metadata: {} },
      } as const;
      for (let n = 0; n < 3; n++) assert.equal((await app.send(record)).status, 201);
      const [shown] = (await browser.send({ method: 'GET', url })).body.results;
      assert.deepEqual([shown.name, shown.columns, shown.records, shown.hasMoreRecords], ['visits', {}, 3, false]);
      assert.equal((await browser.send({ method: 'DELETE', url: `${url}/visits` })).status, 200);
      assert.equal((await browser.send({ method: 'DELETE', url: `${url}/visits` })).status, 404);
      assert.deepEqual((await browser.send({ method: 'GET', url })).body.results, []);
    });

    test("a user's role is changed, and a disabled user's token is refused from the next request on", async () => {
      app.clock.now += 1000;
      const visitor = await signIn(app);
      const url = `/apps/${app.appId}/users`;
      const list = await browser.send({ method: 'GET', url });
      const found = list.body.results.find(({ objectId }: { objectId: string }) => objectId === visitor.userId);
      assert.deepEqual([found.role, found.disabledAt], ['user', undefined]);
      const change = (body: unknown) => browser.send({ method: 'PUT', url: `${url}/${visitor.userId}`, body });
      assert.equal((await change({ role: 'manager' })).status, 200);
      const me = { method: 'GET', url: '/api/v2/users/me', headers: visitor.headers } as const;
      assert.equal((await app.send(me)).status, 200);
      assert.equal((await change({ disabled: true })).status, 200);
      assert.equal((await app.send(me)).status, 403);
      const refused = await change({ role: 'king' });
      assert.deepEqual([refused.status, refused.body.code], [400, 142]);
      assert.equal((await browser.send({ method: 'PUT', url: `${url}/nobody`, body: { disabled: true } })).status, 404);
      const audit = await browser.send({ method: 'GET', url: `/audit?appId=${app.appId}&limit=2` });
      assert.deepEqual(
        audit.body.results.map((entry: Record<string, unknown>) => [entry['action'], entry['subject']]),
        [
          ['user.change', visitor.userId],
          ['user.change', visitor.userId],
        ],
      );
    });
  });
}
