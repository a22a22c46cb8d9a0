import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from '../../../test/build-app.ts';
import { assertRefusals } from '../../../test/cases.ts';
import { raw } from '../../sql.ts';

const url = '/api/v2/push/notification';
const data = { title: 'Tonight', alert: 'Open until 22:00' };

interface StoredPush {
  readonly object_id: string;
  readonly data: string;
  readonly audience: string | null;
  readonly state: string;
  readonly user_id: string;
}

for (const database of databases) {
  describe(`push on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    before(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
    });
    after(() => app.close());
    beforeEach(async () => {
      await app.storage.db.run(raw('delete from pushes'));
      await app.storage.db.run(raw('delete from jobs'));
    });

    const send = (body: object) => app.send({ method: 'POST', url, headers: user.headers, body });
    const pushes = () => app.storage.db.all<StoredPush>(raw('select * from pushes order by object_id'));
    const jobs = () =>
      app.storage.db.all<{ kind: string; state: string; payload: string; expires_at: number; attempts: number }>(
        raw('select * from jobs order by job_id'),
      );

    test('is accepted durably, with a job that waits for delivery', async () => {
      const full = { ...data, uri: 'museum://tonight', badge: 3, sound: 'ding', custom: { deep: [1, null] } };
      const answer = await send({ data: full, where: { channels: 'news' } });
      assert.deepEqual([answer.status, answer.body], [200, { result: { result: true } }]);
      const [push, ...more] = await pushes();
      assert.deepEqual(
        [JSON.parse(push?.data ?? ''), push?.audience, push?.state, push?.user_id, more],
        [full, '{"channels":"news"}', 'accepted', user.userId, []],
      );
      await app.app.idle();
      const [job] = await jobs();
      assert.deepEqual(
        [job?.kind, job?.state, JSON.parse(job?.payload ?? ''), job?.expires_at, job?.attempts],
        ['push.expand', 'queued', { pushId: push?.object_id }, app.clock.now + 86_400_000, 0],
      );
    });

    test('goes to everyone only without a where or with an empty one', async () => {
      for (const body of [
        { data },
        { data, where: {} },
        { data, where: '{}' },
        { data, where: '{"deviceType":"ios"}' },
      ]) {
        assert.equal((await send(body)).status, 200);
        app.clock.now += 1;
      }
      assert.deepEqual(
        (await pushes()).map(({ audience }) => audience),
        [null, '{}', '{}', '{"deviceType":"ios"}'],
      );
    });

    test('refuses each broken rule and stores nothing', async () => {
      const rule = (body: object, status: number, code: number, fields?: string[]) => ({
        rule: JSON.stringify(body).slice(0, 80),
        request: { method: 'POST', url, body } as const,
        status,
        code,
        ...(fields ? { fields } : {}),
      });
      await assertRefusals(app, user.headers, [
        rule({}, 400, 142, ['data']),
        rule({ data: null }, 400, 142, ['data']),
        rule({ data: 'text' }, 400, 142, ['data']),
        rule({ data: [] }, 400, 142, ['data']),
        rule({ data: { title: 1, alert: {}, uri: [], badge: '3', sound: false } }, 400, 142, [
          'data.title',
          'data.alert',
          'data.uri',
          'data.badge',
          'data.sound',
        ]),
        rule({ data: { badge: -1 } }, 400, 142, ['data.badge']),
        rule({ data: { alert: 'x'.repeat(4096) } }, 413, 116, ['data']),
        rule({ data, where: null }, 400, 102),
        rule({ data, where: [] }, 400, 102),
        rule({ data, where: '' }, 400, 102),
        rule({ data, where: 'everyone' }, 400, 102),
        rule({ data, where: 5 }, 400, 102),
        rule({ data, where: { chanels: 'news' } }, 400, 102),
        rule({ data, where: { channels: { $has: 'news' } } }, 400, 102),
        rule({ data, where: { deviceToken: { $exists: true } } }, 400, 102),
        rule({ data, where: { $or: [] } }, 400, 102),
        rule({ data, where: '{"chanels":"news"}' }, 400, 102),
      ]);
      assert.deepEqual([await pushes(), await jobs()], [[], []]);
    });

    test('the app says who may push', async () => {
      const allow = (push: string) => app.app.apps.change(app.appId, { policy: { push } });
      await allow('manager');
      await assertRefusals(app, user.headers, [
        { rule: 'managers only', request: { method: 'POST', url, body: { data } }, status: 403, code: 119 },
      ]);
      await app.app.users.setUserRole({ appId: app.appId, userId: user.userId }, 'manager');
      assert.equal((await send({ data })).status, 200);
      await allow('nobody');
      await assertRefusals(app, user.headers, [
        { rule: 'nobody', request: { method: 'POST', url, body: { data } }, status: 403, code: 119 },
      ]);
      await allow('user');
      assert.equal((await pushes()).length, 1);
    });
  });
}
