import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { deviceExample } from './resource.ts';

const url = '/api/v2/device';

for (const database of databases) {
  describe(`devices on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
    });
    afterAll(() => app.close());

    test('registers without a user, unless the app asks for one', async () => {
      await create(app, url, deviceExample);
      await app.app.apps.change(app.appId, { policy: { deviceNeedsUser: true } });
      await assertRefusals(app, {}, [
        { rule: 'needs a user', request: { method: 'POST', url, body: deviceExample }, status: 403, code: 209 },
      ]);
      await create(app, url, deviceExample, user.headers);
      await app.app.apps.change(app.appId, { policy: { deviceNeedsUser: false } });
    });

    test('wraps the answers to update and delete in an array', async () => {
      const id = await create(app, url, deviceExample);
      app.clock.now += 1000;
      const put = await app.send({
        method: 'PUT',
        url: `${url}/${id}`,
        headers: user.headers,
        body: { topic: 'museum/new' },
      });
      assert.deepEqual(put.body, { result: [{ updatedAt: new Date(app.clock.now).toISOString() }] });
      const { createdAt, updatedAt, ...rest } = (
        await app.send({ method: 'GET', url: `${url}/${id}`, headers: user.headers })
      ).body.result;
      assert.ok(updatedAt > createdAt);
      assert.deepEqual(rest, { objectId: id, ...deviceExample, topic: 'museum/new' });
      assert.deepEqual((await app.send({ method: 'DELETE', url: `${url}/${id}`, headers: user.headers })).body, {
        result: [{}],
      });
    });

    test('has an error of its own for the name and ValidationError for the rest', async () => {
      const post = (change: object) => ({ method: 'POST', url, body: { ...deviceExample, ...change } }) as const;
      await assertRefusals(app, user.headers, [
        {
          rule: 'name missing',
          request: post({ deviceName: undefined }),
          status: 400,
          code: 302,
          fields: ['deviceName'],
        },
        { rule: 'name too short', request: post({ deviceName: 'ab' }), status: 400, code: 302, fields: ['deviceName'] },
        {
          rule: 'name too long',
          request: post({ deviceName: 'a'.repeat(65) }),
          status: 400,
          code: 302,
          fields: ['deviceName'],
        },
        { rule: 'manufacture', request: post({ manufacture: 'ab' }), status: 400, code: 142, fields: ['manufacture'] },
        { rule: 'topic', request: post({ topic: 'a'.repeat(65) }), status: 400, code: 142, fields: ['topic'] },
        ...['museum/#', 'museum/+', '+/gate', '$SYS/gate', 'mus\neum'].map((topic) => ({
          rule: `topic ${JSON.stringify(topic)}`,
          request: post({ topic }),
          status: 400,
          code: 142,
          fields: ['topic'],
        })),
        {
          rule: 'both',
          request: post({ deviceName: '', topic: 5 }),
          status: 400,
          code: 302,
          fields: ['deviceName', 'topic'],
        },
      ]);
      const name = (await app.send(post({ deviceName: '' }))).body.error.name;
      assert.equal(name, 'deviceName');
    });

    test('lists 100 by default and pages with skip and limit', async () => {
      const fresh = await buildApp({ database });
      try {
        const { headers } = await signIn(fresh);
        for (let n = 0; n < 105; n++) {
          fresh.clock.now += 1;
          await create(fresh, url, { ...deviceExample, deviceName: `Device ${n}` });
        }
        const names = async (query: string) =>
          (await fresh.send({ method: 'GET', url: `${url}?${query}`, headers })).body.results.map(
            ({ deviceName }: { deviceName: string }) => deviceName,
          );
        assert.equal((await names('')).length, 100);
        assert.equal((await names('limit=5000')).length, 105);
        assert.deepEqual(await names('skip=103'), ['Device 103', 'Device 104']);
        assert.deepEqual(await names('order=-createdAt&limit=1'), ['Device 104']);
      } finally {
        await fresh.close();
      }
    });
  });
}
