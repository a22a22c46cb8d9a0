import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../src/access/audit.ts';
import { scopeVerbs } from '../../src/access/keys/scopes.ts';
import { bucketRecords, type RuledResource, ruledResources } from '../../src/access/rules/presets.ts';
import { verbs } from '../../src/access/rules/rule-types.ts';
import { apiPrefix } from '../../src/http/api.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { scopesOf } from '../../src/http/grants.ts';
import {
  type Answer,
  buildApp,
  databases,
  otherApp,
  type SentRequest,
  signIn,
  type TestApp,
} from '../support/build-app.ts';

/** Every endpoint with every kind of scope, from the list that routes them: what a secret key opens, and what it does not. */

/** Where a person signs in, or deals with her own account: no secret key can do that. */
const forPeople = [
  'addPasskey',
  'deleteMe',
  'deleteUser',
  'disableTotp',
  'enableTotp',
  'endOtherSessions',
  'endSession',
  'exportMe',
  'finishSignIn',
  'forgotPassword',
  'getErasure',
  'getMe',
  'getMyFactors',
  'getUser',
  'linkIdentity',
  'listIdentities',
  'listPasskeys',
  'listSessions',
  'pairInstallation',
  'patchMe',
  'patchUser',
  'refreshToken',
  'removePasskey',
  'renamePasskey',
  'renewRecoveryCodes',
  'requestSignInLink',
  'requestVerification',
  'resetPassword',
  'setUserVenues',
  'signIn',
  'signInWithLink',
  'signInWithPasskey',
  'signInWithToken',
  'signOut',
  'startPasskey',
  'startPasskeySignIn',
  'startTotp',
  'startTotpAtSignIn',
  'unlinkIdentity',
  'updateMe',
  'updateUser',
  'verifyEmail',
];

const noId = '0000000000000000NONE';
const everything = Object.entries(scopeVerbs).map(([resource, allowed]) => ({ resource, verbs: allowed }));
const textOf = ({ of, verb }: { readonly of: string; readonly verb: string }) => `${of}:${verb}`;

function requestTo(endpoint: Endpoint): SentRequest {
  const path = endpoint.path.replace(':bucketName', 'birds').replace(/:\w+/g, noId);
  // A stream has no end, except one that is refused for its number.
  const query = endpoint.answer.type === undefined ? '' : '?after=none';
  const body = endpoint.takesStream ? 'text' : endpoint.body?.example;
  return {
    method: endpoint.method,
    url: apiPrefix + path + query,
    ...(endpoint.takesStream ? { headers: { 'content-type': 'text/plain' } } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

const isOutOfScope = ({ status, body }: Answer) =>
  status === 403 && body.code === 119 && /secret key/.test(body.error.error);

for (const database of databases) {
  describe(`secret keys on every endpoint on ${database}`, () => {
    let app: TestApp;
    let strangers: Readonly<Record<string, string>>;
    let count = 0;
    beforeAll(async () => {
      app = await buildApp({ database });
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'birds');
      strangers = await otherApp(app);
    });
    afterAll(() => app.close());

    async function makeKey(scopes: unknown) {
      const made = await app.app.secretKeys.create(app.appId, { name: `Key ${++count}`, scopes }, commandLine);
      return { headers: { 'x-service-appkey': made.secretKey }, keyId: made.key.keyId };
    }
    const keyFor = async (scopes: unknown) => (await makeKey(scopes)).headers;
    /** An app has a hundred secret keys at most. */
    async function askOnce(request: SentRequest, scopes: unknown): Promise<Answer> {
      const { headers, keyId } = await makeKey(scopes);
      const answer = await ask(request, headers);
      await app.app.secretKeys.revoke(app.appId, keyId, commandLine);
      return answer;
    }
    const ask = (request: SentRequest, headers: Readonly<Record<string, string>>) =>
      app.send({ ...request, headers: { ...request.headers, ...headers } });

    test('each endpoint needs a scope or is for people, and each scope is needed by an endpoint', () => {
      const { endpoints } = app.app;
      const without = endpoints.filter((endpoint) => scopesOf(endpoint).length === 0);
      assert.deepEqual(without.map(({ operationId }) => operationId).sort(), forPeople);
      const needed = new Set(endpoints.flatMap(scopesOf).map(textOf));
      const known = Object.entries(scopeVerbs).flatMap(([of, allowed]) => allowed.map((verb) => textOf({ of, verb })));
      assert.deepEqual([...needed].sort(), known.sort());
    });

    test('each is open with its scope and refused with all the others, which names the missing one', async () => {
      const all = await keyFor(everything);
      for (const endpoint of app.app.endpoints) {
        const needed = scopesOf(endpoint);
        const request = requestTo(endpoint);
        const others = everything.flatMap(({ resource, verbs: allowed }) => {
          const left = allowed.filter((verb) => !needed.some((scope) => scope.of === resource && scope.verb === verb));
          return left.length > 0 ? [{ resource, verbs: left }] : [];
        });
        const refused = await askOnce(request, others);
        assert.ok(isOutOfScope(refused), `${endpoint.operationId}: ${refused.status}`);
        for (const scope of needed) {
          assert.match(refused.body.error.error, new RegExp(textOf(scope)), endpoint.operationId);
          const own = await askOnce(request, [{ resource: scope.of, verbs: [scope.verb] }]);
          assert.ok(!isOutOfScope(own) && own.status < 500, `${endpoint.operationId}: ${JSON.stringify(own.body)}`);
          assert.notEqual(own.body.code, 209, `${endpoint.operationId} asks a secret key for a bearer`);
        }
        assert.equal(isOutOfScope(await ask(request, all)), needed.length === 0, endpoint.operationId);
      }
    });

    test('each passes the strictest rule but nobody, and not the key of another app', async () => {
      const all = await keyFor(everything);
      for (const endpoint of app.app.endpoints) {
        const { grant } = endpoint;
        if (typeof grant === 'string') continue;
        // Wrong credentials are counted by address.
        app.clock.now += 1_000;
        const request = requestTo(endpoint);
        const ruleOf = (word: 'manager' | 'nobody') =>
          grant.of === 'bucket'
            ? { buckets: { birds: { [grant.verb]: word } } }
            : { resources: { [grant.of]: { [grant.verb]: word } } };
        const { verbs: words }: RuledResource = grant.of === 'bucket' ? bucketRecords : ruledResources[grant.of];
        if (words[grant.verb]?.includes('manager')) {
          await app.app.apps.changeRules(app.appId, ruleOf('manager'));
          const passed = await ask(request, all);
          assert.ok(passed.body.code !== 119, `${endpoint.operationId}: ${JSON.stringify(passed.body)}`);
        }
        await app.app.apps.changeRules(app.appId, ruleOf('nobody'));
        const refused = await ask(request, all);
        assert.deepEqual([refused.status, refused.body.code], [403, 119], `${endpoint.operationId} under nobody`);
        const elsewhere = await ask(request, { ...strangers, ...all });
        assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 903], `${endpoint.operationId} of another app`);
      }
      await app.app.apps.changeRules(app.appId, {});
    });

    test('none takes a secret key and a bearer together', async () => {
      const all = await keyFor(everything);
      const user = await signIn(app);
      for (const endpoint of app.app.endpoints) {
        const answer = await ask(requestTo(endpoint), { ...all, ...user.headers });
        assert.deepEqual([answer.status, answer.body.code], [403, 119], endpoint.operationId);
        assert.match(answer.body.error.error, /without an Authorization header/);
      }
    });

    test('a scope of one bucket opens no other', async () => {
      await app.app.buckets.createBucket(app.appId, 'plants');
      const one = await keyFor([
        { resource: 'records', verbs: verbs.filter((verb) => verb !== 'listen'), buckets: ['birds'] },
      ]);
      for (const endpoint of app.app.endpoints.filter(
        ({ path }) => path.includes(':bucketName') && path.startsWith('/data/bucket'),
      )) {
        const request = requestTo(endpoint);
        assert.ok(!isOutOfScope(await ask(request, one)), endpoint.operationId);
        const other = await ask({ ...request, url: request.url.replace('birds', 'plants') }, one);
        assert.ok(isOutOfScope(other), endpoint.operationId);
        assert.match(other.body.error.error, /in the bucket plants/);
      }
    });
  });
}
