import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  bothDatabases,
  buildApp,
  otherApp,
  type SentRequest,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../test/support/build-app.ts';
import { openConsole } from '../../test/support/console.ts';
import { fail } from '../base/errors.ts';
import { raw, type Sql, sql } from '../base/sql.ts';
import { UniqueViolation } from '../db/db.ts';
import { IdempotencyKeys } from './idempotency.ts';

const dayMs = 86_400_000;

for (const database of bothDatabases) {
  describe(`a request that is sent again, on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      await app.app.buckets.createBucket(app.appId, 'Stamps');
    });
    afterAll(() => app.close());

    let keys = 0;
    const newKey = () => `5f0c6d2e-${++keys}`;
    const post = (key: string, request: Partial<SentRequest> = {}) =>
      app.send({
        method: 'POST',
        url: '/api/v2/data/bucket/Stamps',
        body: { metadata: { page: 1 } },
        ...request,
        headers: { ...user.headers, 'idempotency-key': key, ...request.headers },
      });
    const count = async (path: string, headers = user.headers) =>
      (await app.send({ method: 'GET', url: `${path}?limit=0&count=1`, headers })).body.count as number;
    const records = () => count('/api/v2/data/bucket/Stamps');
    /** As if the service had ended before it noted that the request was done. */
    const forgetEnd = () => app.storage.db.run(sql`update idempotency_keys set is_done = 0`);

    test('that an administrator sends again from the console is carried out and recorded once, and another one’s key is its own', async () => {
      const [one, other] = [await openConsole(app, 'manager'), await openConsole(app, 'manager')];
      const [before, audited] = [await records(), (await entries()).length];
      const request = {
        method: 'POST',
        url: `/apps/${app.appId}/v2/data/bucket/Stamps`,
        body: { metadata: { page: 3 } },
      } as const;
      const headers = { 'idempotency-key': newKey() };
      const [first, again] = [await one.send({ ...request, headers }), await one.send({ ...request, headers })];
      assert.deepEqual([first.status, again.status, again.body], [first.status, first.status, first.body]);
      assert.deepEqual(
        [first.headers['idempotency-replayed'], again.headers['idempotency-replayed']],
        [undefined, 'true'],
      );
      assert.deepEqual([await records(), (await entries()).length], [before + 1, audited + 1]);
      assert.notEqual((await other.send({ ...request, headers })).body.result.objectId, first.body.result.objectId);
    });
    test('that two administrators send for one row of a file at the same moment is there once', async () => {
      const [one, other] = [await openConsole(app, 'manager'), await openConsole(app, 'editor')];
      const before = await records();
      const request = {
        method: 'POST',
        url: `/apps/${app.appId}/v2/data/bucket/Stamps`,
        body: { metadata: { page: 4 } },
        headers: { 'idempotency-key': `import:${newKey()}` },
      } as const;
      const answers = await Promise.all([one, other].map((who) => who.send(request)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201],
      );
      assert.deepEqual(answers[0]?.body, answers[1]?.body);
      assert.equal(await records(), before + 1);
      const analyst = await openConsole(app, 'analyst');
      assert.equal((await analyst.send(request)).status, 403, 'whoever may not create learns nothing');
    });
    const entries = () => app.storage.db.all(raw("select * from audit where action = 'data.createRecord'"));

    const creations: readonly (readonly [name: string, path: string, body: object])[] = [
      ['a record', '/api/v2/data/bucket/Stamps', { metadata: { page: 1 } }],
      [
        'a beacon',
        '/api/v2/beacons',
        { name: 'Hall', uuid: 'f7826da6-4fa2-4e98-8024-bc5b71e0893e', major: 1, minor: 1 },
      ],
      ['a storyline', '/api/v2/storylines', { title: 'A tour', isEnabled: true }],
      ['a device', '/api/v2/device', { deviceName: 'Display', manufacture: 'Works', topic: 'hall/display' }],
    ];
    for (const [name, url, body] of creations) {
      test(`creates ${name} once, and answers the same`, async () => {
        const [before, key] = [await count(url), newKey()];
        const first = await post(key, { url, body });
        assert.equal(first.status, 201, JSON.stringify(first.body));
        assert.equal(first.headers['idempotency-replayed'], undefined);
        app.clock.now += 60_000;
        const again = await post(key, { url, body });
        assert.deepEqual([again.status, again.body], [201, first.body]);
        assert.equal(again.headers['idempotency-replayed'], 'true');
        await forgetEnd();
        const afterCrash = await post(key, { url, body });
        assert.deepEqual(afterCrash.body, first.body, 'also if the service did not note that it was done');
        assert.equal(await count(url), before + 1);
        assert.equal(
          (await app.send({ method: 'GET', url: `${url}/${first.body.result.objectId}`, headers: user.headers }))
            .status,
          200,
        );
      });
    }

    test('creates one record when it arrives many times at once', async () => {
      const [before, key] = [await records(), newKey()];
      const answers = await Promise.all(Array.from({ length: 12 }, () => post(key)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map(({ body }) => body.result.objectId)).size, 1);
      assert.equal(await records(), before + 1);
    });

    test('is done now if the service ended before it was done', async () => {
      const [before, key] = [await records(), newKey()];
      const first = await post(key);
      const url = `/api/v2/data/bucket/Stamps/${first.body.result.objectId}`;
      await app.send({ method: 'DELETE', url, headers: user.headers });
      await forgetEnd();
      assert.deepEqual((await post(key)).body, first.body);
      assert.equal(await records(), before + 1);
    });

    test('does not bring back what was deleted since', async () => {
      const [before, key] = [await records(), newKey()];
      const first = await post(key);
      const url = `/api/v2/data/bucket/Stamps/${first.body.result.objectId}`;
      await app.send({ method: 'DELETE', url, headers: user.headers });
      assert.deepEqual((await post(key)).body, first.body);
      assert.equal(await records(), before);
    });

    test('sends a push once', async () => {
      const manager = await signInManager(app);
      const push = {
        url: '/api/v2/push/notification',
        body: { data: { title: 'Hall 2', alert: 'The tour begins.' } },
        headers: manager.headers,
      };
      const key = newKey();
      const [first, again] = [await post(key, push), await post(key, push)];
      assert.deepEqual([first.status, again.status, again.body], [200, 200, first.body]);
      assert.equal(again.headers['location'], first.headers['location']);
      await forgetEnd();
      assert.equal((await post(key, push)).headers['location'], first.headers['location']);
      assert.equal(await count('/api/v2/push/notifications', manager.headers), 1);
    });

    test('is refused with another body, and nothing is stored', async () => {
      const [key, before] = [newKey(), await records()];
      await post(key);
      const other = await post(key, { body: { metadata: { page: 2 } } });
      assert.deepEqual([other.status, other.body.code], [409, 137]);
      assert.match(other.body.error.error, /sent with another body.*new key/);
      assert.equal(await records(), before + 1);
    });

    test('is another request from another user, at another address and in another app', async () => {
      const key = newKey();
      const other = await signIn(app);
      const credentials = await otherApp(app);
      const stranger = await signIn(app, credentials);
      const beacon = {
        url: '/api/v2/beacons',
        body: { name: 'Gate', uuid: 'f7826da6-4fa2-4e98-8024-bc5b71e0893e', major: 2, minor: 1 },
      };
      const answers = [
        await post(key, beacon),
        await post(key, { ...beacon, headers: other.headers }),
        await post(key, { ...beacon, headers: { ...credentials, ...stranger.headers } }),
        await post(key),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201, 201],
      );
      assert.equal(new Set(answers.map(({ body }) => body.result.objectId)).size, 4);
    });

    test('that was refused leaves nothing, and may be corrected under the same key', async () => {
      const pointer = { __type: 'Pointer', className: 'Beacon', objectId: '0000000000000000NONE' };
      const words = { alertTitle: 'Welcome', alertMessage: 'The tour starts on your left.' };
      const welcome = { description: 'w', event: 'ENTER', type: 'TEXT', message: words, isEnabled: true };
      const [key, url] = [newKey(), '/api/v2/notifications'];
      const stored = async () =>
        Number((await app.storage.db.one<{ n: number }>(sql`select count(*) as n from idempotency_keys`))?.n);
      const before = await stored();
      const refused = await post(key, { url, body: { ...welcome, beaconId: pointer } });
      assert.deepEqual([refused.status, await stored()], [404, before]);
      const hall = { name: 'Hall', uuid: 'f7826da6-4fa2-4e98-8024-bc5b71e0893e', major: 3, minor: 1 };
      const { objectId } = (
        await app.send({ method: 'POST', url: '/api/v2/beacons', headers: user.headers, body: hall })
      ).body.result;
      const body = { ...welcome, beaconId: { ...pointer, objectId } };
      const made = await post(key, { url, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      assert.deepEqual((await post(key, { url, body })).body, made.body);
    });

    test('is answered when it is stored, even if that cannot be noted, and is not done again', async () => {
      const { db } = app.storage;
      const keys = new IdempotencyKeys(
        Object.assign(Object.create(db), {
          run: (statement: Sql) =>
            statement.strings[0]?.startsWith('update') ? Promise.reject(fail('Timeout')) : db.run(statement),
          latest: (statement: Sql) => db.latest(statement),
        }),
      );
      const request = { appId: app.appId, caller: null, address: 'POST /', body: {}, now: app.clock.now };
      const made: string[] = [];
      const once = () =>
        keys.once<string>(
          { ...request, key: `noted-${database}` },
          {
            create: async ({ objectId }) => {
              if (made.includes(objectId)) throw new UniqueViolation('records', undefined);
              made.push(objectId);
              return objectId;
            },
            repeat: ({ objectId }) => objectId,
          },
        );
      const first = await once();
      assert.deepEqual([await once(), made], [first, [first]]);
    });

    test('is not done again because one of two that came at once was refused, whichever came first', async () => {
      for (const refused of [0, 1]) {
        const request = { appId: app.appId, caller: null, address: 'POST /', body: {}, now: app.clock.now };
        const keys = new IdempotencyKeys(app.storage.db);
        const made: string[] = [];
        const once = (work: () => Promise<void>) =>
          keys.once<string>(
            { ...request, key: `refused-${database}-${refused}` },
            {
              create: async ({ objectId }) => {
                await work();
                made.push(objectId);
                return objectId;
              },
              repeat: ({ objectId }) => objectId,
            },
          );
        const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const wait = async () => {
          started.resolve();
          await gate.promise;
        };
        const refuse = async () => {
          throw fail('APICallLimit');
        };
        // The first one has bound the key before the second comes.
        const first = once(refused === 0 ? () => wait().then(refuse) : wait);
        await started.promise;
        if (refused === 0) {
          const [inside, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
          const second = once(async () => {
            inside.resolve();
            await go.promise;
          });
          await inside.promise;
          gate.resolve();
          await assert.rejects(first, { name: 'APICallLimit' });
          go.resolve();
          await second;
        } else {
          await assert.rejects(once(refuse), { name: 'APICallLimit' });
          // Sent again, before the first one is done and afterwards.
          gate.resolve();
          await first;
        }
        assert.equal(await once(async () => undefined), made[0]);
        assert.equal(made.length, 1, `refused: ${refused}`);
      }
    });

    test('needs a key of visible characters', async () => {
      const before = await records();
      for (const key of ['', ' ', 'a b', 'é', 'x'.repeat(256)]) {
        const { status, body } = await post(key);
        assert.deepEqual([status, body.code], [400, 142], JSON.stringify(key));
        assert.match(body.error.error, /Idempotency-Key must be 1 to 255/);
      }
      assert.equal(await records(), before);
      assert.equal((await post('x'.repeat(255))).status, 201);
    });

    test('is forgotten after a day', async () => {
      const key = newKey();
      const first = await post(key);
      app.clock.now += dayMs + 60_000;
      await app.app.retention.sweep();
      const later = await post(key);
      assert.equal(later.status, 201);
      assert.notEqual(later.body.result.objectId, first.body.result.objectId);
      const [left] = await app.storage.db.all<{ n: number }>(sql`select count(*) as n from idempotency_keys`);
      assert.equal(Number(left?.n), 1);
    });
  });
}
