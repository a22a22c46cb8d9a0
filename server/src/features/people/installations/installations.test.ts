import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  otherApp,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { raw, sql } from '../../../base/sql.ts';
import { installationExample } from './resource.ts';

const url = '/api/v2/installations';
const { userId: _user, consents: _decided, ...example } = installationExample;

let devices = 0;
/** A unique registration. */
const phone = (change: object = {}) => ({
  ...example,
  installationId: `phone ${++devices}`,
  deviceToken: `token ${devices}`,
  ...change,
});

for (const database of databases) {
  describe(`installations on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signInManager(app);
    });
    afterAll(() => app.close());

    const register = (body: object, headers = {}) => app.send({ method: 'POST', url, body, headers });
    const on = (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', id: string, body?: object) =>
      app.send({ method, url: `${url}/${id}`, headers: user.headers, body });
    const get = async (id: string) => (await on('GET', id)).body.result;
    const pointer = (objectId: string) => ({ __type: 'Pointer', className: '_User', objectId });
    const hidden = async (id: string) =>
      app.storage.db.one<{ device_token: string | null; token_dead_at: number | null }>(
        sql`select device_token, token_dead_at from installations where object_id = ${id}`,
      );
    const killToken = (id: string) =>
      app.storage.db.run(sql`update installations set token_dead_at = 5 where object_id = ${id}`);

    test('registers with the app key alone and shows everything but the token', async () => {
      const body = phone({ objectId: 'mine', unknown: 1 });
      const answer = await register(body, { authorization: 'Bearer nonsense' });
      const time = new Date(app.clock.now).toISOString();
      const { objectId } = answer.body.result;
      assert.deepEqual([answer.status, answer.body], [201, { result: { createdAt: time, objectId } }]);
      const { deviceToken, objectId: _sent, unknown, ...shown } = body as Record<string, unknown>;
      assert.ok(unknown);
      const times = { tokenAt: time, sensingAt: time, createdAt: time, updatedAt: time };
      assert.deepEqual(await get(objectId), { objectId, ...shown, ...times });
      assert.equal((await hidden(objectId))?.device_token, deviceToken);
    });

    test('one of the two ids is enough; what was not given is left out or empty', async () => {
      for (const ids of [{ installationId: 'bare' }, { deviceToken: 'bare' }]) {
        const id = await create(app, url, { deviceType: 'embedded', ...ids });
        const { createdAt, updatedAt, objectId, ...record } = await get(id);
        const { installationId } = ids as { installationId?: string };
        const shown = {
          deviceType: 'embedded',
          channels: [],
          metadata: {},
          ...(installationId ? { installationId } : { tokenAt: createdAt }),
        };
        assert.deepEqual([record, objectId, createdAt], [shown, id, updatedAt]);
      }
    });

    test('registering again updates the installation, by its own id or by its token', async () => {
      const body = phone({ metadata: { a: 1 } });
      const id = await create(app, url, body);
      const createdAt = new Date(app.clock.now).toISOString();
      app.clock.now += 1000;
      const updatedAt = new Date(app.clock.now).toISOString();
      const { deviceType, installationId, deviceToken } = body;
      for (const again of [
        { deviceType, installationId, appVersion: '3.0' },
        { deviceType, deviceToken, channels: ['one', 'one'], appName: null },
      ]) {
        const answer = await register(again);
        assert.deepEqual([answer.status, answer.body], [200, { result: { createdAt, objectId: id, updatedAt } }]);
      }
      const { appVersion, channels, metadata, appName } = await get(id);
      assert.deepEqual([appVersion, channels, metadata, appName], ['3.0', ['one'], { a: 1 }, body.appName]);
    });

    test('somebody else is named by managers under the preset of the specification alone, and by administrators', async () => {
      const [manager, vera] = [await signInManager(app), await signIn(app)];
      const named = () => register(phone({ userId: pointer(vera.userId) }), manager.headers);
      assert.equal((await named()).status, 201);
      await app.app.apps.changeRules(app.appId, { preset: 'visitors' });
      try {
        const refused = await named();
        assert.deepEqual([refused.status, refused.body.code], [403, 119]);
        const id = await create(app, url, phone(), vera.headers);
        const taken = await app.send({
          method: 'PUT',
          url: `${url}/${id}`,
          headers: manager.headers,
          body: { userId: pointer(manager.userId) },
        });
        assert.equal(taken.status, 200, 'to herself she may');
        const given = { method: 'PUT', url: `${url}/${id}`, body: { userId: pointer(vera.userId) } } as const;
        assert.equal((await app.send({ ...given, headers: manager.headers })).status, 403);
      } finally {
        await app.app.apps.changeRules(app.appId, {});
      }
    });

    test('a token that arrives with another installation moves there', async () => {
      const [old, next] = [phone(), phone()];
      const [oldId, nextId] = [await create(app, url, old), await create(app, url, next)];
      assert.equal((await register({ ...next, deviceToken: old.deviceToken })).body.result.objectId, nextId);
      assert.deepEqual(
        [(await hidden(oldId))?.device_token, (await hidden(nextId))?.device_token],
        [null, old.deviceToken],
      );
      const newId = await create(app, url, phone({ deviceToken: old.deviceToken }));
      assert.deepEqual(
        [(await hidden(nextId))?.device_token, (await hidden(newId))?.device_token],
        [null, old.deviceToken],
      );
      assert.equal((await on('PUT', oldId, { deviceToken: old.deviceToken })).status, 200);
      assert.deepEqual(
        [(await hidden(oldId))?.device_token, (await hidden(newId))?.device_token],
        [old.deviceToken, null],
      );
    });

    test('an installation that was known by its token alone may say which one it is', async () => {
      const { deviceType, deviceToken, installationId } = phone();
      const id = await create(app, url, { deviceType, deviceToken });
      assert.equal((await register({ deviceType, deviceToken, installationId })).body.result.objectId, id);
      assert.equal((await get(id)).installationId, installationId);
    });

    test('registering again revives a dead token, a registration without it does not', async () => {
      const body = phone();
      const id = await create(app, url, body);
      await killToken(id);
      const { deviceToken, ...rest } = body;
      await register(rest);
      assert.deepEqual(await hidden(id), { device_token: deviceToken, token_dead_at: 5 });
      await register(body);
      assert.deepEqual(await hidden(id), { device_token: deviceToken, token_dead_at: null });
      await killToken(id);
      await on('PUT', id, { deviceToken });
      assert.equal((await hidden(id))?.token_dead_at, null);
    });

    test('of many at once with one id or one token, one installation comes out', async () => {
      const { deviceType, installationId, deviceToken } = phone();
      for (const body of [
        { deviceType, installationId },
        { deviceType, deviceToken },
      ]) {
        const answers = await Promise.all(Array.from({ length: 10 }, () => register(body)));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(9).fill(200), 201]);
        assert.equal(new Set(answers.map((answer) => answer.body.result.objectId)).size, 1);
      }
      const moving = Array.from({ length: 8 }, (_, n) =>
        phone({ deviceToken: 'moving', installationId: `racer ${n}` }),
      );
      const answers = await Promise.all([...moving, ...moving].map((body) => register(body)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(8).fill(200), ...Array(8).fill(201)]);
      const holders = await app.storage.db.all(
        raw("select object_id from installations where device_token = 'moving'"),
      );
      assert.equal(holders.length, 1);
    });

    test('another app has installations of its own with the same ids', async () => {
      const body = phone();
      const id = await create(app, url, body);
      const strangers = await otherApp(app);
      const theirs = await create(app, url, body, strangers);
      assert.notEqual(theirs, id);
      assert.equal((await hidden(id))?.device_token, body.deviceToken);
      assert.equal((await on('GET', theirs)).status, 404);
    });

    test('refuses each broken rule and names the member', async () => {
      const rule = (change: object, fields = Object.keys(change)) => ({
        rule: JSON.stringify(change).slice(0, 70),
        request: { method: 'POST', url, body: phone(change) } as const,
        status: 400,
        code: 142,
        fields,
      });
      await assertRefusals(app, {}, [
        rule({ deviceType: undefined }),
        rule({ deviceType: 'symbian' }),
        rule({ installationId: null, deviceToken: null }, ['installationId']),
        rule({ installationId: '' }),
        rule({ installationId: 'i'.repeat(129) }),
        rule({ deviceToken: '' }),
        rule({ deviceToken: 't'.repeat(2001) }),
        rule({ deviceToken: 'tökén' }),
        rule({ pushType: 5 }),
        rule({ channels: 'news' }),
        rule({ channels: ['news', 5] }, ['channels.1']),
        rule({ channels: [''] }, ['channels.0']),
        rule({ timeZone: 'Mars/Olympus' }),
        rule({ localeIdentifier: {} }),
        rule({ appIdentifier: 1, appName: 'n'.repeat(256), appVersion: [] }),
        rule({ userId: 'text' }),
        rule({ userId: { ...pointer('x'), className: 'Beacon' } }, ['userId.className']),
        rule({ metadata: [] }),
        rule({ metadata: { text: 'é'.repeat(40_000) } }),
        rule({ deviceType: 'embedded', pushType: null, deviceToken: 'museum/#' }, ['deviceToken']),
        rule({ pushType: 'mqtt', deviceToken: 'museum/+/gate' }, ['deviceToken']),
        rule({ pushType: 'web', deviceToken: '{"endpoint":"https://169.254.169.254/x"}' }, ['deviceToken']),
        rule({ pushType: 'web', deviceToken: '{"endpoint":"http://push.example.org/x"}' }, ['deviceToken']),
      ]);
      for (const objectId of ['0000000000000000NONE', (await signIn(app, await otherApp(app))).userId]) {
        const answer = await register(phone({ userId: pointer(objectId) }), user.headers);
        assert.deepEqual([answer.status, answer.body.code], [404, 101]);
        assert.ok(answer.body.error.error.includes(objectId));
      }
    });

    test('a token that can reach nobody is refused whenever it or the way to it changes', async () => {
      const deviceToken = '{"endpoint":"https://[::ffff:127.0.0.1]/x"}';
      const id = await create(app, url, phone({ deviceToken, pushType: 'fcm' }));
      const rule = (method: 'PUT' | 'PATCH', body: object, field: string) => ({
        rule: `${method} ${JSON.stringify(body)}`,
        request: { method, url: `${url}/${id}`, body },
        status: 400,
        code: 142,
        fields: [field],
      });
      await assertRefusals(app, user.headers, [
        rule('PUT', { pushType: 'web' }, 'pushType'),
        rule('PATCH', { pushType: 'web' }, 'pushType'),
        rule('PUT', { pushType: 'mqtt', deviceToken: '#' }, 'deviceToken'),
      ]);
      const again = phone({ installationId: (await get(id)).installationId, deviceToken, pushType: 'web' });
      assert.equal((await register(again)).body.code, 142);
      assert.equal((await get(id)).pushType, 'fcm');
      assert.equal((await on('PUT', id, { pushType: 'web', deviceToken: null })).status, 200);
    });

    test('what identifies an installation does not change later', async () => {
      const body = phone();
      const id = await create(app, url, body);
      const before = await get(id);
      const rule = (change: object, fields: string[]) =>
        (['PUT', 'PATCH'] as const).map((method) => ({
          rule: `${method} ${JSON.stringify(change)}`,
          request: { method, url: `${url}/${id}`, body: { appName: 'Changed', ...change } },
          status: 400,
          code: 142,
          fields,
        }));
      await assertRefusals(app, user.headers, [
        ...rule({ installationId: 'another' }, ['installationId']),
        ...rule({ installationId: null }, ['installationId']),
        ...rule({ deviceType: 'ios' }, ['deviceType']),
        ...rule({ deviceType: null }, ['deviceType']),
        ...rule({ installationId: 'another', deviceType: 'ios' }, ['installationId', 'deviceType']),
        {
          rule: 'registering with another type',
          request: { method: 'POST', url, body: { ...body, deviceType: 'ios' } },
          status: 400,
          code: 142,
          fields: ['deviceType'],
        },
      ]);
      assert.deepEqual(await get(id), before);
      const { installationId, deviceType } = body;
      assert.equal((await on('PUT', id, { installationId, deviceType })).status, 200, 'sent unchanged they are fine');
      const byToken = await create(app, url, { deviceType, deviceToken: 'only this' });
      assert.equal((await on('PUT', byToken, { deviceToken: null })).body.code, 142, 'nothing would identify it');
    });

    test('metadata does not grow by merging without end', async () => {
      const id = await create(app, url, phone({}));
      const merge = (member: string) => on('PATCH', id, { metadata: { [member]: 'x'.repeat(40_000) } });
      assert.equal((await merge('a')).status, 200);
      const refused = await merge('b');
      assert.deepEqual([refused.status, refused.body.code], [400, 142]);
      assert.match(refused.body.error.error, /at most 64 kB/);
      assert.equal('b' in (await get(id)).metadata, false);
    });

    test('PUT keeps what is omitted and clears with null, PATCH merges metadata', async () => {
      const body = phone({ metadata: { a: { b: 1, c: 2 } }, userId: pointer(user.userId) });
      const id = await create(app, url, body, user.headers);
      app.clock.now += 1000;
      const put = await on('PUT', id, { userId: null, channels: ['x'], appVersion: null, deviceToken: null });
      assert.deepEqual(put.body, { result: { updatedAt: new Date(app.clock.now).toISOString() } });
      assert.equal((await hidden(id))?.device_token, null);
      assert.equal((await on('PATCH', id, { metadata: { a: { b: null }, d: 1 }, channels: null })).status, 200);
      const { userId, channels, appVersion, appName, metadata } = await get(id);
      assert.deepEqual(
        [userId, channels, appVersion, appName, metadata],
        [undefined, [], undefined, body.appName, { a: { c: 2 }, d: 1 }],
      );
      assert.deepEqual((await on('DELETE', id)).body, { result: {} });
      assert.equal((await on('GET', id)).status, 404);
      await assertRefusals(app, user.headers, [
        { rule: 'gone', request: { method: 'PUT', url: `${url}/${id}`, body: {} }, status: 404, code: 101 },
        { rule: 'gone', request: { method: 'PATCH', url: `${url}/${id}`, body: {} }, status: 404, code: 101 },
        {
          rule: 'no such user',
          request: { method: 'PUT', url: `${url}/${await create(app, url, phone())}`, body: { userId: pointer('x') } },
          status: 404,
          code: 101,
        },
      ]);
    });

    test('finds by its fields and never by the token', async () => {
      const fresh = await buildApp({ database });
      try {
        const { headers, userId } = await signInManager(fresh);
        const bodies = [
          { deviceType: 'ios', channels: ['news', 'hall'], metadata: { zone: 2 }, userId: pointer(userId) },
          { deviceType: 'android', channels: ['news'] },
          { deviceType: 'web' },
        ];
        const ids: string[] = [];
        for (const body of bodies) {
          ids.push(
            await create(fresh, url, { ...phone(), channels: [], metadata: {}, ...body }, body.userId && headers),
          );
          fresh.clock.now += 1000;
        }
        const ask = (where: object) =>
          fresh.send({ method: 'GET', url: `${url}?where=${encodeURIComponent(JSON.stringify(where))}`, headers });
        const found = async (where: object) =>
          (await ask(where)).body.results.map(({ objectId }: { objectId: string }) => ids.indexOf(objectId)).join('');
        assert.equal(await found({ channels: 'news' }), '01');
        assert.equal(await found({ channels: { $all: ['news', 'hall'] } }), '0');
        assert.equal(await found({ 'metadata.zone': { $gt: 1 } }), '0');
        assert.equal(await found({ userId: pointer(userId) }), '0');
        assert.equal(await found({ deviceType: { $in: ['web', 'android'] } }), '12');
        assert.equal(await found({ tokenAt: { $exists: false } }), '');
        for (const name of ['deviceToken', 'device_token', 'token_at'])
          assert.equal((await ask({ [name]: { $exists: true } })).body.code, 102);
        const text = JSON.stringify((await fresh.send({ method: 'GET', url, headers })).body);
        assert.ok(text.includes('phone ') && !text.includes('token '));
      } finally {
        await fresh.close();
      }
    });
  });
}
