import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import { type Browser, openConsole } from '../../../../../test/support/console.ts';
import { sql } from '../../../../base/sql.ts';
import { beaconExample } from '../../../places/beacons/resource.ts';
import { deviceExample } from '../../../places/devices/resource.ts';

/** What rules would refuse that an app does not have yet. The tests are one session: each continues where the previous one stopped. */

const notes = '/api/v2/data/bucket/notes';
const dayMs = 86_400_000;

for (const database of databases) {
  describe(`dry runs on ${database}`, () => {
    let app: TestApp;
    let anna: SignedIn;
    let ben: SignedIn;
    let manager: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      [anna, ben, manager] = [await signIn(app), await signIn(app), await signInManager(app)];
      await app.app.buckets.createBucket(app.appId, 'notes');
    });
    afterAll(() => app.close());

    const open = (): Promise<Browser> => openConsole(app, 'manager');
    const path = (appId = app.appId) => `/apps/${appId}/rules/dry-run`;
    const read = async (browser?: Browser) => {
      await app.app.idle();
      const { status, body } = await (browser ?? (await open())).send({ method: 'GET', url: path() });
      assert.equal(status, 200, JSON.stringify(body));
      return body.result;
    };
    /** `users list app refused 1` */
    const counted = async (): Promise<string[]> =>
      (await read()).counts
        .map((one: Record<string, unknown>) =>
          [one['resource'] ?? one['bucket'], one['verb'], one['caller'], one['outcome'], one['requests']].join(' '),
        )
        .sort();
    const forget = async () => {
      const { status } = await (await open()).send({ method: 'DELETE', url: path() });
      assert.equal(status, 200);
    };
    const send = async (
      by: SignedIn | undefined,
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      url: string,
      body?: object,
    ) => {
      const answer = await app.send({ method, url, headers: by?.headers ?? {}, ...(body ? { body } : {}) });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer.body;
    };

    test('what closing the app would refuse is counted by resource, verb and kind of caller', async () => {
      await forget();
      await send(undefined, 'GET', '/api/v2/users');
      await send(anna, 'GET', '/api/v2/users');
      const beacon = await create(app, '/api/v2/beacons', beaconExample, anna.headers);
      await send(anna, 'GET', `/api/v2/beacons/${beacon}`);
      await send(ben, 'PUT', `/api/v2/beacons/${beacon}`, { name: 'Another' });
      await send(manager, 'PUT', `/api/v2/beacons/${beacon}`, { name: 'A third' });
      assert.deepEqual(await counted(), [
        'beacons create user refused 1',
        'beacons update user refused 1',
        // The list is open to the app key, so the bearer is not read.
        'users list app refused 1',
      ]);
      const { checked, days, rules, isChosen } = await read();
      assert.deepEqual([days, rules.preset, isChosen], [1, 'visitors', false]);
      assert.ok(checked.app >= 2 && checked.user === 3 && checked.manager === 1, JSON.stringify(checked));
    });

    test('records and lists that would be hidden are counted, those of oneself are not', async () => {
      await forget();
      const mine = await create(app, notes, { metadata: { a: 1 } }, anna.headers);
      await send(anna, 'GET', `${notes}/${mine}`);
      await send(anna, 'GET', notes);
      await send(anna, 'PUT', `${notes}/${mine}`, { a: 2 });
      assert.deepEqual(await counted(), []);
      app.clock.now += 11_000;
      await send(ben, 'GET', `${notes}/${mine}`);
      await send(ben, 'GET', notes);
      // The list is judged alongside requests, before the record is gone.
      await app.app.idle();
      await send(ben, 'PUT', `${notes}/${mine}`, { a: 3 });
      await send(ben, 'DELETE', `${notes}/${mine}`);
      const device = await create(app, '/api/v2/device', deviceExample, anna.headers);
      await send(ben, 'GET', `/api/v2/device/${device}`);
      await send(anna, 'GET', `/api/v2/device/${device}`);
      assert.deepEqual(await counted(), [
        'devices get user hidden 1',
        'notes delete user hidden 1',
        'notes get user hidden 1',
        'notes list user hidden 1',
        'notes update user hidden 1',
      ]);
    });

    test('one list stands for those of the same kind within ten seconds', async () => {
      await create(app, notes, { metadata: { a: 1 } }, anna.headers);
      app.clock.now += 11_000;
      await forget();
      for (let n = 0; n < 5; n++) await send(ben, 'GET', notes);
      assert.deepEqual(await counted(), ['notes list user hidden 1']);
      app.clock.now += 11_000;
      await send(ben, 'GET', notes);
      assert.deepEqual(await counted(), ['notes list user hidden 6']);
    });

    test('what the rules of the app leave to strangers is said beside it', async () => {
      const { body } = await (await open()).send({ method: 'GET', url: `/apps/${app.appId}/rules` });
      assert.ok(body.result.open.parts.length > 0);
      assert.deepEqual((await read()).open, body.result.open);
    });

    test('administrators are not counted, and rows name nobody', async () => {
      await forget();
      const { status } = await (await open()).send({ method: 'GET', url: `/apps/${app.appId}/v2/users` });
      assert.equal(status, 200);
      assert.deepEqual(await counted(), []);
      await send(ben, 'POST', '/api/v2/beacons', { ...beaconExample, minor: 77 });
      await read();
      const rows = JSON.stringify(await app.storage.db.all(sql`select * from dry_run_counts`));
      assert.ok(rows.includes('beacons') && !rows.includes(ben.userId), rows);
    });

    test('days are told apart, and gone after eight', async () => {
      await forget();
      for (const expected of [1, 2]) {
        await send(undefined, 'GET', '/api/v2/users');
        assert.equal((await read()).days, expected);
        app.clock.now += dayMs;
      }
      assert.deepEqual(await counted(), ['users list app refused 2']);
      app.clock.now += 6 * dayMs;
      assert.deepEqual(await counted(), ['users list app refused 1']);
      app.clock.now += dayMs;
      assert.deepEqual(await counted(), []);
      await app.app.retention.sweep();
      assert.deepEqual(await app.storage.db.all(sql`select * from dry_run_counts`), []);
      [anna, ben, manager] = [await signIn(app), await signIn(app), await signInManager(app)];
    });

    test('other rules can be tried instead, and answer nothing themselves', async () => {
      const browser = await open();
      const rules = { buckets: { notes: { get: { 'metadata.state': 'public' }, create: 'nobody' } } };
      const put = (body: object) => browser.send({ method: 'PUT', url: path(), body });
      assert.equal((await put({ buckets: { notes: { get: 'all' } } })).status, 400);
      const { body } = await put(rules);
      assert.deepEqual([body.result.rules, body.result.isChosen, body.result.counts], [rules, true, []]);
      const draft = await create(app, notes, { metadata: { state: 'draft' } }, anna.headers);
      const shown = await create(app, notes, { metadata: { state: 'public' } }, manager.headers);
      for (const id of [draft, shown]) await send(ben, 'GET', `${notes}/${id}`);
      await send(undefined, 'GET', '/api/v2/users');
      assert.deepEqual(await counted(), [
        'notes create manager refused 1',
        'notes create user refused 1',
        'notes get user hidden 1',
      ]);
      const audit = await browser.send({ method: 'GET', url: `/audit?app=${app.appId}` });
      assert.ok(audit.body.results.some(({ action }: { action: string }) => action === 'app.dryRun'));
    });

    test('an app that is closed counts nothing, and is closed with what its policy had left open', async () => {
      await forget();
      await app.app.apps.change(app.appId, { policy: { listUsers: 'app', push: 'nobody' } });
      await send(undefined, 'GET', '/api/v2/users');
      const { closed, counts } = await read();
      assert.deepEqual(closed, { preset: 'visitors', resources: { users: { list: 'manager' } } });
      assert.equal(counts.length, 1);
      await app.app.apps.changeRules(app.appId, closed);
      const { effective } = await app.app.apps.rules(app.appId);
      assert.equal(effective.of('pushes').rules.create.word, 'nobody');
      assert.equal((await app.send({ method: 'GET', url: '/api/v2/users' })).status, 403);
      const { rules, counts: left } = await read();
      assert.deepEqual([rules, left], [null, []]);
      await app.app.apps.changeRules(app.appId, {});
      assert.deepEqual(await counted(), ['users list app refused 1'], 'what was counted before is there again');
    });
  });
}
