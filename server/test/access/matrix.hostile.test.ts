import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../src/access/audit.ts';
import { type ScopeResource, scopeVerbs } from '../../src/access/keys/scopes.ts';
import { limitedByVenue, ruledResources } from '../../src/access/rules/presets.ts';
import type { StoredRule, StoredRules, Verb } from '../../src/access/rules/rule-types.ts';
import { apiPrefix } from '../../src/http/api.ts';
import {
  type Answer,
  databases,
  otherApp,
  type SentRequest,
  type SignedIn,
  signIn,
  signInManager,
} from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { browserOf, openConsole, password, signInToConsole } from '../support/console.ts';
import { openStream } from '../support/event-stream.ts';
import {
  aboutOne,
  absent,
  type Found,
  findEverything,
  type Made,
  makeEverything,
  members,
  questionsAbout,
  requestAbout,
  said,
} from '../support/interface/everything.ts';
import { openSite, type Site } from '../support/site.ts';
import { listen } from '../support/socket.ts';

/**
 * Every endpoint × every record × whoever must not learn of it: by id with every method, in lists by every member, in counts and
 * orders, in audiences and in streams. Another user of the app is in other-people.hostile.test.ts, roles of administrators in
 * console-roles.test.ts and console-data.test.ts, words of rules in rules.hostile.test.ts, scopes in secret-keys.hostile.test.ts.
 */

interface Asker {
  readonly who: string;
  /** Rules of the app while it asks. */
  readonly rules?: { readonly resources: Record<string, StoredRules>; readonly buckets: Record<string, StoredRules> };
  send(request: SentRequest): Promise<Answer>;
  /** Whether it must not learn of the records of a list (below `/api/v2`). */
  isHidden(path: string): boolean;
}

const always = () => true;
const byVenue = new Set([
  '/venues',
  '/floors',
  '/zones',
  '/beacons',
  '/notifications',
  '/visits',
  '/events',
  '/verdicts',
]);

/** One where for all verbs that can have one, and nobody for the others. */
function rulesOf(whereOf: (resource: string) => StoredRule) {
  const resources = Object.entries(ruledResources).map(([name, { verbs, wheres }]) => {
    const said = Object.entries(verbs).map(([verb, words]): [string, StoredRule] => {
      const word = (words as readonly string[]).includes('nobody') ? 'nobody' : 'owner';
      return [verb, (wheres as readonly string[]).includes(verb) && verb !== 'create' ? whereOf(name) : word];
    });
    return [name, Object.fromEntries(said)];
  });
  const one = whereOf('records');
  return {
    resources: Object.fromEntries(resources) as Record<string, StoredRules>,
    buckets: { '*': { list: one, get: one, update: one, delete: one } as StoredRules },
  };
}

const none: StoredRule = { objectId: { $in: [absent] } };
const venueMember: Readonly<Record<string, string>> = {
  venues: 'objectId',
  beacons: 'venueId',
  floors: 'venueId',
  zones: 'venueId',
};

for (const database of databases) {
  describe(`what must not be learnt is learnt by nobody on ${database}`, () => {
    let site: Site;
    let made: Made;
    let found: readonly Found[];
    let askers: readonly Asker[];
    let strangers: Readonly<Record<string, string>>;
    let foreign: SignedIn;
    let ben: SignedIn;

    beforeAll(async () => {
      site = await openSite(database);
      const { app } = site;
      strangers = await otherApp(app);
      const [ours, theirs] = [app.appId, strangers['x-service-appid'] ?? ''];
      for (const appId of [ours, theirs]) {
        await app.app.apps.change(appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
        await app.app.buckets.createBucket(appId, 'birds');
      }
      await create(app, '/api/v2/data/schema/birds', { column: { species: { type: 'String' } } }, site.user.headers);
      foreign = await signInManager(app, strangers);
      const anna = await signIn(app);
      ben = await signIn(app);
      await app.app.apps.changeRules(ours, open());
      made = await makeEverything(site, anna);
      found = await findEverything(site, made);
      const elsewhere = await create(app, '/api/v2/venues', { name: 'Elsewhere' }, site.user.headers);
      askers = await everybody(elsewhere);
    });
    afterAll(() => site.close());

    const openToUsers = () =>
      Object.fromEntries(
        Object.entries(ruledResources).map(([name, { verbs }]) => [
          name,
          Object.fromEntries(
            Object.entries(verbs)
              .filter(([, words]) => (words as readonly string[]).includes('user'))
              .map(([verb]) => [verb, 'user']),
          ),
        ]),
      ) as Record<string, StoredRules>;

    const open = () => ({ resources: openToUsers(), buckets: { '*': { list: 'user', get: 'user' } as StoredRules } });

    async function keyFor(appId: string, venues?: readonly string[]) {
      const of = Object.entries(scopeVerbs) as [ScopeResource, readonly Verb[]][];
      const scopes = of
        .filter(([resource]) => venues === undefined || limitedByVenue.has(resource))
        .map(([resource, verbs]) => ({
          resource,
          verbs: verbs.filter((verb) => venues === undefined || verb !== 'listen'),
          ...(venues ? { venues } : {}),
        }));
      const key = await site.app.app.secretKeys.create(appId, { name: 'Everything', scopes }, commandLine);
      return { 'x-service-appid': appId, 'x-service-appkey': key.secretKey };
    }

    async function everybody(venue: string): Promise<readonly Asker[]> {
      const { app } = site;
      const as = (headers: Readonly<Record<string, string>>) => (request: SentRequest) =>
        app.send({ ...request, headers: { ...headers, ...request.headers } });
      const owner = await openConsole(app, 'owner');
      const admin = { email: 'south@museum.example', name: 'South', role: 'manager', password };
      const apps = [{ appId: app.appId, venues: [venue] }];
      assert.equal(
        (await owner.send({ method: 'POST', url: '/administrators', body: { ...admin, apps } })).status,
        201,
      );
      const limited = browserOf(app, await signInToConsole(app, admin.email));
      const give = { venueIds: [venue] };
      const url = `/api/v2/users/${ben.userId}/venues`;
      assert.equal((await site.ask({ method: 'PUT', url, body: give })).status, 200);
      const appKey = await keyFor(strangers['x-service-appid'] ?? '');
      return [
        { who: 'a manager of another app', send: as({ ...strangers, ...foreign.headers }), isHidden: always },
        { who: 'a secret key of another app', send: as(appKey), isHidden: always },
        {
          who: 'a key limited to another venue',
          send: as(await keyFor(app.appId, [venue])),
          isHidden: (path) => byVenue.has(path),
        },
        {
          who: 'an administrator limited to another venue',
          send: (request) => limited.send({ ...request, url: request.url.replace(apiPrefix, `/apps/${app.appId}/v2`) }),
          isHidden: (path) => byVenue.has(path),
        },
        {
          who: 'a user under a where that nothing meets',
          rules: rulesOf(() => none),
          send: as(ben.headers),
          isHidden: always,
        },
        {
          who: 'the app key under a where that nothing meets',
          rules: rulesOf(() => none),
          send: as({}),
          isHidden: always,
        },
        {
          who: 'a user of another venue',
          rules: rulesOf((of) => (venueMember[of] ? { [venueMember[of]]: '$auth.venues' } : none) as StoredRule),
          send: as(ben.headers),
          isHidden: always,
        },
      ];
    }

    /** Runs a check for each of those who ask, under their rules. */
    async function each(check: (asker: Asker) => Promise<void>): Promise<void> {
      for (const asker of askers) {
        await site.app.app.apps.changeRules(site.app.appId, asker.rules ?? open());
        await check(asker);
      }
    }

    const hiddenFrom = ({ isHidden }: Asker) =>
      found.filter(({ path }) => isHidden(path) && !path.startsWith('/data/schema'));
    const idsIn = (of: readonly Found[]) =>
      of.flatMap(({ records }) => records.flatMap(({ objectId }) => objectId ?? [])).filter((id) => id !== ben.userId);

    test('by id, with every method, it is as absent as what there is not', async () => {
      await each(async (asker) => {
        let tried = 0;
        for (const { endpoint, ids } of aboutOne(site.app.app.endpoints, hiddenFrom(asker), made)) {
          for (const id of ids) {
            if (id === ben.userId) continue;
            const hidden = await asker.send(requestAbout(endpoint, made, id));
            const missing = await asker.send(requestAbout(endpoint, made, absent));
            assert.ok(hidden.status < 500, `${asker.who}: ${endpoint.operationId} ${hidden.raw}`);
            assert.equal(said(hidden, id), said(missing, id), `${asker.who}: ${endpoint.method} ${endpoint.path}`);
            tried++;
          }
        }
        // A list below a record that is hidden is one below no record.
        for (const method of ['GET', 'POST'] as const) {
          const below = (id: string) => {
            const scenario = { beacons: [made.beacon], campaign: 'TEXT', event: 'ENTER', showOn: [] };
            const url = `${apiPrefix}/storylines/${id}/detail`;
            return asker.send({ method, url, ...(method === 'POST' ? { body: scenario } : {}) });
          };
          const [hidden, missing] = [await below(made.storyline), await below(absent)];
          assert.equal(
            said(hidden, made.storyline),
            said(missing, absent),
            `${asker.who}: ${method} below a storyline`,
          );
        }
        assert.ok(tried > 20, `${asker.who}: ${tried} cases`);
      });
      await site.app.app.apps.changeRules(site.app.appId, open());
      const now = await findEverything(site, made);
      const text = (all: readonly Found[]) =>
        all.map(({ path, records }) => [path, records.filter(({ name }) => name !== 'Elsewhere')]);
      assert.deepEqual(text(now), text(found), 'and nothing has changed');
    });

    test('no list finds, counts or orders by it, whichever member is asked for', async () => {
      await each(async (asker) => {
        const hidden = idsIn(hiddenFrom(asker));
        for (const { path, records } of hiddenFrom(asker)) {
          const [record] = records;
          if (!record) continue;
          for (const [name, value] of members(record))
            for (const question of questionsAbout(name, value)) {
              const query = new URLSearchParams({ ...question, count: '1', limit: '1000' });
              const answer = await asker.send({ method: 'GET', url: `${apiPrefix}${path}?${query}` });
              const what = `${asker.who}: ${path}?${JSON.stringify(question)} ${answer.raw}`;
              const told = hidden.filter(
                (id) => answer.raw.includes(id) && !decodeURIComponent(query.toString()).includes(id),
              );
              assert.deepEqual(told, [], what);
              assert.ok(answer.status < 500, what);
              if (answer.status !== 200) continue;
              assert.equal(answer.body.count, answer.body.results.length, what);
              if (path !== '/venues' && path !== '/users') assert.equal(answer.body.count, 0, what);
            }
        }
      });
    });

    test('answers about other things reveal nothing about a hidden record', async () => {
      const whole = site.app.app.endpoints.filter(
        ({ method, path, answer }) => method === 'GET' && !path.includes('/:') && answer.type !== 'text/event-stream',
      );
      await each(async (asker) => {
        const hidden = idsIn(hiddenFrom(asker));
        for (const { path } of whole) {
          const { raw } = await asker.send({ method: 'GET', url: apiPrefix + path });
          assert.deepEqual(
            hidden.filter((id) => raw.includes(id)),
            [],
            `${asker.who}: ${path} ${raw}`,
          );
        }
      });
    });

    test('no audience reaches or counts a phone of another app', async () => {
      const phone = found.find(({ path }) => path === '/installations')?.records[0];
      assert.ok(phone);
      const headers = { ...strangers, ...foreign.headers };
      for (const [name, value] of members(phone)) {
        const body = { where: { [name]: value }, data: { title: 'Hello' } };
        const sent = await site.app.send({ method: 'POST', url: '/api/v2/push/notification', headers, body });
        if (sent.status === 400) continue;
        await site.app.app.idle();
        const id = String(sent.headers['location']).split('/').at(-1);
        const push = await site.app.send({ method: 'GET', url: `/api/v2/push/notification/${id}`, headers });
        assert.equal(push.body.result?.audience, 0, `${name} ${sent.raw} ${push.raw}`);
      }
      const deliveries = await site.app.send({ method: 'GET', url: '/api/v2/deliveries?count=1', headers });
      assert.equal(deliveries.body.count, 0);
    });

    test('a stream of another app, or under a where that nothing meets, sends no events', async () => {
      await site.app.app.apps.changeRules(
        site.app.appId,
        rulesOf(() => none),
      );
      const port = await listen(site.app);
      const open = (headers: Readonly<Record<string, string>>) => openStream(port, '/api/v2/stream', headers);
      const theirs = await open({ ...strangers, ...foreign.headers });
      const bens = await open({ ...site.app.credentials, ...ben.headers });
      const all = await open({ ...site.app.credentials, ...site.user.headers });
      await Promise.all([theirs.ready, all.ready]);
      site.app.clock.now += 60_000;
      await site.send([{ beacon: made.beacon, event: 'EXIT' }], { installationId: 'her-phone' });
      await all.received(1);
      // What comes after it is the first that they hear.
      const headers = { ...strangers, ...foreign.headers };
      const beacon = await create(site.app, '/api/v2/beacons', { name: 'b', uuid: 'u', major: 1, minor: 1 }, headers);
      const phone = { installationId: 'theirs', deviceType: 'ios' };
      await create(site.app, '/api/v2/installations', phone, headers);
      const body = { installationId: 'theirs', sightings: [{ beacon, event: 'ENTER' }] };
      await site.app.send({ method: 'POST', url: '/api/v2/sightings', headers, body });
      await theirs.received(1);
      const ids = idsIn(found);
      for (const stream of [theirs, bens]) {
        const told = JSON.stringify(stream.events);
        assert.deepEqual(
          ids.filter((id) => told.includes(id)),
          [],
        );
        stream.close();
      }
      assert.ok(JSON.stringify(all.events).includes(made.beacon));
      all.close();
    });
  });
}
