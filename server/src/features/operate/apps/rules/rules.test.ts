import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, signIn, signInManager, type TestApp } from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import { type Browser, openConsole } from '../../../../../test/support/console.ts';
import { beaconExample } from '../../../places/beacons/resource.ts';

/** The rules of an app in the console, and the presets. */

for (const database of databases) {
  describe(`rules of apps on ${database}`, () => {
    let app: TestApp;
    let browser: Browser;
    beforeAll(async () => {
      app = await buildApp({ database });
      browser = await openConsole(app, 'manager');
    });
    afterAll(() => app.close());
    const read = async (appId = app.appId) => browser.send({ method: 'GET', url: `/apps/${appId}/rules` });
    const write = (body: unknown, headers: Record<string, string> = {}) =>
      browser.send({ method: 'PUT', url: `/apps/${app.appId}/rules`, body, headers });

    test('are shown with sentences and with what could be said instead', async () => {
      await app.app.buckets.createBucket(app.appId, 'notes');
      const { result } = (await read()).body;
      assert.deepEqual([result.preset, result.stored], ['specification', {}]);
      const { get } = result.resources.visits.rules;
      assert.deepEqual(get, {
        rule: 'owner',
        isOwn: false,
        inherited: 'owner',
        sentence: 'Signed-in people see the visits that are theirs; managers see all.',
        words: ['nobody', 'manager', 'owner', 'user'],
        sentences: {
          nobody: 'Nobody sees visits through the app.',
          manager: 'Only managers see visits.',
          owner: 'Signed-in people see the visits that are theirs; managers see all.',
          user: 'Everybody who is signed in may see visits.',
        },
        takesWhere: true,
      });
      assert.equal(
        result.resources.users.rules.list.sentence,
        'Everybody with the app may list accounts, without signing in.',
      );
      assert.equal(result.buckets.notes.rules.update.sentence, 'Everybody who is signed in may change records.');
      const done = await write({
        buckets: { '*': { get: { 'metadata.sharedWith': '$auth.userId' } }, notes: { get: 'nobody' } },
      });
      assert.equal(done.status, 200);
      const { buckets } = done.body.result;
      assert.equal(
        buckets['*'].rules.get.sentence,
        'People see the records for which metadata.sharedWith is the person; managers see all.',
      );
      assert.deepEqual([buckets.notes.rules.get.rule, buckets.notes.rules.get.isOwn], ['nobody', true]);
      assert.deepEqual((await read()).body, done.body);
      await write({});
    });

    test('can be looked at before they are those of the app', async () => {
      const preview = async (body: unknown) =>
        (await browser.send({ method: 'POST', url: `/apps/${app.appId}/rules/preview`, body })).body;
      const { result } = await preview({ preset: 'visitors', buckets: { notes: { get: 'app' } } });
      assert.deepEqual(result.open, {
        sentence: 'Anyone with the app can read 1 bucket.',
        parts: [{ to: 'app', what: 'read 1 bucket' }],
      });
      const { get } = result.buckets.notes.rules;
      assert.deepEqual([get.rule, get.isOwn, get.inherited], ['app', true, 'owner']);
      const closed = await preview({ preset: 'visitors' });
      assert.match(closed.result.open.sentence, /^Nothing is open to strangers/);
      const noSignUp = await preview({ resources: { users: { create: 'nobody', list: 'manager' } } });
      assert.equal(noSignUp.result.open.sentence, 'Anyone with the app can upload files and add devices.');
      const wrong = await preview({ buckets: { notes: { get: 'all' } } });
      assert.equal(wrong.error.details[0].field, 'buckets.notes.get');
      assert.deepEqual((await read()).body.result.stored, {});
    });

    test('are changed only as they were seen, and the audit keeps what changed', async () => {
      const tag = String((await read()).headers['etag']);
      const first = await write({ resources: { beacons: { get: 'app' } } }, { 'if-match': tag });
      assert.equal(first.status, 200);
      const second = await write({}, { 'if-match': tag });
      assert.deepEqual([second.status, second.body.code], [412, 138]);
      assert.equal((await write({}, { 'if-match': String(first.headers['etag']) })).status, 200);
      const audit = await browser.send({ method: 'GET', url: `/audit?app=${app.appId}` });
      const [latest] = audit.body.results.filter(({ action }: { action: string }) => action === 'app.rules');
      assert.deepEqual([latest.before, latest.after], [{ resources: { beacons: { get: 'app' } } }, {}]);
    });

    test('are refused with everything that is wrong in them', async () => {
      const many = (count: number, name: string) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, {}]));
      const wrong: readonly (readonly [rules: object, field: string, problem: RegExp])[] = [
        [{ colour: 1 }, 'colour', /not known/],
        [{ preset: 'open' }, 'preset', /specification, visitors/],
        [{ resources: { birds: {} } }, 'resources.birds', /there are beacons/],
        [
          { resources: { beacons: { get: 'everyone' } } },
          'resources.beacons.get',
          /nobody, manager, owner, user, app, or a where/,
        ],
        [{ resources: { beacons: { listen: 'user' } } }, 'resources.beacons.listen', /have list, get, create/],
        [{ resources: { schemas: { list: 'owner' } } }, 'resources.schemas.list', /nobody, manager, user, app$/],
        [
          { resources: { schemas: { get: { objectId: 'a' } } } },
          'resources.schemas.get',
          /nobody, manager, user, app, and no where: a schema is the same for all records/,
        ],
        [
          { resources: { analytics: { list: { venueId: '$auth.venues' } } } },
          'resources.analytics.list',
          /nobody, manager, and no where: the numbers are of everybody together/,
        ],
        [{ resources: { beacons: { get: {} } } }, 'resources.beacons.get', /empty where/],
        [{ resources: { beacons: { get: { nosuch: 1 } } } }, 'resources.beacons.get.nosuch', /not a field/],
        [
          { resources: { visits: { get: { installationId: '$auth.user' } } } },
          'resources.visits.get.installationId',
          /\$auth\.installationId/,
        ],
        [{ resources: { beacons: { owner: 'metadata.a' } } }, 'resources.beacons.owner', /not known here/],
        [{ buckets: { 'a-b': {} } }, 'buckets.a-b', /name of a bucket/],
        [{ buckets: { notes: { owner: 'objectId' } } }, 'buckets.notes.owner', /metadata\.assignee/],
        [
          { buckets: { notes: { members: { 'metadata.a': { hidden: ['all'] } } } } },
          'buckets.notes.members.metadata.a.hidden',
          /app, user, manager/,
        ],
        [
          { buckets: { notes: { members: { objectId: {} } } } },
          'buckets.notes.members.objectId',
          /member of the document/,
        ],
        [{ resources: { beacons: ['list'] } }, 'resources.beacons', /JSON object/],
        [{ resources: { devices: { unowned: 'app' } } }, 'resources.devices.unowned', /user, manager/],
        [
          { buckets: { notes: { members: { 'metadata.a': { shown: ['app'] } } } } },
          'buckets.notes.members.metadata.a.shown',
          /takes hidden and readOnly/,
        ],
        [{ buckets: { notes: { members: many(51, 'metadata.m') } } }, 'buckets.notes.members', /at most 50 members/],
        [{ buckets: many(501, 'b') }, 'buckets', /at most 500 members/],
        [{ buckets: many(10_000, 'b') }, '', /at most 100000 characters/],
      ];
      for (const [rules, field, problem] of wrong) {
        const { status, body } = await write(rules);
        assert.deepEqual([status, body.code], [400, 142], JSON.stringify(rules));
        const [detail] = body.error.details;
        assert.equal(detail.field, field);
        assert.match(detail.problem, problem);
      }
      assert.deepEqual((await read()).body.result.stored, {});
    });

    test('an app for visitors shows its content to everyone, and other records to their owners', async () => {
      const made = (await browser.send({ method: 'POST', url: '/apps', body: { name: 'Guide', preset: 'visitors' } }))
        .body.result;
      const key = { 'x-service-appid': made.appId, 'x-service-appkey': made.appKey };
      await app.app.buckets.createBucket(made.appId, 'notes');
      const [anna, ben, manager] = [await signIn(app, key), await signIn(app, key), await signInManager(app, key)];
      const as = (by?: { headers: object }) => ({ ...key, ...by?.headers });
      const status = async (method: 'GET' | 'POST', path: string, by?: { headers: object }, body?: unknown) =>
        (await app.send({ method, url: `/api/v2${path}`, headers: as(by), body })).status;
      await create(app, '/api/v2/beacons', beaconExample, as(manager));
      assert.equal(await status('GET', '/beacons'), 200);
      assert.equal(await status('POST', '/beacons', anna, beaconExample), 403);
      assert.deepEqual([await status('GET', '/users', anna), await status('GET', '/users', manager)], [403, 200]);
      const push = { data: { title: 'Hello' } };
      assert.equal(await status('POST', '/push/notification', anna, push), 403);
      const note = await create(app, '/api/v2/data/bucket/notes', { metadata: { a: 1 } }, as(anna));
      assert.equal(await status('GET', `/data/bucket/notes/${note}`, anna), 200);
      assert.equal(await status('GET', `/data/bucket/notes/${note}`, ben), 404);
      const policy = (await browser.send({ method: 'GET', url: `/apps/${made.appId}` })).body.result.policy;
      assert.deepEqual([policy.readContent, policy.writeContent, policy.listUsers], ['app', 'manager', 'manager']);
      // The shorthand still changes what it names.
      await app.app.apps.change(made.appId, { policy: { listUsers: 'user' } });
      assert.equal(await status('GET', '/users', anna), 200);
      await app.app.apps.changeRules(made.appId, { preset: 'visitors', resources: { users: { list: 'nobody' } } });
      assert.equal(await status('GET', '/users', manager), 403);
    });
  });
}
