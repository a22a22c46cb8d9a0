import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { bothDatabases, signIn } from '../../../../test/support/build-app.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { testInFull, testOn } from '../../../../test/support/depth.ts';
import { type Answering, answerWith, startReceiver } from '../../../../test/support/servers/webhook-receiver.ts';
import { openNode, type Site } from '../../../../test/support/site.ts';
import { openWebhookSite, type WebhookSite } from '../../../../test/support/sites/webhook-site.ts';
import { insertJobs } from '../../../jobs/store.ts';
import { asking } from '../apps/store.ts';
import { ConcurrencySlots } from './concurrency-slots.ts';
import { WebhookService } from './service.ts';
import { insertDelivery, queued } from './store.ts';

/** What becomes of a call that is not answered as it should be. */

const hour = 3_600_000;

for (const database of bothDatabases) {
  describe(`webhooks on ${database}`, () => {
    let hooks: WebhookSite;
    let site: Site;
    beforeEach(async () => {
      hooks = await openWebhookSite(database);
      site = hooks.site;
    });
    afterEach(() => hooks.close());

    const temporary: readonly (readonly [string, Answering])[] = [
      ['500', answerWith(500, 'broken')],
      ['503', answerWith(503)],
      ['408', answerWith(408)],
      ['429', answerWith(429)],
      ['a closed connection', (_call, response) => void response.socket?.destroy()],
    ];
    for (const [place, [what, answer]] of temporary.entries()) {
      (place === 0 ? test : testOn(database))(`after ${what} it is sent again under the same id`, async () => {
        const hook = await hooks.make();
        hooks.receiver.answer = answer;
        await hooks.enter();
        await site.app.app.idle();
        const [waiting] = await hooks.deliveries(hook, '?state=queued');
        assert.equal(waiting.attempts >= 1, true);
        assert.match(waiting.reason, /Answered (5|4)\d\d|No connection/);
        assert.equal((await hooks.read(hook)).health, 'retrying');
        hooks.receiver.answer = answerWith(204);
        await hooks.pass(hour);
        const [sent] = await hooks.deliveries(hook);
        assert.deepEqual([sent.state, sent.status, sent.nextTryAt], ['sent', 204, null]);
        assert.equal(new Set(hooks.receiver.calls.map(({ headers }) => headers['webhook-id'])).size, 1);
        assert.deepEqual([(await hooks.read(hook)).health, (await hooks.read(hook)).lastError], ['ok', null]);
      });
    }

    test('Retry-After is kept to', async () => {
      const hook = await hooks.make();
      hooks.receiver.answer = answerWith(429, '', { 'retry-after': '600' });
      await hooks.enter();
      await site.app.app.idle();
      await hooks.pass(599_000);
      assert.equal(hooks.receiver.calls.length, 1);
      hooks.receiver.answer = answerWith(200);
      await hooks.pass(1_000);
      assert.equal(hooks.receiver.calls.length, 2);
      assert.equal((await hooks.deliveries(hook))[0].state, 'sent');
    });

    testOn(database)('a Retry-After beyond the 24 hours loses nothing before they are over', async () => {
      const hook = await hooks.make();
      hooks.receiver.answer = answerWith(503, 'maintenance', { 'retry-after': '86400' });
      await hooks.enter();
      await site.app.app.idle();
      const [waiting] = await hooks.deliveries(hook);
      assert.equal(waiting.state, 'queued', waiting.reason);
      hooks.receiver.answer = answerWith(200);
      await hooks.pass(23 * hour);
      assert.equal(hooks.receiver.calls.length, 1, 'as late as possible, since the receiver asks for that');
      await hooks.pass(hour - 60_000);
      hooks.browser = await openConsole(site.app, 'manager');
      assert.deepEqual([(await hooks.deliveries(hook))[0].state, hooks.receiver.calls.length], ['sent', 2]);
    });

    const atOnce = [
      ['0', () => '0'],
      ['in the past, by a clock that is behind', () => new Date(site.now - hour).toUTCString()],
    ] as const;
    for (const [what, header] of atOnce) {
      testOn(database)(
        `with a Retry-After that is ${what}, it is not called again and again without a pause`,
        async () => {
          const hook = await hooks.make();
          hooks.receiver.answer = (call, response) => {
            const status = hooks.receiver.calls.length < 50 ? 503 : 204;
            answerWith(status, '', { 'retry-after': header() })(call, response);
          };
          await hooks.enter();
          await site.app.app.idle();
          assert.ok(hooks.receiver.calls.length <= 2, `${hooks.receiver.calls.length} calls`);
          assert.equal((await hooks.deliveries(hook))[0].state, 'queued');
          for (let minutes = 0; minutes < 60; minutes++) await hooks.pass(60_000);
          assert.deepEqual(
            [hooks.receiver.calls.length, (await hooks.deliveries(hook))[0].state],
            [50, 'sent'],
            'at most a minute later, since the receiver expects it',
          );
        },
      );
    }

    const final: readonly (readonly [string, Answering, RegExp])[] = [
      ['400', answerWith(400, 'bad shape'), /Answered 400 Bad Request/],
      ['404', answerWith(404), /Answered 404/],
      ['a redirect', answerWith(302, '', { location: 'http://127.0.0.1:1/inside' }), /redirects are not followed/],
    ];
    for (const [place, [what, answer, said]] of final.entries()) {
      (place === 0 ? test : testOn(database))(
        `${what} ends it at once and says so, and it can be sent once more`,
        async () => {
          const hook = await hooks.make();
          hooks.receiver.answer = answer;
          await hooks.enter();
          await site.app.app.idle();
          await hooks.pass(hour);
          const [failed] = await hooks.deliveries(hook);
          assert.deepEqual([failed.state, failed.attempts, hooks.receiver.calls.length], ['failed', 1, 1]);
          assert.match(failed.reason, said);
          let release: () => void = () => undefined;
          hooks.receiver.answer = (_call, response) => {
            release = () => void response.end();
          };
          const url = `${hooks.all()}/${hook.objectId}/deliveries/${failed.objectId}/redeliver`;
          assert.equal((await hooks.browser.send({ method: 'POST', url })).status, 200);
          await hooks.receiver.arrived(2);
          assert.equal((await hooks.browser.send({ method: 'POST', url })).status, 409, 'it is under way already');
          release();
          await site.app.app.idle();
          assert.equal((await hooks.deliveries(hook))[0].state, 'sent');
          assert.equal(hooks.receiver.calls[1]?.headers['webhook-id'], failed.objectId);
          assert.equal(hooks.receiver.calls[1]?.body, hooks.receiver.calls[0]?.body);
        },
      );
    }

    test('410 switches the webhook off, with the reason, until somebody switches it on', async () => {
      const hook = await hooks.make();
      hooks.receiver.answer = answerWith(410);
      await hooks.enter();
      await site.app.app.idle();
      const off = await hooks.read(hook);
      assert.deepEqual([off.enabled, off.disabledReason], [false, 'The receiver answered 410 Gone.']);
      await hooks.leave();
      await hooks.enterAgain();
      await site.app.app.idle();
      assert.equal(hooks.receiver.calls.length, 1);
      const on = await hooks.browser.send({
        method: 'PUT',
        url: `${hooks.all()}/${hook.objectId}`,
        body: { enabled: true },
      });
      assert.deepEqual([on.body.result.enabled, on.body.result.disabledReason], [true, null]);
    });

    testInFull(
      '410 of an address that the webhook has just left switches nothing off, and several at once are one entry',
      async () => {
        const hook = await hooks.make();
        const { url } = hooks.receiver;
        const url2 = `${url}/moved`;
        let release: () => void = () => undefined;
        hooks.receiver.answer = (_call, response) => {
          release = () => void response.writeHead(410).end();
        };
        await hooks.enter();
        await hooks.receiver.arrived(1);
        const change = (body: object) =>
          hooks.browser.send({ method: 'PUT', url: `${hooks.all()}/${hook.objectId}`, body });
        assert.equal((await change({ url: url2 })).status, 200);
        release();
        await site.app.app.idle();
        assert.deepEqual([(await hooks.read(hook)).enabled, (await hooks.read(hook)).disabledReason], [true, null]);
        const held: (() => void)[] = [];
        hooks.receiver.answer = (_call, response) => void held.push(() => void response.writeHead(410).end());
        await hooks.leave();
        await hooks.enterAgain();
        await hooks.leave();
        await hooks.enterAgain();
        await hooks.receiver.arrived(3);
        for (const answer of held) answer();
        await site.app.app.idle();
        assert.equal((await hooks.read(hook)).enabled, false);
        const entries = (await site.rows('audit')).filter(({ action }) => action === 'webhook.disable');
        assert.equal(entries.length, 1);
      },
    );

    test('after a day of failures it expires with the last reason, and the webhook is marked failing', async () => {
      const hook = await hooks.make();
      hooks.receiver.answer = answerWith(500);
      await hooks.enter();
      await site.app.app.idle();
      for (let hours = 0; hours < 25; hours++) await hooks.pass(hour);
      hooks.browser = await openConsole(site.app, 'manager');
      const [delivery] = await hooks.deliveries(hook);
      assert.equal(delivery.state, 'expired');
      assert.match(delivery.reason, /Answered 500/);
      assert.ok(delivery.attempts > 5);
      const shown = await hooks.read(hook);
      assert.deepEqual([shown.health, shown.lastError], ['failing', 'Answered 500 Internal Server Error.']);
      const jobs = (await site.rows('jobs')).filter(({ kind }) => kind === 'webhook.send');
      assert.deepEqual(jobs, []);
    });

    testOn(database)(
      "a receiver that does not answer keeps only its own app's calls waiting, a few at a time",
      async () => {
        const { appId, appKey } = await site.app.app.apps.create('Slow app');
        const slow = await startReceiver();
        slow.answer = () => undefined;
        try {
          await hooks.make({ url: slow.url, events: ['presence.enter', 'presence.exit'] }, appId);
          await hooks.make();
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
          await hooks.enter();
          await hooks.receiver.arrived(1);
          assert.equal(slow.calls.length, ConcurrencySlots.perWebhook);
        } finally {
          await slow.close();
        }
      },
    );

    testOn(database)('an address that was allowed once is judged again at each call', async () => {
      const hook = await hooks.make();
      const { config } = site.app;
      const strict = await openNode(site, { ...config, privateTargets: [] });
      try {
        await site.app.app.close();
        await site.app.storage.db.transaction(async (db) => {
          const { appId } = site.app;
          const now = site.now;
          const rest = { webhookId: hook.objectId, event: 'presence.enter', payload: '{}' };
          await insertDelivery(db, queued({ appId, objectId: 'd1', ...rest }, now, now + hour));
          const job = { appId, jobId: 'j1', kind: 'webhook.send', payload: '{"deliveryId":"d1"}' };
          await insertJobs(db, [{ ...job, subject: null, runAt: now, expiresAt: null, createdAt: now }]);
        });
        await strict.app.idle();
        const [delivery] = await site.rows('webhook_deliveries');
        assert.deepEqual([delivery?.['state'], hooks.receiver.calls.length], ['failed', 0]);
        assert.match(String(delivery?.['reason']), /Not called: 127\.0\.0\.1 is not an address of the public internet/);
      } finally {
        await strict.close();
      }
    });

    test('nothing more is sent once a webhook is deleted', async () => {
      const hook = await hooks.make();
      await hooks.enter();
      await site.app.app.idle();
      assert.equal(hooks.receiver.calls.length, 1);
      await hooks.browser.send({ method: 'DELETE', url: `${hooks.all()}/${hook.objectId}` });
      await hooks.leave();
      await hooks.enterAgain();
      await site.app.app.idle();
      assert.equal(hooks.receiver.calls.length, 1);
    });

    test('deliveries that are over go after a week, those that wait stay', async () => {
      const hook = await hooks.make();
      await hooks.enter();
      await site.app.app.idle();
      const service = new WebhookService({ db: site.app.storage.db, now: () => site.now } as never);
      await service.sweep(asking(site.app.storage.db));
      assert.equal((await hooks.deliveries(hook)).length, 1);
      site.app.clock.now += 8 * 24 * hour;
      hooks.browser = await openConsole(site.app, 'manager');
      await service.sweep(asking(site.app.storage.db));
      assert.equal((await hooks.deliveries(hook)).length, 0);
    });
  });
}
