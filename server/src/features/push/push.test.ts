import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ScriptedSender } from '../../../test/fakes/scripted-sender.ts';
import { buildApp, databases, type SignedIn, signInManager, type TestApp } from '../../../test/support/build-app.ts';
import { assertRefusals } from '../../../test/support/cases.ts';
import { service } from '../../access/audit.ts';
import { raw } from '../../base/sql.ts';

const url = '/api/v2/push/notification';
const data = { title: 'Tonight', alert: 'Open until 22:00' };
const hour = 3_600_000;

interface Registration {
  readonly deviceToken?: string;
  readonly channels?: readonly string[];
  readonly deviceType?: string;
  readonly pushType?: string;
}

for (const database of databases) {
  describe(`push on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let fcm: ScriptedSender;
    before(async () => {
      fcm = new ScriptedSender();
      app = await buildApp({ database, senders: [fcm.definition('fcm')] });
      user = await signInManager(app);
      await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
    });
    after(() => app.close());
    beforeEach(async () => {
      await app.app.idle();
      for (const table of ['pushes', 'jobs', 'deliveries', 'installations'])
        await app.storage.db.run(raw(`delete from ${table}`));
      fcm.calls.length = 0;
      fcm.script = () => ({ outcome: 'sent' });
      // A pace that a test has slowed down has recovered by then.
      app.clock.now += hour;
    });

    const ask = (request: { method: 'GET' | 'POST'; url: string; body?: object }) =>
      app.send({ ...request, headers: user.headers });
    async function send(body: object): Promise<string> {
      app.clock.now += 1;
      const answer = await ask({ method: 'POST', url, body });
      assert.deepEqual([answer.status, answer.body], [200, { result: { result: true } }]);
      return new URL(String(answer.headers['location']), `http://pharos.test${url}`).pathname;
    }
    const get = async (path: string) => (await ask({ method: 'GET', url: path })).body.result;
    const deliveries = async (where: object = {}) =>
      (
        await ask({
          method: 'GET',
          url: `/api/v2/deliveries?order=objectId&where=${encodeURIComponent(JSON.stringify(where))}`,
        })
      ).body.results;
    async function register(n: number, registration: Registration = { deviceToken: `token-${n}` }): Promise<string> {
      app.clock.now += 1;
      const body = { installationId: `phone-${n}`, deviceType: 'android', ...registration };
      const answer = await app.send({ method: 'POST', url: '/api/v2/installations', body });
      return answer.body.result.objectId;
    }
    const counts = ({ audience, queued, sent, failed, expired, noTarget, cancelled }: Record<string, unknown>) => ({
      audience,
      queued,
      sent,
      failed,
      expired,
      noTarget,
      cancelled,
    });
    const none = { audience: 0, queued: 0, sent: 0, failed: 0, expired: 0, noTarget: 0, cancelled: 0 };

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
        ['noTarget', 'No Web Push credentials are set up for this app.'],
        ['noTarget', 'The installation has no device token.'],
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

    test('is changed only by those who may send one: a key that may cancel has no other words for it', async () => {
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

    test('a message is tried again under the same id, and the provider says when', async () => {
      await register(1);
      fcm.script = () => ({ outcome: 'retry', reason: 'QUOTA_EXCEEDED', scope: 'message', afterMs: 90_000 });
      const path = await send({ data });
      await app.app.idle();
      const waiting = await get(path);
      assert.deepEqual(counts(waiting), { ...none, audience: 1, queued: 1 });
      assert.deepEqual(waiting.reasons, [{ state: 'queued', reason: 'QUOTA_EXCEEDED', count: 1 }]);
      app.clock.now += 89_999;
      await app.app.idle();
      assert.equal(fcm.calls.length, 1, 'not before');
      app.clock.now += 1;
      fcm.script = () => ({ outcome: 'sent' });
      await app.app.idle();
      assert.equal(fcm.calls.length, 2);
      assert.equal(fcm.calls[0]?.message.deliveryId, fcm.calls[1]?.message.deliveryId);
      const push = await get(path);
      assert.deepEqual([counts(push), push.reasons], [{ ...none, audience: 1, sent: 1 }, []]);
      assert.equal((await deliveries())[0].attempts, 2);
    });

    test('a provider that is down is left in peace: no further message is tried until it may be back', async () => {
      for (let n = 0; n < 5; n++) await register(n);
      fcm.script = () => ({ outcome: 'retry', reason: 'HTTP 503', scope: 'provider', afterMs: 30_000 });
      await send({ data });
      await app.app.idle();
      const tried = fcm.calls.length;
      const later = await send({ data });
      await app.app.idle();
      assert.equal(fcm.calls.length, tried, 'another push of the app does not try either');
      assert.deepEqual(counts(await get(later)), { ...none, audience: 5, queued: 5 });
      fcm.script = () => ({ outcome: 'sent' });
      app.clock.now += 31_000;
      await app.app.idle();
      assert.deepEqual(counts(await get(later)), { ...none, audience: 5, sent: 5 });
    });

    test('nothing is sent after its expiry: tried it has failed, never tried it has expired', async () => {
      await register(1);
      fcm.script = () => ({
        outcome: 'retry',
        reason: 'HTTP 503 from the provider',
        scope: 'message',
        afterMs: 50_000,
      });
      const expiresAt = new Date(app.clock.now + 60_000).toISOString();
      const tried = await send({ data, expiresAt });
      await app.app.idle();
      app.clock.now += 50_000;
      await app.app.idle();
      const push = await get(tried);
      assert.deepEqual(counts(push), { ...none, audience: 1, failed: 1 });
      assert.equal(push.reasons[0].reason, 'HTTP 503 from the provider (no time was left for another try)');
      assert.equal(fcm.calls.length, 2);

      fcm.script = () => ({ outcome: 'retry', reason: 'down', scope: 'provider', afterMs: 600_000 });
      await send({ data });
      await app.app.idle();
      const untried = await send({ data, expiresAt: new Date(app.clock.now + 60_000).toISOString() });
      await app.app.idle();
      app.clock.now += 120_000;
      await app.app.idle();
      assert.deepEqual(counts(await get(untried)), { ...none, audience: 1, expired: 1 });
    });

    test('a dead token is marked, not tried again, and alive when it is registered again', async () => {
      const objectId = await register(1);
      fcm.script = () => ({ outcome: 'dead', reason: 'UNREGISTERED' });
      const path = await send({ data });
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 1, failed: 1 });
      const dead = await get(`/api/v2/installations/${objectId}`);
      assert.deepEqual([dead.tokenDeadReason, typeof dead.tokenDeadAt], ['UNREGISTERED', 'string']);
      const again = await send({ data });
      await app.app.idle();
      assert.equal((await get(again)).reasons[0].reason, 'The device token is dead: UNREGISTERED');
      assert.equal(fcm.calls.length, 1);
      fcm.script = () => ({ outcome: 'sent' });
      await register(1);
      const alive = await get(`/api/v2/installations/${objectId}`);
      assert.deepEqual([alive.tokenDeadReason, alive.tokenDeadAt], [undefined, undefined]);
      await send({ data });
      await app.app.idle();
      assert.equal(fcm.calls.length, 2);
    });

    test("a provider's word about a token that is older than its registration does not kill it", async () => {
      const objectId = await register(1);
      const registeredAt = app.clock.now;
      fcm.script = () => ({ outcome: 'dead', reason: 'Unregistered', since: registeredAt - 1 });
      await send({ data });
      await app.app.idle();
      assert.equal((await get(`/api/v2/installations/${objectId}`)).tokenDeadAt, undefined);
      fcm.script = () => ({ outcome: 'dead', reason: 'Unregistered', since: registeredAt });
      await send({ data });
      await app.app.idle();
      assert.equal((await get(`/api/v2/installations/${objectId}`)).tokenDeadReason, 'Unregistered');
    });

    test('the app reports what came and what was opened; the first report counts', async () => {
      await register(1);
      await register(2);
      const path = await send({ data });
      await app.app.idle();
      const [one, two] = await deliveries({ state: 'sent' });
      const report = (installationId: string, receipts: readonly object[]) =>
        app.send({ method: 'POST', url: '/api/v2/receipts', body: { installationId, receipts } });
      const at = new Date(app.clock.now - 1_000).toISOString();
      const foreign = await report('phone-1', [
        { deliveryId: one.objectId, event: 'received', at },
        { deliveryId: two.objectId, event: 'opened' },
        { deliveryId: 'made up', event: 'opened' },
      ]);
      assert.deepEqual(foreign.body.result, { accepted: 1, unknown: [two.objectId, 'made up'] });
      app.clock.now += 5_000;
      await report('phone-1', [{ deliveryId: one.objectId, event: 'opened' }]);
      await report('phone-1', [{ deliveryId: one.objectId, event: 'received' }]);
      const [noted] = await deliveries({ objectId: one.objectId });
      assert.deepEqual([noted.receivedAt, noted.openedAt], [at, new Date(app.clock.now).toISOString()]);
      const push = await get(path);
      assert.deepEqual([push.received, push.opened], [1, 1]);
    });

    test('what the app has reported as received is not sent again after a time-out', async () => {
      await register(1);
      fcm.script = () => ({ outcome: 'retry', reason: 'no answer in time', scope: 'message', afterMs: 10_000 });
      const path = await send({ data });
      await app.app.idle();
      const [delivery] = await deliveries();
      const receipts = [{ deliveryId: delivery.objectId, event: 'received' }];
      await app.send({ method: 'POST', url: '/api/v2/receipts', body: { installationId: 'phone-1', receipts } });
      app.clock.now += 10_000;
      await app.app.idle();
      assert.deepEqual(counts(await get(path)), { ...none, audience: 1, sent: 1 });
      assert.equal(fcm.calls.length, 1);
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
