import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { ruledResources } from '../../src/access/rules/presets.ts';
import type { StoredRule, StoredRules } from '../../src/access/rules/rule-types.ts';
import { apiPrefix } from '../../src/http/api.ts';
import { type Answer, databases, type SentRequest, type SignedIn, signIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import {
  aboutOne,
  absent,
  type Found,
  findEverything,
  herPhone,
  type Made,
  makeEverything,
  members,
  questionsAbout,
  requestAbout,
  type Shown,
  said,
} from '../support/interface/everything.ts';
import { openSite, type Site } from '../support/site.ts';

/**
 * Everything that one visitor has, asked for by another in every way that the interface has: by id, with every method; in
 * lists, by every member that the records have; in counts, orders, audiences and exports. The cases follow from the endpoints
 * that are routed and from the records that there are.
 */

const isHers = (record: Shown) => record['installationId'] === herPhone;

/** Whatever can belong to its owner does. */
const closed = (): {
  readonly resources: Record<string, StoredRules>;
  readonly buckets: Record<string, StoredRules>;
} => {
  const resources = Object.entries(ruledResources).map(([name, { verbs }]) => {
    const own = Object.entries(verbs).flatMap(([verb, words]): [string, StoredRule][] => {
      const word = verb === 'create' ? 'user' : 'owner';
      return (words as readonly string[]).includes(word) ? [[verb, word]] : [];
    });
    return [name, Object.fromEntries(own)];
  });
  const all = { list: 'owner', get: 'owner', update: 'owner', delete: 'owner' } as const;
  return { resources: Object.fromEntries(resources), buckets: { '*': all } };
};

for (const database of databases) {
  describe(`what belongs to somebody else is not there on ${database}`, () => {
    let site: Site;
    let anna: SignedIn;
    let ben: SignedIn;
    let made: Made;
    let found: readonly Found[];
    /** Ids of what is Anna's. */
    let hers: readonly string[];

    beforeAll(async () => {
      site = await openSite(database);
      const { app } = site;
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'birds');
      await create(app, '/api/v2/data/schema/birds', { column: { species: { type: 'String' } } }, site.user.headers);
      [anna, ben] = [await signIn(app), await signIn(app)];
      await app.app.apps.changeRules(app.appId, closed());
      made = await makeEverything(site, anna);
      found = await findEverything(site, made);
      hers = found
        .filter(({ path }) => path !== '/data/schema/birds')
        .flatMap(({ records }) => records.map(({ objectId = '' }) => objectId))
        .filter((id) => id !== '' && id !== ben.userId);
    });
    afterAll(() => site.close());

    const ask = (by: SignedIn, request: SentRequest) =>
      site.app.send({ ...request, headers: { ...by.headers, ...request.headers } });
    const get = (by: SignedIn, path: string, query: Readonly<Record<string, string>> = {}) =>
      ask(by, { method: 'GET', url: `${apiPrefix}${path}?${new URLSearchParams(query)}` });

    const assertTellsNothing = (answer: Answer, what: string) => {
      const told = hers.filter((id) => answer.raw.includes(id));
      assert.deepEqual(told, [], `${what}: ${answer.raw}`);
    };

    test('there is one of everything to be found', () => {
      const none = found.filter(({ records }) => records.length === 0).map(({ path }) => path);
      // Positions need three beacons on a floor, and are tried in hostile/attempts-at-people.test.ts.
      assert.deepEqual(none, ['/positions']);
    });

    test('by id, with every method, it is as absent as what there is not', async () => {
      let tried = 0;
      for (const { endpoint, ids } of aboutOne(site.app.app.endpoints, found, made)) {
        // Schemas say how records are, and belong to nobody.
        if (endpoint.path.startsWith('/data/schema')) continue;
        for (const id of ids) {
          if (id === ben.userId) continue;
          const hidden = await ask(ben, requestAbout(endpoint, made, id));
          const missing = await ask(ben, requestAbout(endpoint, made, absent));
          assert.equal(said(hidden, id), said(missing, id), `${endpoint.method} ${endpoint.path}`);
          tried++;
        }
      }
      assert.ok(tried > 60, `${tried} cases`);
      const now = await findEverything(site, made);
      assert.deepEqual(
        now.map(({ path, records }) => [path, records]),
        found.map(({ path, records }) => [path, records]),
        'and nothing has changed',
      );
    });

    test('no list finds, counts or orders by it, whichever member is asked for', async () => {
      for (const { path, records } of found) {
        const [record] = records;
        if (!record || path.startsWith('/data/schema')) continue;
        for (const [name, value] of members(record)) {
          for (const query of questionsAbout(name, value)) {
            const answer = await get(ben, path, { ...query, count: '1', limit: '1000' });
            const what = `${path}?${JSON.stringify(query)}`;
            assertTellsNothing(answer, what);
            if (answer.status === 200) assert.equal(answer.body.count, answer.body.results.length, what);
            const count = await get(ben, path, { ...query, count: '1', limit: '0' });
            assert.equal(count.body.count, answer.body.count, what);
          }
        }
      }
    });

    test('answers about other things reveal nothing about a hidden record', async () => {
      const whole = site.app.app.endpoints.filter(
        ({ method, path, answer }) => method === 'GET' && !path.includes('/:') && answer.type !== 'text/event-stream',
      );
      assert.ok(whole.length > 20);
      for (const endpoint of whole) assertTellsNothing(await get(ben, endpoint.path), endpoint.path);
    });

    test('no audience tells of a phone that one may not list', async () => {
      const { app } = site;
      await app.app.apps.change(app.appId, { policy: { approval: { enabled: true, above: 1 } } });
      const phone = found.find(({ path }) => path === '/installations')?.records.find(isHers);
      assert.ok(phone);
      const told = async (where: object) => {
        const body = { where, data: { title: 'Hello' } };
        const answer = await ask(ben, { method: 'POST', url: '/api/v2/push/notification', body });
        await app.app.idle();
        const id = String(answer.headers['location']).split('/').at(-1) ?? absent;
        const push = (await get(ben, `/push/notification/${id}`)).body.result ?? {};
        const same = { objectId: id, createdAt: '', updatedAt: '', expiresAt: '', where: '' };
        return [answer.status, answer.body.error?.name, { ...push, ...same, objectId: '' }];
      };
      const own = { installationId: 'a phone of his own' };
      const none = await told({ $or: [own, { channels: 'nobody has this one' }] });
      for (const [name, value] of members(phone)) {
        const some = await told({ $or: [own, { [name]: value }] });
        if (some[0] !== 400) assert.deepEqual(some, none, name);
      }
    });
  });
}
