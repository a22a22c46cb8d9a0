import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { ruledResources } from '../../src/access/rules/presets.ts';
import { detailExample, storylineExample } from '../../src/features/messages/storylines/resource.ts';
import { beaconExample } from '../../src/features/places/beacons/resource.ts';
import { buildApp, databases, type SignedIn, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, openConsole } from '../support/console.ts';
import { runs } from '../support/depth.ts';

/** What trying rules tells is what real requests are answered, once these are the rules. */

const words = (verb: 'create' | 'change' | 'read') =>
  fc.constantFrom(
    ...{
      create: ['nobody', 'manager', 'user'],
      change: ['nobody', 'manager', 'owner', 'user'],
      read: ['nobody', 'manager', 'owner', 'user', 'app'],
    }[verb],
  );
const bucketWheres = fc.constantFrom(
  { 'metadata.sharedWith': '$auth.userId' },
  { 'metadata.state': 'public' },
  { $or: [{ createdBy: '$auth.userId' }, { 'metadata.state': { $ne: 'draft' } }] },
  { '$auth.role': 'user', 'metadata.state': { $exists: true } },
);
const siteWheres = fc.constantFrom(
  { createdBy: '$auth.userId' },
  { createdBy: null },
  { createdBy: { $ne: '$auth.userId' } },
);
const rulesWith = (wheres: fc.Arbitrary<object>, isBucket: boolean) =>
  fc.record(
    {
      list: fc.oneof(words('read'), wheres),
      get: fc.oneof(words('read'), wheres),
      create: isBucket ? words('read') : words('create'),
      update: fc.oneof(isBucket ? words('read') : words('change'), wheres),
      delete: fc.oneof(isBucket ? words('read') : words('change'), wheres),
    },
    { requiredKeys: [] },
  );
const ruleSets = fc.record({
  preset: fc.constantFrom('specification', 'visitors'),
  resources: fc.record({ beacons: rulesWith(siteWheres, false), scenarios: rulesWith(siteWheres, false) }),
  buckets: fc.record({ notes: rulesWith(bucketWheres, true) }, { requiredKeys: [] }),
});

type Subject = { readonly resource: string } | { readonly bucket: string };

for (const database of databases) {
  describe(`trying rules on ${database}`, () => {
    let app: TestApp;
    let browser: Browser;
    let people: Readonly<Record<'anna' | 'ben' | 'manager', SignedIn>>;
    let storyline: string;
    let hall: string;
    beforeAll(async () => {
      app = await buildApp({ database });
      browser = await openConsole(app, 'manager');
      await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
      await app.app.buckets.createBucket(app.appId, 'notes');
      people = { anna: await signIn(app), ben: await signIn(app), manager: await signInManager(app) };
      hall = await create(app, '/api/v2/beacons', beaconExample, people.manager.headers);
      storyline = await create(app, '/api/v2/storylines', storylineExample, people.manager.headers);
    });
    afterAll(() => app.close());

    const headersOf = (name: keyof typeof people | 'key') => (name === 'key' ? {} : people[name].headers);
    const ask = async (body: object) => browser.send({ method: 'POST', url: `/apps/${app.appId}/rules/try`, body });
    const askAs = async (name: keyof typeof people | 'key', body: object) => {
      const caller = name === 'key' ? { caller: 'app' } : { caller: 'user', userId: people[name].userId };
      const { status, body: answer } = await ask({ ...caller, ...body });
      assert.equal(status, 200, JSON.stringify(answer));
      return answer.result.verbs;
    };
    /** Whether a real request is let in; what is wrong with its body comes after that. */
    const isLetIn = async (name: keyof typeof people | 'key', method: 'GET' | 'PUT' | 'DELETE', url: string) => {
      const { status, body } = await app.send({
        method,
        url,
        headers: headersOf(name),
        ...(method === 'PUT' ? { body: {} } : {}),
      });
      assert.ok([200, 403, 404].includes(status), JSON.stringify(body));
      return { isAllowed: status === 200, status };
    };

    test('is answered like real requests, for each caller and record', async () => {
      const subjects: readonly { readonly subject: Subject; readonly url: string; readonly body: object }[] = [
        { subject: { bucket: 'notes' }, url: '/api/v2/data/bucket/notes', body: { metadata: { state: 'public' } } },
        { subject: { resource: 'beacons' }, url: '/api/v2/beacons', body: beaconExample },
        { subject: { resource: 'scenarios' }, url: `/api/v2/storylines/${storyline}/detail`, body: detailExample },
      ];
      let minor = 100;
      await fc.assert(
        fc.asyncProperty(ruleSets, fc.constantFrom('anna', 'ben', undefined), async (rules, maker) => {
          for (const { subject, url, body } of subjects) {
            await app.app.apps.changeRules(app.appId, { buckets: { notes: { create: 'app' } } });
            const shared = { metadata: { state: 'draft', sharedWith: [people.anna.userId] } };
            const own =
              'bucket' in subject && maker === 'ben' ? shared : 'major' in body ? { ...body, minor: ++minor } : body;
            const made = maker ?? ('bucket' in subject ? 'key' : 'manager');
            const beacons = 'beacons' in body ? { beacons: [hall] } : {};
            const objectId = await create(app, url, { ...own, ...beacons }, headersOf(made));
            const tried = new Map<string, Record<string, { outcome: string; status?: number }>>();
            for (const name of ['anna', 'ben', 'manager', 'key'] as const)
              tried.set(name, await askAs(name, { ...subject, objectId, rules }));
            await app.app.apps.changeRules(app.appId, rules);
            for (const name of ['anna', 'ben', 'manager', 'key'] as const) {
              const answers = tried.get(name) ?? {};
              const check = (verb: string, real: { isAllowed: boolean; status: number }) => {
                const context = `${verb} by ${name} of ${JSON.stringify(subject)} under ${JSON.stringify(rules)}`;
                assert.equal(answers[verb]?.outcome, real.isAllowed ? 'allowed' : 'refused', context);
                if (!real.isAllowed) assert.equal(answers[verb]?.status, real.status, context);
              };
              check('get', await isLetIn(name, 'GET', `${url}/${objectId}`));
              const list = await app.send({ method: 'GET', url: `${url}?limit=1000`, headers: headersOf(name) });
              const isListed =
                list.status === 200 && list.body.results.some((one: { objectId: string }) => one.objectId === objectId);
              assert.equal(
                answers['list']?.outcome === 'allowed',
                isListed,
                `list by ${name}: ${JSON.stringify(rules)}`,
              );
              check('update', await isLetIn(name, 'PUT', `${url}/${objectId}`));
            }
            // The first who may delete it does; whoever comes before is refused.
            for (const name of ['key', 'ben', 'anna', 'manager'] as const) {
              const real = await isLetIn(name, 'DELETE', `${url}/${objectId}`);
              const answer = tried.get(name)?.['delete'];
              assert.equal(
                answer?.outcome === 'allowed',
                real.isAllowed,
                `delete by ${name}: ${JSON.stringify(rules)}`,
              );
              if (real.isAllowed) break;
              assert.equal(answer?.status, real.status);
            }
          }
        }),
        runs(25),
      );
      await app.app.apps.changeRules(app.appId, {});
    });

    test('tells of every resource without a record, and why', async () => {
      for (const resource of Object.keys(ruledResources)) {
        const key = await askAs('key', { resource });
        const manager = await askAs('manager', { resource });
        const verbs = Object.keys(ruledResources[resource as keyof typeof ruledResources].verbs);
        assert.deepEqual(Object.keys(key).sort(), [...verbs].sort(), resource);
        for (const verb of verbs) {
          assert.ok(key[verb].reason.length > 0 && key[verb].sentence.length > 0);
          if (manager[verb].outcome === 'refused')
            assert.match(manager[verb].sentence, /^Nobody/, `${resource} ${verb}`);
        }
      }
      const { get, list } = await askAs('anna', { resource: 'visits' });
      assert.deepEqual(get, {
        outcome: 'some',
        reason: 'Only what is theirs.',
        sentence: 'Signed-in people see the visits that are theirs; managers see all.',
      });
      assert.equal(list.outcome, 'some');
      const { get: shut } = await askAs('key', { bucket: 'notes' });
      assert.deepEqual([shut.outcome, shut.status, shut.reason], ['refused', 403, 'This caller has not signed in.']);
    });

    test('changes nothing, and says what there is not', async () => {
      const refusals: readonly (readonly [body: object, status: number, code: number])[] = [
        [{ caller: 'user', userId: 'nobody', resource: 'beacons' }, 404, 101],
        [{ caller: 'app', bucket: 'nosuch', objectId: 'x' }, 404, 101],
        [{ caller: 'app', resource: 'beacons', objectId: 'x' }, 404, 101],
        [{ caller: 'app', resource: 'birds' }, 400, 142],
        [{ caller: 'app' }, 400, 142],
        [{ caller: 'user', resource: 'beacons' }, 400, 142],
        [{ caller: 'app', resource: 'beacons', rules: { resources: { beacons: { get: 'all' } } } }, 400, 142],
      ];
      for (const [body, status, code] of refusals) {
        const answer = await ask(body);
        assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(body));
      }
      const before = await browser.send({ method: 'GET', url: `/apps/${app.appId}/rules` });
      await askAs('anna', { resource: 'beacons', rules: { resources: { beacons: { get: 'nobody' } } } });
      const after = await browser.send({ method: 'GET', url: `/apps/${app.appId}/rules` });
      assert.deepEqual(after.body, before.body);
    });
  });
}
