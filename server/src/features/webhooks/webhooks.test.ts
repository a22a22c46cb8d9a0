import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { databases, signIn } from '../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../test/support/console.ts';
import { openNode, openSite, pointer, type Site } from '../../../test/support/site.ts';
import {
  type Answering,
  answerWith,
  startReceiver,
  type WebhookReceiver,
} from '../../../test/support/webhook-receiver.ts';
import { insertJobs } from '../../jobs/store.ts';
import { ConcurrencySlots } from './concurrency-slots.ts';
import { WebhookService } from './service.ts';
import { insertDelivery } from './store.ts';

const hour = 3_600_000;
const allowed = { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' };

interface Made {
  readonly objectId: string;
  readonly secret: string;
}

for (const database of databases) {
  describe(`webhooks on ${database}`, () => {
    let site: Site;
    let browser: Browser;
    let receiver: WebhookReceiver;
    beforeEach(async () => {
      site = await openSite(database, allowed);
      browser = await openConsole(site.app, 'manager');
      receiver = await startReceiver();
    });
    afterEach(async () => {
      await site.close();
      await receiver.close();
    });

    const all = (appId = site.app.appId) => `/apps/${appId}/webhooks`;
    async function make(change: object = {}, appId?: string): Promise<Made> {
      const body = { url: receiver.url, events: ['presence.enter'], ...change };
      const answer = await browser.send({ method: 'POST', url: all(appId), body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.result;
    }
    const read = async ({ objectId }: Made) =>
      (await browser.send({ method: 'GET', url: `${all()}/${objectId}` })).body.result;
    const deliveries = async ({ objectId }: Made, query = '') =>
      (await browser.send({ method: 'GET', url: `${all()}/${objectId}/deliveries${query}` })).body.results;
    const enter = () => site.send([site.decided('ENTER')]);
    /** A minute later, since a phone that leaves and enters at once has not left. */
    async function enterAgain() {
      site.app.clock.now += 60_000;
      await enter();
    }
    const leave = () => site.send([site.decided('EXIT')]);
    async function pass(ms: number) {
      site.app.clock.now += ms;
      await site.app.app.idle();
    }

    test('an event is posted once, signed so that an independent library accepts it', async () => {
      const hook = await make();
      const { events } = await enter();
      await site.app.app.idle();
      assert.equal(receiver.calls.length, 1);
      const [call] = receiver.calls;
      const verified = new Webhook(hook.secret).verify(call?.body ?? '', call?.headers as Record<string, string>);
      assert.deepEqual(verified, {
        type: 'presence.enter',
        timestamp: new Date(site.now).toISOString(),
        appId: site.app.appId,
        data: {
          objectId: events[0].objectId,
          event: 'ENTER',
          beaconId: pointer('Beacon', site.hall),
          installationId: pointer('_Installation', site.phone),
          visitId: events[0].visitId,
          occurredAt: new Date(site.now).toISOString(),
          enteredAt: new Date(site.now).toISOString(),
          cause: 'device',
          inferred: false,
        },
      });
      const [delivery] = await deliveries(hook);
      assert.equal(delivery.objectId, call?.headers['webhook-id']);
      assert.deepEqual(
        [delivery.state, delivery.attempts, delivery.status, delivery.answer, delivery.payload],
        ['sent', 1, 200, 'ok', verified],
      );
      const other = new Webhook(`whsec_${Buffer.from('x'.repeat(32)).toString('base64')}`);
      assert.throws(() => other.verify(call?.body ?? '', call?.headers as Record<string, string>));
    });

    test('only what was asked for is sent, and nothing of another app', async () => {
      const { appId } = await site.app.app.apps.create('Another app');
      await make({}, appId);
      await make({ events: ['presence.exit', 'visit.closed', 'message.fired'] });
      await make({ enabled: false });
      await site.notification();
      await enter();
      await site.app.app.idle();
      site.app.clock.now += 60_000;
      await leave();
      await site.app.app.idle();
      const types = receiver.calls.map(({ body }) => JSON.parse(body).type);
      assert.deepEqual(types.sort(), ['message.fired', 'presence.exit', 'visit.closed']);
      const message = receiver.calls.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'message.fired');
      assert.deepEqual(
        [message.data.kind, message.data.event, typeof message.data.deliveryId],
        ['notification', 'ENTER', 'string'],
      );
      const closed = receiver.calls.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'visit.closed');
      assert.equal(closed.data.dwell, 60);
    });

    test('a webhook that is made, switched off or on after the first event counts from the next one', async () => {
      await enter();
      await site.app.app.idle();
      const hook = await make({ events: ['presence.enter', 'presence.exit'] });
      const calls: number[] = [];
      const next = async (report: () => Promise<unknown>) => {
        site.app.clock.now += 60_000;
        await report();
        await site.app.app.idle();
        calls.push(receiver.calls.length);
      };
      await next(leave);
      for (const enabled of [false, true]) {
        await browser.send({ method: 'PUT', url: `${all()}/${hook.objectId}`, body: { enabled } });
        await next(enabled ? leave : enterAgain);
      }
      assert.deepEqual(calls, [1, 1, 2]);
    });

    test('the secret is shown once, kept sealed, and signs beside its successor for a day', async () => {
      const hook = await make();
      const [row] = await site.rows('webhooks');
      assert.ok(!JSON.stringify(row).includes(hook.secret.slice(6)));
      assert.ok(!JSON.stringify(await read(hook)).includes('whsec_'));
      const rotated = await browser.send({ method: 'POST', url: `${all()}/${hook.objectId}/secret` });
      assert.equal(rotated.status, 201);
      await enter();
      await site.app.app.idle();
      const call = receiver.calls[0];
      for (const secret of [hook.secret, rotated.body.result.secret])
        new Webhook(secret).verify(call?.body ?? '', call?.headers as Record<string, string>);
      site.app.clock.now += 25 * hour;
      await leave();
      await enterAgain();
      await site.app.app.idle();
      const signatures = String(receiver.calls[1]?.headers['webhook-signature']).split(' ');
      assert.equal(signatures.length, 1);
    });

    const temporary: readonly (readonly [string, Answering])[] = [
      ['500', answerWith(500, 'broken')],
      ['503', answerWith(503)],
      ['408', answerWith(408)],
      ['429', answerWith(429)],
      ['a closed connection', (_call, response) => void response.socket?.destroy()],
    ];
    for (const [what, answer] of temporary) {
      test(`after ${what} it is sent again under the same id`, async () => {
        const hook = await make();
        receiver.answer = answer;
        await enter();
        await site.app.app.idle();
        const [waiting] = await deliveries(hook, '?state=queued');
        assert.equal(waiting.attempts >= 1, true);
        assert.match(waiting.reason, /Answered (5|4)\d\d|No connection/);
        assert.equal((await read(hook)).health, 'retrying');
        receiver.answer = answerWith(204);
        await pass(hour);
        const [sent] = await deliveries(hook);
        assert.deepEqual([sent.state, sent.status, sent.nextTryAt], ['sent', 204, null]);
        assert.equal(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size, 1);
        assert.deepEqual([(await read(hook)).health, (await read(hook)).lastError], ['ok', null]);
      });
    }

    test('Retry-After is kept to', async () => {
      const hook = await make();
      receiver.answer = answerWith(429, '', { 'retry-after': '600' });
      await enter();
      await site.app.app.idle();
      await pass(599_000);
      assert.equal(receiver.calls.length, 1);
      receiver.answer = answerWith(200);
      await pass(1_000);
      assert.equal(receiver.calls.length, 2);
      assert.equal((await deliveries(hook))[0].state, 'sent');
    });

    const final: readonly (readonly [string, Answering, RegExp])[] = [
      ['400', answerWith(400, 'bad shape'), /Answered 400 Bad Request/],
      ['404', answerWith(404), /Answered 404/],
      ['a redirect', answerWith(302, '', { location: 'http://127.0.0.1:1/inside' }), /redirects are not followed/],
    ];
    for (const [what, answer, said] of final) {
      test(`${what} ends it at once and says so, and it can be sent once more`, async () => {
        const hook = await make();
        receiver.answer = answer;
        await enter();
        await site.app.app.idle();
        await pass(hour);
        const [failed] = await deliveries(hook);
        assert.deepEqual([failed.state, failed.attempts, receiver.calls.length], ['failed', 1, 1]);
        assert.match(failed.reason, said);
        let release: () => void = () => undefined;
        receiver.answer = (_call, response) => {
          release = () => void response.end();
        };
        const url = `${all()}/${hook.objectId}/deliveries/${failed.objectId}/redeliver`;
        assert.equal((await browser.send({ method: 'POST', url })).status, 200);
        await receiver.arrived(2);
        assert.equal((await browser.send({ method: 'POST', url })).status, 409, 'it is under way already');
        release();
        await site.app.app.idle();
        assert.equal((await deliveries(hook))[0].state, 'sent');
        assert.equal(receiver.calls[1]?.headers['webhook-id'], failed.objectId);
        assert.equal(receiver.calls[1]?.body, receiver.calls[0]?.body);
      });
    }

    test('410 switches the webhook off, with the reason, until somebody switches it on', async () => {
      const hook = await make();
      receiver.answer = answerWith(410);
      await enter();
      await site.app.app.idle();
      const off = await read(hook);
      assert.deepEqual([off.enabled, off.disabledReason], [false, 'The receiver answered 410 Gone.']);
      await leave();
      await enterAgain();
      await site.app.app.idle();
      assert.equal(receiver.calls.length, 1);
      const on = await browser.send({ method: 'PUT', url: `${all()}/${hook.objectId}`, body: { enabled: true } });
      assert.deepEqual([on.body.result.enabled, on.body.result.disabledReason], [true, null]);
    });

    test('after a day of failures it expires with the last reason, and the webhook is marked failing', async () => {
      const hook = await make();
      receiver.answer = answerWith(500);
      await enter();
      await site.app.app.idle();
      for (let hours = 0; hours < 25; hours++) await pass(hour);
      browser = await openConsole(site.app, 'manager');
      const [delivery] = await deliveries(hook);
      assert.equal(delivery.state, 'expired');
      assert.match(delivery.reason, /Answered 500/);
      assert.ok(delivery.attempts > 5);
      const shown = await read(hook);
      assert.deepEqual([shown.health, shown.lastError], ['failing', 'Answered 500 Internal Server Error.']);
      const jobs = (await site.rows('jobs')).filter(({ kind }) => kind === 'webhook.send');
      assert.deepEqual(jobs, []);
    });

    test("a receiver that does not answer keeps only its own app's calls waiting, a few at a time", async () => {
      const { appId, appKey } = await site.app.app.apps.create('Slow app');
      const slow = await startReceiver();
      slow.answer = () => undefined;
      try {
        await make({ url: slow.url, events: ['presence.enter', 'presence.exit'] }, appId);
        await make();
        const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey };
        const post = (url: string, body: unknown, bearer = {}) =>
          site.app.send({ method: 'POST', url, body, headers: { ...headers, ...bearer } });
        const phone = { installationId: 'theirs', deviceType: 'ios' };
        assert.equal((await post('/api/v2/installations', phone)).status, 201);
        const stranger = await signIn(site.app, headers);
        const beacon = { name: 'b', uuid: 'u', major: 1, minor: 1 };
        const made = await post('/api/v2/beacons', beacon, stranger.headers);
        const id = made.body.result.objectId;
        for (let n = 0; n < 20; n++) {
          const sightings = ['ENTER', 'EXIT'].map((event, index) => ({
            beacon: id,
            event,
            occurredAt: site.now - hour + n * 60_000 + index * 10_000,
          }));
          await post('/api/v2/sightings', { installationId: 'theirs', sightings });
        }
        await slow.arrived(ConcurrencySlots.perWebhook);
        await enter();
        await receiver.arrived(1);
        assert.equal(slow.calls.length, ConcurrencySlots.perWebhook);
      } finally {
        await slow.close();
      }
    });

    test('a test call says exactly what the receiver answered, and stores nothing', async () => {
      const hook = await make({ events: ['push.finished'] });
      const tryIt = async () =>
        (await browser.send({ method: 'POST', url: `${all()}/${hook.objectId}/test` })).body.result;
      const good = await tryIt();
      assert.deepEqual([good.ok, good.status, good.answer, good.text], [true, 200, 'ok', 'Answered 200 OK.']);
      assert.equal(JSON.parse(receiver.calls[0]?.body ?? '').type, 'webhook.test');
      new Webhook(hook.secret).verify(
        receiver.calls[0]?.body ?? '',
        receiver.calls[0]?.headers as Record<string, string>,
      );
      receiver.answer = answerWith(401, 'x'.repeat(100_000));
      const bad = await tryIt();
      assert.deepEqual([bad.ok, bad.status, bad.answer.length], [false, 401, 4096]);
      const { port } = receiver;
      await receiver.close();
      const away = await tryIt();
      assert.deepEqual([away.ok, away.status], [false, null]);
      assert.match(away.text, /No connection: .*ECONNREFUSED/);
      receiver = await startReceiver(port);
      assert.deepEqual(await deliveries(hook), []);
    });

    test('a webhook is changed, listed and deleted with its deliveries, and every change is in the audit log', async () => {
      const hook = await make();
      await enter();
      await site.app.app.idle();
      const url = `${all()}/${hook.objectId}`;
      const changed = await browser.send({
        method: 'PUT',
        url,
        body: { events: ['presence.exit'], description: 'Counter' },
      });
      assert.deepEqual(
        [changed.status, changed.body.result.events, changed.body.result.description, changed.body.result.url],
        [200, ['presence.exit'], 'Counter', receiver.url],
      );
      assert.equal((await browser.send({ method: 'GET', url: all() })).body.results.length, 1);
      const foreign = await site.app.app.apps.create('Another app');
      const theirs = { method: 'GET', url: `${all(foreign.appId)}/${hook.objectId}` } as const;
      assert.equal((await browser.send(theirs)).status, 404);
      assert.equal((await browser.send({ method: 'DELETE', url })).status, 200);
      assert.equal((await browser.send({ method: 'GET', url })).status, 404);
      assert.deepEqual(await site.rows('webhook_deliveries'), []);
      const audit = await browser.send({ method: 'GET', url: `/audit?appId=${site.app.appId}` });
      const actions = audit.body.results.map(({ action }: { action: string }) => action);
      assert.deepEqual(actions.sort().slice(-3), ['webhook.change', 'webhook.create', 'webhook.delete']);
    });

    test('broken fields and addresses that must not be called are refused', async () => {
      const cases: readonly (readonly [object, string])[] = [
        [{ url: 'ftp://example.org/' }, 'url'],
        [{ url: 'example.org/hook' }, 'url'],
        [{ url: 'javascript:alert(1)' }, 'url'],
        [{ url: 'https://user:secret@127.0.0.1/' }, 'url'],
        [{ url: 'http://127.0.0.1/#part' }, 'url'],
        [{ url: 'http://[::1]/' }, 'url'],
        [{ url: 'http://[::ffff:10.0.0.1]/' }, 'url'],
        [{ url: 'http://169.254.169.254/latest' }, 'url'],
        [{ url: 'http://10.0.0.1/' }, 'url'],
        [{ url: 'http://0.0.0.0/' }, 'url'],
        [{ url: 'http://nothing.invalid/' }, 'url'],
        [{ events: [] }, 'events'],
        [{ events: ['presence'] }, 'events.0'],
        [{ events: ['push.progress'] }, 'events.0'],
        [{ description: 'x'.repeat(201) }, 'description'],
        [{ enabled: 'yes' }, 'enabled'],
      ];
      for (const [change, field] of cases) {
        const body = { url: receiver.url, events: ['presence.enter'], ...change };
        const refused = await browser.send({ method: 'POST', url: all(), body });
        assert.deepEqual([refused.status, refused.body.code], [400, 142], JSON.stringify(change));
        assert.equal(refused.body.error.details[0].field, field);
        assert.ok(!JSON.stringify(refused.body).includes('user:secret'));
      }
      assert.deepEqual(await site.rows('webhooks'), []);
    });

    test('an address that was allowed once is judged again at each call', async () => {
      const hook = await make();
      const { config } = site.app;
      const strict = await openNode(site, { ...config, privateTargets: [] });
      try {
        await site.app.app.close();
        await site.app.storage.db.transaction(async (db) => {
          const { appId } = site.app;
          const now = site.now;
          const rest = { webhookId: hook.objectId, event: 'presence.enter', payload: '{}' };
          await insertDelivery(db, { appId, objectId: 'd1', ...rest, expiresAt: now + hour, now });
          const job = { appId, jobId: 'j1', kind: 'webhook.send', payload: '{"deliveryId":"d1"}' };
          await insertJobs(db, [{ ...job, subject: null, runAt: now, expiresAt: null, createdAt: now }]);
        });
        await strict.app.idle();
        const [delivery] = await site.rows('webhook_deliveries');
        assert.deepEqual([delivery?.['state'], receiver.calls.length], ['failed', 0]);
        assert.match(String(delivery?.['reason']), /Not called: 127\.0\.0\.1 is not an address of the public internet/);
      } finally {
        await strict.close();
      }
    });

    test('nothing more is sent once a webhook is deleted', async () => {
      const hook = await make();
      await enter();
      await site.app.app.idle();
      assert.equal(receiver.calls.length, 1);
      await browser.send({ method: 'DELETE', url: `${all()}/${hook.objectId}` });
      await leave();
      await enterAgain();
      await site.app.app.idle();
      assert.equal(receiver.calls.length, 1);
    });

    test('deliveries that are over go after a week, those that wait stay', async () => {
      const hook = await make();
      await enter();
      await site.app.app.idle();
      const service = new WebhookService({ db: site.app.storage.db, now: () => site.now } as never);
      await service.sweep([site.app.appId]);
      assert.equal((await deliveries(hook)).length, 1);
      site.app.clock.now += 8 * 24 * hour;
      browser = await openConsole(site.app, 'manager');
      await service.sweep([site.app.appId]);
      assert.equal((await deliveries(hook)).length, 0);
    });
  });
}
