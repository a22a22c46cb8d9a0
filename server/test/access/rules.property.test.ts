import assert from 'node:assert/strict';
import { bindTemplate, matchesRecord, parseTemplate } from '@pharos/query';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { callerVariables } from '../../src/access/rules/rule-types.ts';
import { bucketLookup } from '../../src/features/data/buckets/definition/directory.ts';
import { buildApp, databases, type SignedIn, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { runs } from '../support/depth.ts';

/** Whatever the rule: a list shows what can be got, which is what the rule means, on both databases. */

const url = '/api/v2/data/bucket/notes';

type People = Readonly<Record<'anna' | 'ben' | 'manager', SignedIn>>;

/** Names of people stand for their ids, which are made when the test runs. */
const people = fc.constantFrom('$anna', '$ben');
/** Anna belongs to both, Ben to none. */
const venues = fc.constantFrom('$north', '$south', 'elsewhere');
const states = fc.constantFrom('draft', 'public', '');
const numbers = fc.constantFrom(-1, 0, 1, 2.5);
const documents = fc.record(
  {
    state: states,
    n: fc.option(numbers, { nil: null }),
    sharedWith: fc.oneof(fc.uniqueArray(people, { maxLength: 2 }), people, fc.constant(null)),
    owner: people,
    venue: venues,
    venues: fc.uniqueArray(venues, { maxLength: 2 }),
    deep: fc.record({ a: fc.oneof(states, numbers, fc.boolean()) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const records = fc.array(fc.tuple(fc.constantFrom('anna', 'ben', undefined), documents), {
  minLength: 4,
  maxLength: 8,
});

const variable = fc.constantFrom('$auth.userId', '$auth.role', '$auth.venues');
const conditions: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.constantFrom({ createdBy: '$auth.userId' }, { createdBy: { $ne: '$auth.userId' } }, { createdBy: null }),
  fc.constantFrom({ 'metadata.sharedWith': '$auth.userId' }, { 'metadata.owner': '$auth.userId' }),
  variable.map((name) => ({ 'metadata.sharedWith': { $in: [name, '$ben'] } })),
  variable.map((name) => ({ 'metadata.owner': { $nin: [name, 'x'] } })),
  fc.constantFrom(
    { 'metadata.venue': '$auth.venues' },
    { 'metadata.venue': { $in: ['$auth.venues'] } },
    { 'metadata.venue': { $nin: ['$auth.venues', 'elsewhere'] } },
    { 'metadata.venues': { $in: ['$auth.venues', '$auth.userId'] } },
    { 'metadata.venues': { $ne: '$auth.venues' } },
    { '$auth.venues': { $in: ['$north', 'x'] } },
    { '$auth.venues': 'elsewhere' },
  ),
  states.map((state) => ({ 'metadata.state': state })),
  numbers.map((n) => ({ 'metadata.n': { $gt: n } })),
  numbers.map((n) => ({ 'metadata.n': { $ne: n } })),
  states.map((state) => ({ 'metadata.deep.a': { $in: [state, 1, true, '$auth.userId'] } })),
  fc.constantFrom(
    { '$auth.role': 'user' },
    { '$auth.role': { $ne: 'manager' } },
    { '$auth.userId': { $exists: true } },
  ),
);
const wheres = fc.letrec<{ where: Record<string, unknown> }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'where' },
    conditions,
    fc.tuple(conditions, conditions).map(([one, other]) => ({ ...one, ...other })),
    fc
      .tuple(fc.constantFrom('$or', '$and', '$nor'), fc.array(tie('where'), { minLength: 1, maxLength: 3 }))
      .map(([group, parts]) => ({ [group]: parts })),
  ),
})).where;
const rules = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('owner', 'user', 'app', 'manager', 'nobody') },
  { weight: 6, arbitrary: wheres },
);

for (const database of databases) {
  describe(`rules that nobody has thought of on ${database}`, () => {
    let app: TestApp;
    let known: People;
    let places: Readonly<Record<'north' | 'south', string>>;
    beforeAll(async () => {
      app = await buildApp({ database });
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'notes');
      known = { anna: await signIn(app), ben: await signIn(app), manager: await signInManager(app) };
      const headers = known.manager.headers;
      places = {
        north: await create(app, '/api/v2/venues', { name: 'North' }, headers),
        south: await create(app, '/api/v2/venues', { name: 'South' }, headers),
      };
      const body = { venueIds: [places.north, places.south] };
      const given = await app.send({ method: 'PUT', url: `/api/v2/users/${known.anna.userId}/venues`, headers, body });
      assert.equal(given.status, 200, JSON.stringify(given.body));
      const columns = { state: { type: 'String' }, n: { type: 'Number' } };
      await create(app, '/api/v2/data/schema/notes', { column: columns }, known.manager.headers);
      await app.app.idle();
    });
    afterAll(() => app.close());

    /** With the ids of the people in the place of their names. */
    const named = <T>(value: T): T =>
      JSON.parse(
        JSON.stringify(value)
          .replaceAll('$anna', known.anna.userId)
          .replaceAll('$ben', known.ben.userId)
          .replaceAll('$north', places.north)
          .replaceAll('$south', places.south),
      ) as T;
    const set = (notes: object) => app.app.apps.changeRules(app.appId, { buckets: { notes } });
    const get = (path: string, by: SignedIn | undefined) =>
      app.send({ method: 'GET', url: url + path, headers: by?.headers ?? {} });

    /** What the rule means for one record, said once more. */
    function isMeant(rule: unknown, record: Record<string, unknown>, by: SignedIn | undefined): boolean {
      if (rule === 'nobody') return false;
      if (by === known.manager || rule === 'app') return true;
      if (rule === 'user') return by !== undefined;
      if (rule === 'manager') return false;
      const where = rule === 'owner' ? { createdBy: '$auth.userId' } : rule;
      const template = parseTemplate(where, bucketLookup({}, []), callerVariables);
      const own = by === known.anna ? [places.north, places.south] : [];
      const values = by ? { '$auth.userId': by.userId, '$auth.role': 'user', '$auth.venues': own } : {};
      return matchesRecord(bindTemplate(template, values), record);
    }

    test('a list is what can be got, and what the rule means', async () => {
      await fc.assert(
        fc.asyncProperty(records, rules, async (given, stored) => {
          const rule = named(stored);
          await set({ create: 'app', list: 'app', get: 'app', delete: 'app' });
          for (const { objectId } of (await get('?limit=1000', undefined)).body.results)
            await app.send({ method: 'DELETE', url: `${url}/${objectId}` });
          for (const [by, metadata] of given)
            await create(app, url, { metadata: named(metadata) }, by ? known[by].headers : {});
          const all: Record<string, unknown>[] = (await get('?limit=1000', undefined)).body.results;
          await set({ list: rule, get: rule });
          for (const by of [known.anna, known.ben, known.manager, undefined]) {
            const meant = all.filter((record) => isMeant(rule, record, by)).map(({ objectId }) => objectId);
            const listed = await get('?limit=1000&count=1', by);
            const answers = await Promise.all(all.map(({ objectId }) => get(`/${objectId}`, by)));
            const got = all.filter((_, index) => answers[index]?.status === 200).map(({ objectId }) => objectId);
            assert.deepEqual(got, meant, 'what can be got');
            if (listed.status === 403) assert.deepEqual(meant, []);
            else {
              const { results, count } = listed.body;
              assert.deepEqual(
                results.map(({ objectId }: { objectId: string }) => objectId),
                meant,
                'the list',
              );
              assert.equal(count, meant.length, 'the count');
            }
          }
        }),
        runs(40),
      );
    });
  });
}
