import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { apiPrefix } from '../../src/http/api.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { grantOf } from '../../src/http/grants.ts';
import {
  type Answer,
  bothDatabases,
  buildApp,
  otherApp,
  type SentRequest,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { testOn } from '../support/depth.ts';
import { makeExamples } from '../support/interface/examples.ts';

/** Rules that hold for every endpoint are tested on every endpoint, from the same list that routes them. */

const noId = '0000000000000000NONE';

interface Fixture {
  readonly app: TestApp;
  readonly user: SignedIn;
  readonly stranger: SignedIn;
  readonly strangers: Readonly<Record<string, string>>;
}

async function fixture(database: (typeof bothDatabases)[number]): Promise<Fixture> {
  const app = await buildApp({ database });
  const strangers = await otherApp(app);
  await app.app.buckets.createBucket(app.appId, 'birds');
  return { app, strangers, user: await signInManager(app), stranger: await signInManager(app, strangers) };
}

/** One record of each resource in the other app, by its path. */
async function foreignIds({ app, strangers, stranger }: Fixture): Promise<Readonly<Record<string, string>>> {
  const headers = { ...strangers, ...stranger.headers };
  const make = (url: string, body: unknown) => create(app, `/api/v2${url}`, body, headers);
  const made = await makeExamples(make);
  const scenario = { beacons: [made['/beacons']], campaign: 'TEXT', event: 'ENTER', showOn: [] };
  const file = { ...headers, 'content-type': 'text/plain' };
  return {
    '/storylines/:objectId/detail/': await make(`/storylines/${made['/storylines']}/detail`, scenario),
    '/data/schema': await make('/data/schema/birds', { column: { a: { type: 'Number' } } }),
    '/data/bucket': await make('/data/bucket/birds', { metadata: {} }),
    '/installations': await make('/installations', { installationId: 'theirs', deviceType: 'ios' }),
    '/files': await create(app, '/api/v2/files/theirs.txt', 'text', file),
    '/push/notification': await pushOf(app, headers),
    '/erasures': await erasureOf(app, strangers),
    ...made,
  };
}

async function erasureOf(app: TestApp, strangers: Readonly<Record<string, string>>): Promise<string> {
  const headers = { ...strangers, ...(await signIn(app, strangers)).headers };
  return (await app.send({ method: 'DELETE', url: '/api/v2/users/me', headers })).body.result.erasureId;
}

async function pushOf(app: TestApp, headers: Readonly<Record<string, string>>): Promise<string> {
  const body = { data: { title: 'Theirs' } };
  const answer = await app.send({ method: 'POST', url: '/api/v2/push/notification', headers, body });
  return String(answer.headers['location']).split('/').at(-1) ?? '';
}

/** A stream has parameters too, and no end. */
const isList = ({ query = [], answer }: Endpoint) =>
  query.some(({ name }) => name === 'limit') && answer.type === undefined;

function requestTo(endpoint: Endpoint): SentRequest {
  const path = endpoint.path.replace(':bucketName', 'birds').replace(/:\w+/g, noId);
  const body = endpoint.takesStream ? 'text' : endpoint.body?.example;
  return { method: endpoint.method, url: apiPrefix + path, ...(body === undefined ? {} : { body }) };
}

function assertError(answer: Answer, status: number, code: number, name: string) {
  const { error, code: outerCode } = answer.body;
  assert.deepEqual(
    { status: answer.status, code: error?.code, outerCode, name: error?.name, said: error?.status },
    { status, code, outerCode: code, name, said: status },
  );
  assert.ok(error.error.length > 10, 'the message says something');
  assert.equal(error.requestId, answer.headers['x-request-id']);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

for (const database of bothDatabases) {
  describe(`every endpoint on ${database}`, () => {
    let all: Fixture;
    beforeAll(async () => {
      all = await fixture(database);
    });
    afterAll(() => all.app.close());

    /** Calls `check` for each endpoint and names the one that fails. */
    async function each(
      which: (endpoint: Endpoint) => boolean,
      check: (endpoint: Endpoint, request: SentRequest) => Promise<void>,
    ) {
      const chosen = all.app.app.endpoints.filter(which);
      assert.ok(chosen.length > 0);
      for (const endpoint of chosen) {
        // An app may call only so often.
        all.app.clock.now += 1_000;
        await check(endpoint, requestTo(endpoint)).catch((error: Error) => {
          throw new Error(`${endpoint.method} ${endpoint.path}: ${error.message}`, { cause: error });
        });
      }
    }
    const withHeaders = (request: SentRequest, headers: Readonly<Record<string, string | undefined>>): SentRequest => ({
      ...request,
      headers: { ...request.headers, ...headers },
    });
    const needsUser = (endpoint: Endpoint) => grantOf(endpoint) === 'user' || grantOf(endpoint) === 'manager';
    const anyEndpoint = () => true;

    testOn(database)('refuses a request without credentials, with half of them, or with wrong ones', async () => {
      const bearer = all.user.headers;
      await each(anyEndpoint, async (_, request) => {
        // Wrong credentials are counted by address.
        all.app.clock.now += 3_000;
        const ask = (headers: Record<string, string | undefined>) =>
          all.app.send(withHeaders(request, { ...bearer, ...headers }));
        assertError(
          await ask({ 'x-service-appid': undefined, 'x-service-appkey': undefined }),
          400,
          902,
          'CredentialsMissing',
        );
        assertError(await ask({ 'x-service-appkey': undefined }), 400, 902, 'CredentialsMissing');
        assertError(await ask({ 'x-service-appid': undefined }), 400, 902, 'CredentialsMissing');
        assertError(await ask({ 'x-service-appkey': '' }), 400, 902, 'CredentialsMissing');
        assertError(await ask({ 'x-service-appkey': 'wrong' }), 404, 903, 'InvalidCredentials');
        assertError(await ask({ 'x-service-appid': 'wrong' }), 404, 903, 'InvalidCredentials');
        assertError(
          await ask({ 'x-service-appkey': all.strangers['x-service-appkey'] }),
          404,
          903,
          'InvalidCredentials',
        );
      });
    });

    testOn(database)('refuses a missing, malformed, unknown or foreign bearer alike where one is needed', async () => {
      await each(needsUser, async (_, request) => {
        const bearers = [
          undefined,
          '',
          'Bearer',
          'Bearer x',
          `Basic ${all.user.token}`,
          `Bearer ${'a'.repeat(43)}`,
          `Bearer ${all.stranger.token}`,
        ];
        for (const authorization of bearers) {
          assertError(await all.app.send(withHeaders(request, { authorization })), 403, 209, 'InvalidSessionToken');
        }
      });
    });

    test('refuses a bad bearer where one is optional', async () => {
      await each(
        (endpoint) => grantOf(endpoint) === 'visitor',
        async (_, request) => {
          const answer = await all.app.send(withHeaders(request, { authorization: `Bearer ${all.stranger.token}` }));
          assertError(answer, 403, 209, 'InvalidSessionToken');
        },
      );
    });

    test('answers an unknown id with ObjectNotFound before it looks at the body', async () => {
      const ids = /:(objectId|detailId|file)/;
      const isOneself = (endpoint: Endpoint) => endpoint.path === '/users/:objectId';
      await each(
        (endpoint) => ids.test(endpoint.path) && !isOneself(endpoint) && !endpoint.takesStream,
        async (endpoint, request) => {
          const broken = endpoint.body ? { body: '{', headers: { 'content-type': 'application/json' } } : {};
          const answer = await all.app.send(
            withHeaders({ ...request, ...broken }, { ...broken.headers, ...all.user.headers }),
          );
          assertError(answer, 404, 101, 'ObjectNotFound');
        },
      );
    });

    test("answers another app's id with ObjectNotFound, whatever the endpoint", async () => {
      const theirs = await foreignIds(all);
      const mine = await create(all.app, '/api/v2/storylines', { title: 'Mine', isEnabled: true }, all.user.headers);
      const isOneself = (endpoint: Endpoint) => endpoint.path.startsWith('/users/');
      await each(
        (endpoint) => /:(objectId|detailId|file)/.test(endpoint.path) && !isOneself(endpoint) && !endpoint.takesStream,
        async (endpoint, request) => {
          const resource = Object.keys(theirs).find((path) => endpoint.path.startsWith(path));
          // Visits, events, positions and deliveries come only from sightings and pushes, which have their own tests.
          if (resource === undefined) return assert.match(endpoint.path, /^\/(visits|events|deliveries|positions)/);
          const path = endpoint.path
            .replace(':bucketName', 'birds')
            .replace(/:objectId(?=\/detail\/)/, mine)
            .replace(':detailId', theirs['/storylines/:objectId/detail/'] ?? '')
            .replace(/:\w+/, theirs[resource] ?? '');
          const answer = await all.app.send(withHeaders({ ...request, url: apiPrefix + path }, all.user.headers));
          assertError(answer, 404, 101, 'ObjectNotFound');
        },
      );
    });

    test('refuses an expired bearer at every endpoint that needs one', async () => {
      const app = await buildApp({ database });
      try {
        await app.app.buckets.createBucket(app.appId, 'birds');
        const user = await signIn(app);
        app.clock.now += 31 * 86_400_000;
        await each(needsUser, async (_, request) => {
          assertError(await app.send(withHeaders(request, user.headers)), 403, 209, 'InvalidSessionToken');
        });
      } finally {
        await app.close();
      }
    });

    testOn(database)('refuses bodies that are not JSON, not an object, empty or of another type', async () => {
      const ids = /:(objectId|detailId|file)/;
      await each(
        (endpoint) => endpoint.body !== undefined && !ids.test(endpoint.path),
        async (_, request) => {
          const ask = (body: string | Buffer, type: string | undefined) =>
            all.app.send({ ...request, body, headers: { ...all.user.headers, 'content-type': type } });
          assertError(await ask('{"a":', 'application/json'), 400, 107, 'InvalidJSON');
          assertError(await ask('', 'application/json'), 400, 107, 'InvalidJSON');
          assertError(await ask('{"a":"\\ud800"}', 'application/json'), 400, 107, 'InvalidJSON');
          assertError(await ask('{"a":"\\u0000"}', 'application/json'), 400, 107, 'InvalidJSON');
          assertError(await ask('{"a":1e400}', 'application/json'), 400, 107, 'InvalidJSON');
          assertError(await ask(Buffer.from('{"a":"\xff"}', 'latin1'), 'application/json'), 400, 107, 'InvalidJSON');
          assertError(await ask('{}', 'text/plain'), 415, 107, 'UnsupportedMediaType');
          assertError(await ask('{}', undefined), 415, 107, 'UnsupportedMediaType');
          assertError(await ask(`{"a":"${'x'.repeat(1_048_576)}"}`, 'application/json'), 413, 116, 'ObjectTooLarge');
          const list = await ask('[]', 'application/json');
          assert.equal(list.status, 400, 'an array is no object');
        },
      );
    });

    testOn(database)('refuses a malformed query of a list', async () => {
      const queries = [
        'limit=-1',
        'limit=1.5',
        'limit=x',
        'skip=-1',
        'skip=100001',
        'count=2',
        'where=%7B',
        'where=%5B%5D',
        'order=nosuch',
        'where=%7B%22nosuch%22:1%7D',
        'where=%7B%22objectId%22:%7B%22%24nosuch%22:1%7D%7D',
      ];
      await each(
        (endpoint) => isList(endpoint) && !endpoint.path.startsWith('/storylines/:'),
        async (_, request) => {
          for (const query of queries) {
            const answer = await all.app.send(
              withHeaders({ ...request, url: `${request.url}?${query}` }, all.user.headers),
            );
            assertError(answer, 400, 102, 'InvalidQuery');
          }
        },
      );
    });

    test('shows an app nothing of another app', async () => {
      await each(
        (endpoint) => endpoint.method === 'GET' && isList(endpoint) && !endpoint.path.includes(':'),
        async (_, request) => {
          const mine = await all.app.send(withHeaders({ ...request, url: `${request.url}?count=1` }, all.user.headers));
          const theirs = await all.app.send(
            withHeaders({ ...request, url: `${request.url}?count=1` }, { ...all.strangers, ...all.stranger.headers }),
          );
          assert.equal(mine.status, 200);
          const ids = new Set(mine.body.results.map((record: { objectId: string }) => record.objectId));
          assert.ok(theirs.body.results.every((record: { objectId: string }) => !ids.has(record.objectId)));
          assert.ok(theirs.body.count <= 1);
        },
      );
    });

    test('refuses a token from the moment it expires, although it was used before', async () => {
      const app = await buildApp({ database });
      try {
        const user = await signIn(app);
        const list = { method: 'GET', url: '/api/v2/beacons', headers: user.headers } as const;
        assert.equal((await app.send(list)).status, 200);
        app.clock.now += 30 * 86_400_000 - 1000;
        assert.equal((await app.send(list)).status, 200, 'a use extends it');
        app.clock.now += 30 * 86_400_000 + 1000;
        assertError(await app.send(list), 403, 209, 'InvalidSessionToken');
      } finally {
        await app.close();
      }
    });

    test('refuses a disabled app and a disabled key from the next request on', async () => {
      const app = await buildApp({ database });
      try {
        const user = await signIn(app);
        const list = { method: 'GET', url: '/api/v2/beacons', headers: user.headers } as const;
        const second = await app.app.apps.keys.rotate(app.appId);
        const withSecond = { ...list, headers: { ...user.headers, 'x-service-appkey': second.appKey } };
        assert.equal((await app.send(list)).status, 200, 'two keys live side by side');
        assert.equal((await app.send(withSecond)).status, 200);
        await app.app.apps.keys.disable(app.appId, second.keyId);
        assertError(await app.send(withSecond), 404, 903, 'InvalidCredentials');
        for (let rotation = 0; rotation < 2; rotation++) {
          app.clock.now += 1000;
          await app.app.apps.keys.rotate(app.appId);
        }
        assertError(await app.send(list), 404, 903, 'InvalidCredentials');
      } finally {
        await app.close();
      }
    });

    testOn(database)('answers APICallLimit with Retry-After when an app calls too often from one address', async () => {
      const app = await buildApp({ database });
      try {
        await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: true, perSecond: 1, burst: 3 } } });
        const list = { method: 'GET', url: '/api/v2/users' } as const;
        for (let calls = 0; calls < 3; calls++) assert.equal((await app.send(list)).status, 200);
        const refused = await app.send(list);
        assertError(refused, 429, 904, 'APICallLimit');
        assert.equal(refused.headers['retry-after'], '1');
        assert.match(String(refused.headers['ratelimit']), /r=0/);
        app.clock.now += 1000;
        assert.equal((await app.send(list)).status, 200, 'a second later there is one more');
        await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 3 } } });
        for (let calls = 0; calls < 5; calls++) assert.equal((await app.send(list)).status, 200);
      } finally {
        await app.close();
      }
    });
  });
}
