import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ruledResources } from '../src/access/rules/presets.ts';
import type { StoredRule, StoredRules } from '../src/access/rules/rule-types.ts';
import { apiPrefix } from '../src/http/api.ts';
import type { Endpoint } from '../src/http/endpoint.ts';
import { type Answer, databases, type SentRequest, type SignedIn, signIn } from './support/build-app.ts';
import { create } from './support/cases.ts';
import { openSite, pointer, type Site, week } from './support/site.ts';

/**
 * Everything that one visitor has, asked for by another in every way that the interface has: by id, with every method; in
 * lists, by every member that the records have; in counts, orders, audiences and exports. The cases follow from the endpoints
 * that are routed and from the records that there are.
 */

const absent = '0000000000000000NONE';

/** A phone that has no secret, or another one, is told so; that tells whoever knows its id that there is such a phone. */
const tellsOfIds = new Set(['pairInstallation']);

const herPhone = 'her-phone';

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

type Shown = Readonly<Record<string, unknown>> & { readonly objectId?: string };

interface Found {
  readonly endpoint: Endpoint;
  /** Below `/api/v2`. */
  readonly path: string;
  readonly records: readonly Shown[];
}

for (const database of databases) {
  describe(`what belongs to somebody else is not there on ${database}`, () => {
    let site: Site;
    let anna: SignedIn;
    let ben: SignedIn;
    let storyline: string;
    let found: readonly Found[];
    /** Ids of what is Anna's. */
    let hers: readonly string[];

    before(async () => {
      site = await openSite(database);
      const { app } = site;
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'birds');
      await create(app, '/api/v2/data/schema/birds', { column: { species: { type: 'String' } } }, site.user.headers);
      [anna, ben] = [await signIn(app), await signIn(app)];
      await app.app.apps.changeRules(app.appId, closed());
      await makeAll();
      found = await findAll();
      hers = found
        .filter(({ path }) => path !== '/data/schema/birds')
        .flatMap(({ records }) => records.map(({ objectId = '' }) => objectId))
        .filter((id) => id !== '' && id !== ben.userId);
    });
    after(() => site.close());

    /** One record of every kind, made by Anna or about her phone. */
    async function makeAll(): Promise<void> {
      const { app } = site;
      const make = (path: string, body: unknown, headers = {}) =>
        create(app, `/api/v2${path}`, body, { ...anna.headers, ...headers });
      const polygon = [
        { x: 0, y: 0 },
        { x: 9, y: 0 },
        { x: 9, y: 9 },
      ];
      const venue = await make('/venues', { name: 'Her house' });
      const of = pointer('Venue', venue);
      const floor = await make('/floors', { name: 'Her floor', level: 0, venueId: of });
      await make('/zones', { name: 'Her room', kind: 'room', floorId: pointer('Floor', floor), polygon });
      const beacon = await make('/beacons', { name: 'Her door', uuid: 'her-uuid', major: 7, minor: 7 });
      const message = { alertTitle: 'Hers', alertMessage: 'Her words' };
      const about = { description: 'Hers', beaconId: pointer('Beacon', beacon), event: 'ENTER', type: 'TEXT' };
      await make('/notifications', { ...about, message, isEnabled: true });
      storyline = await make('/storylines', { title: 'Her tour', isEnabled: true });
      const showOn = week.map((dayName) => ({ dayName, checked: true }));
      const scenario = { beacons: [beacon], campaign: 'TEXT', event: 'ENTER', showOn, alertTitle: 'Hers' };
      await make(`/storylines/${storyline}/detail`, scenario);
      await make('/device', { deviceName: 'Her gateway', manufacture: 'Acme', topic: 'her/gateway' });
      await make('/data/bucket/birds', { metadata: { species: 'owl', secret: 'hers' } });
      await make('/files/hers.txt', 'her words', { 'content-type': 'text/plain' });
      const installationId = herPhone;
      const phone = { installationId, deviceType: 'android', deviceToken: 'her token', channels: ['hers'] };
      await make('/installations', { ...phone, userId: pointer('_User', anna.userId) });
      await make('/logs', { installationId, level: 'info', message: 'hers', metadata: { hers: true } }).catch(() => '');
      const push = { where: { installationId }, data: { title: 'To her' } };
      await app.send({ method: 'POST', url: '/api/v2/push/notification', headers: anna.headers, body: push });
      // The manager's message makes a delivery of her visit.
      await site.notification();
      await site.send([site.decided('ENTER')], { installationId });
      await app.app.idle();
    }

    const isList = ({ method, query = [], answer }: Endpoint) =>
      method === 'GET' && query.some(({ name }) => name === 'limit') && answer.type === undefined;
    const pathOf = ({ path }: Endpoint, id = absent) =>
      path
        .replace(':bucketName', 'birds')
        .replace('/storylines/:objectId/detail', `/storylines/${storyline}/detail`)
        .replace(/:\w+/g, id);
    const ask = (by: SignedIn, request: SentRequest) =>
      site.app.send({ ...request, headers: { ...by.headers, ...request.headers } });
    const get = (by: SignedIn, path: string, query: Readonly<Record<string, string>> = {}) =>
      ask(by, { method: 'GET', url: `${apiPrefix}${path}?${new URLSearchParams(query)}` });

    /** Every list as a manager sees it. */
    async function findAll(): Promise<readonly Found[]> {
      const lists = site.app.app.endpoints.filter(isList).map(async (endpoint) => {
        const path = pathOf(endpoint);
        const { status, body, raw } = await get(site.user, path, { limit: '1000' });
        assert.equal(status, 200, `${path} ${raw}`);
        const all = body.results as readonly Shown[];
        const own = JSON.stringify(site.user.userId);
        return { endpoint, path, records: all.filter((record) => !JSON.stringify(record).includes(own)) };
      });
      return Promise.all(lists);
    }

    /** An answer without what is another one in each, and without the id that was asked for. */
    const said = ({ status, body }: Answer, id: string) =>
      `${status} ${JSON.stringify(body)}`.replace(/"requestId":"[^"]*"/, '').replaceAll(id, absent);
    const assertTellsNothing = (answer: Answer, what: string) => {
      const told = hers.filter((id) => answer.raw.includes(id));
      assert.deepEqual(told, [], `${what}: ${answer.raw}`);
    };

    test('there is one of everything to be found', () => {
      const none = found.filter(({ records }) => records.length === 0).map(({ path }) => path);
      // Positions need three beacons on a floor, and have their tests in whereabouts.test.ts.
      assert.deepEqual(none, ['/positions']);
    });

    test('by id, with every method, it is as absent as what there is not', async () => {
      const one = site.app.app.endpoints.filter(
        // An upload names a file that there is not yet.
        ({ path, operationId, takesStream }) =>
          /:(objectId|detailId|file)/.test(path) && !tellsOfIds.has(operationId) && !takesStream,
      );
      let tried = 0;
      for (const endpoint of one) {
        const home = found.filter(({ path }) => `${pathOf(endpoint)}/`.startsWith(`${path}/`));
        const records = endpoint.path.startsWith('/push/notification/')
          ? found.find(({ path }) => path === '/push/notifications')?.records
          : home.at(-1)?.records;
        // Schemas say how records are, and belong to nobody.
        if (endpoint.path.startsWith('/data/schema')) continue;
        for (const { objectId: id = '' } of records ?? []) {
          if (id === '' || id === ben.userId) continue;
          const body = endpoint.body?.example;
          const request = { method: endpoint.method, ...(body === undefined ? {} : { body }) };
          const url = (name: string) => apiPrefix + pathOf(endpoint, name);
          const hidden = await ask(ben, { ...request, url: url(id) });
          const missing = await ask(ben, { ...request, url: url(absent) });
          assert.equal(said(hidden, id), said(missing, id), `${endpoint.method} ${endpoint.path}`);
          tried++;
        }
      }
      assert.ok(tried > 60, `${tried} cases`);
      const now = await findAll();
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
          const queries: readonly Readonly<Record<string, string>>[] = [
            { where: JSON.stringify({ [name]: value }) },
            { where: JSON.stringify({ $or: [{ [name]: value }, { [name]: { $exists: true } }] }), order: name },
            { where: JSON.stringify({ $nor: [{ [name]: value }] }), order: `-${name}` },
          ];
          for (const query of queries) {
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

    test('nothing that answers without being asked for a record tells of it', async () => {
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

/** What can be asked for in a record: its members, and those of its documents. */
function members(record: Shown): [name: string, value: unknown][] {
  return Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    const isDocument = typeof value === 'object' && value !== null && !Array.isArray(value) && !('__type' in value);
    return isDocument
      ? Object.entries(value).map(([part, inner]): [string, unknown] => [`${name}.${part}`, inner])
      : [[name, value]];
  });
}
