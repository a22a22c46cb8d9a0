import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import type { ScriptedSender } from '../../../../../test/fakes/scripted-sender.ts';
import { bothDatabases, type SignedIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { assertRefusals } from '../../../../../test/support/cases.ts';
import { holdUp } from '../../../../../test/support/halfway.ts';
import {
  counts,
  data,
  hour,
  none,
  openPushApp,
  type PushApp,
  pushRequests,
  startAgain,
  pushUrl as url,
} from '../../../../../test/support/sites/push-app.ts';
import { service } from '../../../../access/audit.ts';
import { raw, sql } from '../../../../base/sql.ts';

for (const database of bothDatabases) {
  describe(`push on ${database}`, () => {
    let opened: PushApp;
    let app: TestApp;
    let user: SignedIn;
    let fcm: ScriptedSender;
    const { ask, send, get, deliveries, register } = pushRequests(() => opened);
    beforeAll(async () => {
      opened = await openPushApp(database);
      ({ app, user, fcm } = opened);
    });
    afterAll(() => app.close());
    beforeEach(() => startAgain(opened));

    test('is shown as its options say, which are refused where nobody could show them', async () => {
      await register(1);
      const options = {
        ...{ category: 'TOUR', replaces: 'queue', thread: 'tour', level: 'timeSensitive' },
        buttons: [{ id: 'more', title: 'More', uri: 'museum://more' }],
      };
      const path = await send({ data, options });
      await app.app.idle();
      assert.deepEqual((await get(path)).options, options);
      const { content } = fcm.calls[0]?.message ?? {};
      for (const [name, value] of Object.entries(options)) assert.deepEqual(content?.[name as 'level'], value);
      const post = (options: unknown) => ({ method: 'POST', url, body: { data, options } }) as const;
      const one = options.buttons[0];
      const refused = { status: 400, code: 142 };
      await assertRefusals(app, user.headers, [
        { rule: 'level', request: post({ level: 'loud' }), ...refused, fields: ['options.level'] },
        { rule: 'ids', request: post({ buttons: [one, one] }), ...refused, fields: ['options.buttons'] },
        { rule: 'five', request: post({ buttons: Array(5).fill(one) }), ...refused, fields: ['options.buttons'] },
        { rule: 'name', request: post({ thread: 'x'.repeat(65) }), ...refused, fields: ['options.thread'] },
      ]);
    });

    test('reaches every installation with a token, and says why it does not reach the others', async () => {
      const first = await register(1);
      await register(2);
      await register(3, {});
      await register(4, { deviceToken: 'x', pushType: 'pigeon' });
      await register(5, { deviceToken: 'y', deviceType: 'web' });
      const full = { ...data, uri: 'museum://tonight', badge: 3, sound: 'ding', custom: { deep: [1, null] } };
      const path = await send({ data: full });
      await app.app.idle();
      const push = await get(path);
      assert.deepEqual(counts(push), { ...none, audience: 5, sent: 2, noTarget: 3 });
      assert.deepEqual([push.state, push.data, push.where], ['done', full, undefined]);
      assert.deepEqual(push.reasons.map(({ state, reason }: Record<string, string>) => [state, reason]).sort(), [
        ['noTarget', 'The installation has no device token.'],
        ['noTarget', 'Web Push, which reaches browsers, is not set up for this app.'],
        ['noTarget', 'pushType is not a known provider; it must be fcm, apns, web or mqtt'],
      ]);
      assert.deepEqual(fcm.calls.map(({ target }) => target.token).sort(), ['token-1', 'token-2']);
      const { message } = fcm.calls[0] ?? {};
      assert.deepEqual(message?.content, {
        title: 'Tonight',
        body: 'Open until 22:00',
        link: 'museum://tonight',
        badge: 3,
        sound: 'ding',
        data: { custom: { deep: [1, null] } },
      });
      const [delivery, ...more] = await deliveries({ pushId: push.objectId, state: 'sent' });
      assert.equal(more.length, 1);
      assert.deepEqual(
        [delivery.objectId, delivery.installationId.objectId, delivery.sender, delivery.attempts],
        [`${push.objectId}-${first}`, first, 'fcm', 1],
      );
      assert.equal(delivery.objectId, fcm.calls.find(({ target }) => target.token === 'token-1')?.message.deliveryId);
    });

    test('goes only to those whom the where names, in slices, each once', async () => {
      const { db } = app.storage;
      await db.transaction(async (db) => {
        for (let n = 0; n < 1_203; n++)
          await db.run(
            raw(
              `insert into installations (app_id, object_id, installation_id, device_type, device_token, channels, metadata, created_at, updated_at)
               values ('${app.appId}', 'i${String(n).padStart(5, '0')}', 'many-${n}', 'android', 'many-${n}', '["${n % 2 ? 'odd' : 'even'}"]', '{}', 0, 0)`,
            ),
          );
      });
      const path = await send({ data, where: { channels: 'even' } });
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 602, sent: 602 });
      assert.deepEqual(
        fcm.calls.map(({ target }) => target.token).sort(),
        Array.from({ length: 602 }, (_, n) => `many-${n * 2}`).sort(),
      );
      const all = await send({ data, where: {} });
      await app.app.idle();
      assert.deepEqual(counts(await get(all)), { ...none, audience: 1_203, sent: 1_203 });
    });

    test('what became of messages is counted for the metrics', async () => {
      const count = async (state: string) => {
        const text = (await app.send({ method: 'GET', url: '/metrics' })).raw.toString();
        const found = new RegExp(
          `^pharos_deliveries_total\\{sender="(?:fcm|none)",state="${state}"\\} (\\d+)$`,
          'm',
        ).exec(text);
        return Number(found?.[1] ?? 0);
      };
      const before = [await count('sent'), await count('noTarget')];
      await register(1);
      await register(2, {});
      await send({ data });
      await app.app.idle();
      assert.deepEqual([await count('sent'), await count('noTarget')], [(before[0] ?? 0) + 1, (before[1] ?? 0) + 1]);
    });

    test('an empty match reaches nobody and is done', async () => {
      await register(1);
      const path = await send({ data, where: { channels: 'nobody' } });
      await app.app.idle();
      assert.deepEqual([counts(await get(path)), (await get(path)).state], [none, 'done']);
      assert.equal(fcm.calls.length, 0);
    });

    test('waits for its time', async () => {
      await register(1);
      const sendAt = new Date(app.clock.now + hour).toISOString();
      const path = await send({ data, sendAt });
      await app.app.idle();
      const waiting = await get(path);
      assert.deepEqual([waiting.state, waiting.sendAt, waiting.audience], ['accepted', sendAt, 0]);
      assert.equal(Date.parse(waiting.expiresAt) - Date.parse(sendAt), 24 * hour);
      app.clock.now += hour;
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 1, sent: 1 });
    });

    test('can be changed until its time, also to earlier and to others, and goes out once', async () => {
      for (let n = 0; n < 3; n++) await register(n, { deviceToken: `token-${n}`, channels: [`only-${n}`] });
      const path = await send({ data, sendAt: new Date(app.clock.now + 2 * hour).toISOString() });
      const put = (body: object, headers = {}) =>
        app.send({ method: 'PUT', url: path, headers: { ...user.headers, ...headers }, body });
      const read = await ask({ method: 'GET', url: path });
      const words = { data: { title: 'New words' }, where: { channels: 'only-1' } };
      const changed = { ...words, sendAt: new Date(app.clock.now + hour).toISOString() };
      const answer = await put(changed, { 'if-match': read.headers['etag'] });
      assert.deepEqual(
        [answer.status, answer.body.result.data, answer.body.result.state],
        [200, words.data, 'accepted'],
      );
      assert.equal((await put(changed, { 'if-match': read.headers['etag'] })).status, 412);
      app.clock.now += hour;
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 1, sent: 1 });
      // The job of the first edition comes to nothing.
      app.clock.now += hour;
      await app.app.idle();
      assert.deepEqual(
        fcm.calls.map(({ target, message }) => [target.token, message.content.title]),
        [['token-1', 'New words']],
      );
      const late = await put({ ...words, sendAt: new Date(app.clock.now + hour).toISOString() });
      assert.deepEqual([late.status, late.body.error.name], [409, 'TooLate']);
    });

    test('that is changed by a node whose clock is behind, while its recipients are being found, goes to the new ones', async () => {
      for (let n = 0; n < 2; n++) await register(n, { deviceToken: `token-${n}`, channels: [`only-${n}`] });
      const path = await send({ data, sendAt: new Date(app.clock.now + hour).toISOString() });
      app.clock.now += hour;
      const walk = holdUp(app.storage.db, /^select object_id from installations/);
      const first = app.app.idle();
      await walk.reached;
      app.clock.now -= 1_000;
      const body = { data, where: { channels: 'only-1' }, sendAt: new Date(app.clock.now + hour).toISOString() };
      assert.equal((await app.send({ method: 'PUT', url: path, headers: user.headers, body })).status, 200);
      walk.go();
      await first;
      assert.deepEqual([(await get(path)).state, fcm.calls.length], ['accepted', 0]);
      app.clock.now += hour;
      await app.app.idle();
      assert.deepEqual(
        fcm.calls.map(({ target }) => target.token),
        ['token-1'],
      );
    });

    test('that is put off is not sent at its former time', async () => {
      await register(1);
      const at = (hours: number) => new Date(app.clock.now + hours * hour).toISOString();
      const path = await send({ data, sendAt: at(1) });
      const body = { data, sendAt: at(3) };
      assert.equal((await app.send({ method: 'PUT', url: path, headers: user.headers, body })).status, 200);
      app.clock.now += hour;
      await app.app.idle();
      assert.deepEqual([(await get(path)).state, fcm.calls.length], ['accepted', 0]);
      app.clock.now += 2 * hour;
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 1, sent: 1 });
    });

    test('is changed only by callers who may send one: a key that may only cancel cannot change the message', async () => {
      const path = await send({ data, sendAt: new Date(app.clock.now + hour).toISOString() });
      const put = async (...verbs: string[]) => {
        const asked = { name: verbs.join(), scopes: [{ resource: 'pushes', verbs }] };
        const { secretKey } = await app.app.secretKeys.create(app.appId, asked, service);
        const headers = { 'x-service-appkey': secretKey };
        return (await app.send({ method: 'PUT', url: path, headers, body: { data: { alert: 'x' } } })).status;
      };
      assert.deepEqual([await put('update'), await put('create'), await put('update', 'create')], [403, 403, 200]);
    });

    test('is not changed any more once its time has come, even if the sender has not begun', async () => {
      await register(1);
      const path = await send({ data, sendAt: new Date(app.clock.now + hour).toISOString() });
      app.clock.now += hour;
      const late = await app.send({ method: 'PUT', url: path, headers: user.headers, body: { data: { alert: 'x' } } });
      assert.deepEqual([late.status, late.body.error.name], [409, 'TooLate']);
      await app.app.idle();
      assert.deepEqual(
        [counts(await get(path)), fcm.calls[0]?.message.content.body],
        [{ ...none, audience: 1, sent: 1 }, data.alert],
      );
    });

    test('can be cancelled before its time and while it waits for the provider, not afterwards', async () => {
      for (let n = 0; n < 3; n++) await register(n);
      const early = await send({ data, sendAt: new Date(app.clock.now + hour).toISOString() });
      for (let twice = 0; twice < 2; twice++)
        assert.equal((await ask({ method: 'POST', url: `${early}/cancel` })).body.result.state, 'cancelled');
      app.clock.now += hour;
      await app.app.idle();
      assert.deepEqual([counts(await get(early)), fcm.calls.length], [none, 0]);

      fcm.script = ({ target }) =>
        target.token === 'token-1'
          ? { outcome: 'sent' }
          : { outcome: 'retry', reason: 'UNAVAILABLE', scope: 'message', afterMs: 60_000 };
      const path = await send({ data });
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 3, queued: 2, sent: 1 });
      await ask({ method: 'POST', url: `${path}/cancel` });
      app.clock.now += 60_000;
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 3, sent: 1, cancelled: 2 });
      assert.equal(fcm.calls.length, 3);

      fcm.script = () => ({ outcome: 'sent' });
      const done = await send({ data });
      await app.app.idle();
      await assertRefusals(app, user.headers, [
        { rule: 'too late', request: { method: 'POST', url: `${done}/cancel` }, status: 403, code: 119 },
      ]);
    });

    test('that is cancelled is ended by the worker that has its job, and not by one that has lost it', async () => {
      await register(1);
      fcm.script = () => ({ outcome: 'retry', reason: 'UNAVAILABLE', scope: 'message', afterMs: 60_000 });
      const path = await send({ data });
      await app.app.idle();
      await ask({ method: 'POST', url: `${path}/cancel` });
      app.clock.now += 60_000;
      const { db } = app.storage;
      const job = holdUp(db, / from pushes /);
      const late = app.app.idle();
      await job.reached;
      await db.run(raw("update jobs set lease_token = 'another'"));
      job.go();
      await late;
      assert.deepEqual(counts(await get(path)), { ...none, audience: 1, queued: 1 });
      await db.run(sql`update jobs set run_at = ${app.clock.now}`);
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 1, cancelled: 1 });
    });

    test('goes to everyone only without a where or with an empty one', async () => {
      for (const body of [
        { data },
        { data, where: {} },
        { data, where: '{}' },
        { data, where: '{"deviceType":"ios"}' },
      ])
        await send(body);
      const { results } = (await ask({ method: 'GET', url: `${url}s?order=createdAt` })).body;
      assert.deepEqual(
        results.map(({ where }: { where?: object }) => where),
        [undefined, {}, {}, { deviceType: 'ios' }],
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
      const at = (ms: number) => new Date(app.clock.now + ms).toISOString();
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
        rule({ data: { badge: 2 ** 31 } }, 400, 142, ['data.badge']),
        rule({ data: {} }, 400, 142, ['data']),
        rule({ data: { title: '', alert: '', uri: '', sound: '', image: '' } }, 400, 142, ['data']),
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
        rule({ data, sendAt: 'tomorrow' }, 400, 142, ['sendAt']),
        rule({ data, sendAt: 5 }, 400, 142, ['sendAt']),
        rule({ data, sendAt: at(400 * 24 * hour) }, 400, 142, ['sendAt']),
        rule({ data, expiresAt: at(-1) }, 400, 142, ['expiresAt']),
        rule({ data, sendAt: at(2 * hour), expiresAt: at(hour) }, 400, 142, ['expiresAt']),
        rule({ data, expiresAt: at(29 * 24 * hour) }, 400, 142, ['expiresAt']),
      ]);
      assert.deepEqual((await ask({ method: 'GET', url: `${url}s` })).body.results, []);
      await assertRefusals(app, app.credentials, [
        {
          rule: 'receipts of nobody',
          request: {
            method: 'POST',
            url: '/api/v2/receipts',
            body: { installationId: 'nobody', receipts: [{ deliveryId: 'x', event: 'opened' }] },
          },
          status: 404,
          code: 101,
        },
        {
          rule: 'receipts without any',
          request: { method: 'POST', url: '/api/v2/receipts', body: { installationId: 'phone-1', receipts: [] } },
          status: 400,
          code: 142,
          fields: ['receipts'],
        },
      ]);
    });

    test('what only sets the badge, plays a sound, opens an address or speaks to the app is no empty push', async () => {
      for (const some of [{ badge: 0 }, { sound: 'bell' }, { uri: 'app://hall' }, { floor: 2 }, { image: { id: 1 } }])
        await send({ data: { title: '', ...some } });
    });

    test('the app says who may push', async () => {
      const allow = (push: string) => app.app.apps.change(app.appId, { policy: { push } });
      await app.app.users.setUserRole({ appId: app.appId, userId: user.userId }, 'user');
      await allow('manager');
      await assertRefusals(app, user.headers, [
        { rule: 'managers only', request: { method: 'POST', url, body: { data } }, status: 403, code: 119 },
      ]);
      await app.app.users.setUserRole({ appId: app.appId, userId: user.userId }, 'manager');
      await send({ data });
      await allow('nobody');
      await assertRefusals(app, user.headers, [
        { rule: 'nobody', request: { method: 'POST', url, body: { data } }, status: 403, code: 119 },
      ]);
      await allow('user');
      assert.equal((await ask({ method: 'GET', url: `${url}s` })).body.results.length, 1);
    });
  });
}
