import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { defaultPolicy } from '../../src/access/policy.ts';
import { type LegacyPolicy, type ResourceName, ruledResources } from '../../src/access/rules/presets.ts';
import type { StoredRule, StoredRules, Verb, Word } from '../../src/access/rules/rule-types.ts';
import { compileRules } from '../../src/access/rules/rules.ts';
import { apiPrefix } from '../../src/http/api.ts';
import type { Endpoint, Ruled } from '../../src/http/endpoint.ts';
import { grantOf } from '../../src/http/grants.ts';
import {
  type Answer,
  buildApp,
  databases,
  otherApp,
  pointerTo,
  type SentRequest,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../support/build-app.ts';
import { create } from '../support/cases.ts';

/** Every endpoint that follows a rule, under every rule, for every kind of caller; from the list that routes them. */

type RuledEndpoint = Endpoint & { readonly grant: Ruled };
const isRuled = (endpoint: Endpoint): endpoint is RuledEndpoint => typeof endpoint.grant !== 'string';

type CallerName = 'app key' | 'owner' | 'other user' | 'manager';

/** What is said of a record that may not be read: nothing. */
const notThere = { status: 404, code: 101 };
const refused = { status: 403, code: 119 };
const noBearer = { status: 403, code: 209 };
const done = { status: 200, code: undefined };

/** Records that clients make, so that each has an owner: how to make one, and what a change of it may send. */
const makers: Readonly<Record<string, { readonly body: object; readonly change: object }>> = {
  '/beacons': { body: { name: 'Hall', uuid: 'u', major: 1, minor: 1 }, change: { name: 'Door' } },
  '/storylines': { body: { title: 'Tour', isEnabled: true }, change: { title: 'Walk' } },
  '/device': {
    body: { deviceName: 'Gateway', manufacture: 'Acme', topic: 'museum/gateway' },
    change: { manufacture: 'Other' },
  },
  '/data/bucket/:bucketName': { body: { metadata: { n: 1 } }, change: { n: 2 } },
};

const ruleOf = (of: Ruled['of'], rules: StoredRules) =>
  of === 'bucket' ? { buckets: { birds: rules } } : { resources: { [of]: rules } };

for (const database of databases) {
  describe(`rules on every endpoint on ${database}`, () => {
    let app: TestApp;
    let callers: Readonly<Record<CallerName, SignedIn | undefined>>;
    let owner: SignedIn;
    let strangers: Readonly<Record<string, string>>;
    let stranger: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'birds');
      owner = await signIn(app);
      callers = { 'app key': undefined, owner, 'other user': await signIn(app), manager: await signInManager(app) };
      strangers = await otherApp(app);
      await app.app.buckets.createBucket(strangers['x-service-appid'] ?? '', 'birds');
      stranger = await signInManager(app, strangers);
    });
    afterAll(() => app.close());

    const set = (of: Ruled['of'], rules: StoredRules) => app.app.apps.changeRules(app.appId, ruleOf(of, rules));
    const ask = (by: CallerName, request: SentRequest): Promise<Answer> =>
      app.send({ ...request, headers: { ...callers[by]?.headers, ...request.headers } });
    const pathOf = (path: string, id = '0000000000000000NONE') =>
      apiPrefix + path.replace(':bucketName', 'birds').replace(/:\w+/g, id);
    const ruled = () => app.app.endpoints.filter(isRuled);

    test('lets in whom the word says, before anything else is looked at', async () => {
      const within: Readonly<Record<Word, readonly CallerName[]>> = {
        nobody: [],
        manager: ['manager'],
        owner: ['owner', 'other user', 'manager'],
        user: ['owner', 'other user', 'manager'],
        app: ['app key', 'owner', 'other user', 'manager'],
      };
      for (const endpoint of ruled()) {
        const { of, verb } = endpoint.grant;
        const words = of === 'bucket' ? (['nobody', 'manager', 'owner', 'user', 'app'] as const) : wordsOf(of, verb);
        for (const word of words) {
          await set(of, { [verb]: word });
          for (const by of Object.keys(callers) as CallerName[]) {
            const body = endpoint.takesStream ? 'text' : endpoint.body?.example;
            const type = endpoint.takesStream ? { 'content-type': 'text/plain' } : {};
            const url = pathOf(endpoint.path);
            const { status, body: said } = await ask(by, {
              method: endpoint.method,
              url,
              headers: type,
              ...(body === undefined ? {} : { body }),
            });
            const isKeptOut = status === 403 && (said.code === 209 || said.error?.error.includes("app's policy"));
            const isLetIn = within[word].includes(by);
            assert.equal(
              !isKeptOut,
              isLetIn,
              `${endpoint.operationId}, ${word}, ${by}: ${status} ${JSON.stringify(said)}`,
            );
          }
        }
      }
      await app.app.apps.changeRules(app.appId, {});
    });

    const wheres: Readonly<Record<string, StoredRule>> = {
      'a where of the owner': { createdBy: '$auth.userId' },
      'a where of nobody': { $or: [{ createdBy: '$auth.userId', objectId: 'x' }, { '$auth.role': 'nobody' }] },
    };
    const rules: readonly (readonly [rule: string, stored: StoredRule, readers: readonly CallerName[]])[] = [
      ['nobody', 'nobody', []],
      ['manager', 'manager', ['manager']],
      ['owner', 'owner', ['owner', 'manager']],
      ['user', 'user', ['owner', 'other user', 'manager']],
      ['app', 'app', ['app key', 'owner', 'other user', 'manager']],
      ['a where of the owner', wheres['a where of the owner'] as StoredRule, ['owner', 'manager']],
      ['a where of nobody', wheres['a where of nobody'] as StoredRule, ['manager']],
    ];

    for (const [path, { body, change }] of Object.entries(makers))
      test(`${path}: a record that may not be read is not there`, async () => {
        const endpoint = ruled().find((each) => each.path === path && each.method === 'POST') as RuledEndpoint;
        const { of } = endpoint.grant;
        await set(of, { create: 'user' });
        const id = await create(app, pathOf(path), body, owner.headers);
        const one = pathOf(`${path}/:objectId`, id);
        const none = pathOf(`${path}/:objectId`);
        for (const [rule, stored, readers] of rules) {
          await set(of, {
            list: stored,
            get: stored,
            ...(stored === 'app' ? {} : { update: stored }),
            delete: 'nobody',
          });
          for (const by of Object.keys(callers) as CallerName[]) {
            const mayRead = readers.includes(by);
            const what = `${rule}, ${by}`;
            const got = await ask(by, { method: 'GET', url: one });
            const absent = await ask(by, { method: 'GET', url: none });
            if (mayRead) assert.equal(got.status, 200, what);
            else assert.deepEqual(saidBy(got), saidBy(absent), what);
            for (const query of [
              '',
              `?where={"objectId":"${id}"}&count=1&limit=0`,
              `?where={"objectId":"${id}"}&count=1`,
              `?where={"$or":[{"objectId":"${id}"},{"objectId":"y"}]}&count=1&order=-createdAt`,
              `?where={"$nor":[{"objectId":"y"}]}&count=1&order=createdBy&limit=1000`,
              `?where={"createdBy":${JSON.stringify(pointerTo(owner))}}&count=1&skip=0`,
            ]) {
              const listed = await ask(by, { method: 'GET', url: pathOf(path) + encodeURI(query) });
              assert.equal(listed.raw.includes(id), mayRead && !query.includes('limit=0'), `${what} ${query}`);
              // Other records may be the caller's own.
              if (query.includes(id) && listed.body.count !== undefined)
                assert.equal(listed.body.count > 0, mayRead, `${what} ${query}`);
            }
            if (stored === 'app') continue;
            const changed = await ask(by, { method: 'PUT', url: one, body: change });
            const expected = mayRead ? done : (await ask(by, { method: 'PUT', url: none, body: change })).body.code;
            assert.deepEqual(
              mayRead ? { status: changed.status, code: undefined } : changed.body.code,
              expected,
              `PUT ${what} ${JSON.stringify(changed.body)}`,
            );
          }
        }
        await set(of, { get: 'user', update: 'owner', delete: 'owner', list: 'user' });
        const tries: readonly (readonly [CallerName, object])[] = [
          ['app key', noBearer],
          ['other user', refused],
        ];
        for (const [by, expected] of tries)
          for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
            const { status, body } = await ask(by, {
              method,
              url: one,
              ...(method === 'DELETE' ? {} : { body: change }),
            });
            assert.deepEqual({ status, code: body.code }, expected, `${method} ${by}`);
          }
        const foreign = await app.send({ method: 'GET', url: one, headers: { ...strangers, ...stranger.headers } });
        assert.deepEqual({ status: foreign.status, code: foreign.body.code }, notThere);
        assert.equal((await ask('owner', { method: 'DELETE', url: one })).status, 200);
      });

    test('a rule that names a user means this one, in lists as in single records', async () => {
      const { owner: named, 'other user': other, manager } = callers;
      const namedId = named?.userId ?? '';
      const birds = '/api/v2/data/bucket/birds';
      const ids: string[] = [];
      for (const n of [71, 72]) ids.push(await create(app, birds, { metadata: { n } }, manager?.headers));
      const seenBy = async (caller: SignedIn | undefined) => {
        const where = encodeURIComponent(JSON.stringify({ 'metadata.n': { $in: [71, 72] } }));
        const list = await app.send({
          method: 'GET',
          url: `${birds}?where=${where}&count=1`,
          headers: caller?.headers,
        });
        const gets = await Promise.all(
          ids.map((id) => app.send({ method: 'GET', url: `${birds}/${id}`, headers: caller?.headers })),
        );
        const found = list.body.results.map(({ metadata }: { metadata: { n: number } }) => metadata.n).sort();
        assert.deepEqual(
          gets.map(({ status }) => status),
          [71, 72].map((n) => (found.includes(n) ? 200 : 404)),
        );
        assert.equal(list.body.count, found.length);
        return found;
      };
      const first = { 'metadata.n': 71 };
      for (const [condition, ofNamed, ofOther] of [
        [{ '$auth.userId': namedId }, [71, 72], [71]],
        [{ '$auth.userId': { $ne: namedId } }, [71], [71, 72]],
      ] as const) {
        const rule = { $or: [first, { $and: [condition, { 'metadata.n': 72 }] }] };
        await set('bucket', { list: rule, get: rule });
        for (let time = 0; time < 2; time++)
          assert.deepEqual([await seenBy(other), await seenBy(named)], [ofOther, ofNamed], JSON.stringify(condition));
      }
      await set('bucket', {});
    });

    test('a pointer to a record that may not be read is a pointer to nothing', async () => {
      const beacon = await create(app, '/api/v2/beacons', makers['/beacons']?.body, callers.manager?.headers ?? {});
      const send = async (objectId: string) => {
        const beaconId = { __type: 'Pointer', className: 'Beacon', objectId };
        const message = { alertTitle: 'a', alertMessage: 'b' };
        const body = { description: 'd', beaconId, event: 'ENTER', type: 'TEXT', message, isEnabled: true };
        return ask('owner', { method: 'POST', url: '/api/v2/notifications', body });
      };
      assert.equal((await send(beacon)).status, 201);
      await set('beacons', { get: 'owner' });
      const none = '0000000000000000NONE';
      const [hidden, absent] = [await send(beacon), await send(none)];
      assert.deepEqual(JSON.stringify(saidBy(hidden)).replace(beacon, none), JSON.stringify(saidBy(absent)));
      await app.app.apps.changeRules(app.appId, {});
    });
  });
}

function wordsOf(of: ResourceName, verb: Verb): readonly Word[] {
  const resource: { readonly verbs: Partial<Record<Verb, readonly Word[]>> } = ruledResources[of];
  const words = resource.verbs[verb];
  assert.ok(words, `${of} has a rule for ${verb}`);
  return words;
}

/** An answer without what is another one in each answer. */
function saidBy({ status, body }: Answer) {
  return { status, code: body.code, error: { ...body.error, requestId: undefined } };
}

describe('the members of the policy that were there before the rules', () => {
  /** Who may call, as it was before, written down a second time. */
  const before: readonly (readonly [Partial<LegacyPolicy>, Readonly<Record<string, string>>])[] = [
    [
      {},
      {
        'users.list': 'visitor',
        'users.create': 'visitor',
        'beacons.list': 'user',
        'beacons.create': 'user',
        'beacons.update': 'user',
        'beacons.delete': 'user',
        'notifications.get': 'user',
        'storylines.get': 'user',
        'scenarios.update': 'user',
        'schemas.list': 'user',
        'schemas.create': 'user',
        'pushes.create': 'user',
        'pushes.list': 'user',
        'files.create': 'visitor',
        'files.list': 'user',
        'devices.create': 'visitor',
        'devices.list': 'user',
        'devices.update': 'user',
        'installations.create': 'visitor',
        'visits.list': 'user',
        'logs.list': 'user',
        'logs.create': 'visitor',
      },
    ],
    [{ listUsers: 'nobody' }, { 'users.list': 'nobody' }],
    [{ listUsers: 'manager' }, { 'users.list': 'manager' }],
    [{ readContent: 'app' }, { 'beacons.get': 'visitor', 'scenarios.list': 'visitor', 'schemas.get': 'user' }],
    [{ writeContent: 'manager' }, { 'beacons.create': 'manager', 'schemas.update': 'manager', 'beacons.get': 'user' }],
    [{ writeContent: 'nobody' }, { 'storylines.delete': 'nobody', 'devices.delete': 'user' }],
    [{ push: 'manager' }, { 'pushes.create': 'manager', 'pushes.get': 'manager' }],
    [{ push: 'nobody' }, { 'pushes.create': 'nobody', 'pushes.list': 'nobody', 'pushes.update': 'nobody' }],
    [{ uploadNeedsUser: true }, { 'files.create': 'user' }],
    [{ deviceNeedsUser: true }, { 'devices.create': 'user' }],
  ];

  test('mean what they meant in apps that have no rules', () => {
    for (const [policy, expected] of before) {
      const rules = compileRules({}, { ...defaultPolicy, ...policy });
      for (const [name, grant] of Object.entries(expected)) {
        const [of, verb] = name.split('.') as [ResourceName, Verb];
        assert.equal(grantOf({ grant: { of, verb } }, rules), grant, `${JSON.stringify(policy)} ${name}`);
      }
    }
  });
});
