import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { answerWith, startReceiver } from '../../../../test/support/servers/webhook-receiver.ts';
import { pointer, type Site } from '../../../../test/support/site.ts';
import { openWebhookSite, type WebhookSite } from '../../../../test/support/sites/webhook-site.ts';

/** What is sent to whom, signed how, and who says so. */

const hour = 3_600_000;

for (const database of databases) {
  describe(`webhooks on ${database}`, () => {
    let hooks: WebhookSite;
    let site: Site;
    beforeEach(async () => {
      hooks = await openWebhookSite(database);
      site = hooks.site;
    });
    afterEach(() => hooks.close());

    test('an event is posted once, signed so that an independent library accepts it', async () => {
      const hook = await hooks.make();
      const { events } = await hooks.enter();
      await site.app.app.idle();
      assert.equal(hooks.receiver.calls.length, 1);
      const [call] = hooks.receiver.calls;
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
      const [delivery] = await hooks.deliveries(hook);
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
      await hooks.make({}, appId);
      await hooks.make({ events: ['presence.exit', 'visit.closed', 'message.fired'] });
      await hooks.make({ enabled: false });
      await site.notification();
      await hooks.enter();
      await site.app.app.idle();
      site.app.clock.now += 60_000;
      await hooks.leave();
      await site.app.app.idle();
      const types = hooks.receiver.calls.map(({ body }) => JSON.parse(body).type);
      assert.deepEqual(types.sort(), ['message.fired', 'presence.exit', 'visit.closed']);
      const message = hooks.receiver.calls
        .map(({ body }) => JSON.parse(body))
        .find(({ type }) => type === 'message.fired');
      assert.deepEqual(
        [message.data.kind, message.data.event, typeof message.data.deliveryId],
        ['notification', 'ENTER', 'string'],
      );
      const closed = hooks.receiver.calls
        .map(({ body }) => JSON.parse(body))
        .find(({ type }) => type === 'visit.closed');
      assert.equal(closed.data.dwell, 60);
    });

    test('a webhook that is made, switched off or on after the first event counts from the next one', async () => {
      await hooks.enter();
      await site.app.app.idle();
      const hook = await hooks.make({ events: ['presence.enter', 'presence.exit'] });
      const calls: number[] = [];
      const next = async (report: () => Promise<unknown>) => {
        site.app.clock.now += 60_000;
        await report();
        await site.app.app.idle();
        calls.push(hooks.receiver.calls.length);
      };
      await next(() => hooks.leave());
      for (const enabled of [false, true]) {
        await hooks.browser.send({ method: 'PUT', url: `${hooks.all()}/${hook.objectId}`, body: { enabled } });
        await next(() => (enabled ? hooks.leave() : hooks.enterAgain()));
      }
      assert.deepEqual(calls, [1, 1, 2]);
    });

    test('the secret is shown once, kept sealed, and signs beside its successor for a day', async () => {
      const hook = await hooks.make();
      const [row] = await site.rows('webhooks');
      assert.ok(!JSON.stringify(row).includes(hook.secret.slice(6)));
      assert.ok(!JSON.stringify(await hooks.read(hook)).includes('whsec_'));
      const rotated = await hooks.browser.send({ method: 'POST', url: `${hooks.all()}/${hook.objectId}/secret` });
      assert.equal(rotated.status, 201);
      await hooks.enter();
      await site.app.app.idle();
      const call = hooks.receiver.calls[0];
      for (const secret of [hook.secret, rotated.body.result.secret])
        new Webhook(secret).verify(call?.body ?? '', call?.headers as Record<string, string>);
      site.app.clock.now += 25 * hour;
      await hooks.leave();
      await hooks.enterAgain();
      await site.app.app.idle();
      const signatures = String(hooks.receiver.calls[1]?.headers['webhook-signature']).split(' ');
      assert.equal(signatures.length, 1);
    });

    test('a test call says exactly what the receiver answered, and stores nothing', async () => {
      const hook = await hooks.make({ events: ['push.finished'] });
      const tryIt = async () =>
        (await hooks.browser.send({ method: 'POST', url: `${hooks.all()}/${hook.objectId}/test` })).body.result;
      const good = await tryIt();
      assert.deepEqual([good.ok, good.status, good.answer, good.text], [true, 200, 'ok', 'Answered 200 OK.']);
      assert.equal(JSON.parse(hooks.receiver.calls[0]?.body ?? '').type, 'webhook.test');
      new Webhook(hook.secret).verify(
        hooks.receiver.calls[0]?.body ?? '',
        hooks.receiver.calls[0]?.headers as Record<string, string>,
      );
      hooks.receiver.answer = answerWith(401, 'x'.repeat(100_000));
      const bad = await tryIt();
      assert.deepEqual([bad.ok, bad.status, bad.answer.length], [false, 401, 4096]);
      const { port } = hooks.receiver;
      await hooks.receiver.close();
      const away = await tryIt();
      assert.deepEqual([away.ok, away.status], [false, null]);
      assert.match(away.text, /No connection: .*ECONNREFUSED/);
      hooks.receiver = await startReceiver(port);
      assert.deepEqual(await hooks.deliveries(hook), []);
    });

    test('a webhook is changed, listed and deleted with its deliveries, and every change is in the audit log', async () => {
      const hook = await hooks.make();
      await hooks.enter();
      await site.app.app.idle();
      const url = `${hooks.all()}/${hook.objectId}`;
      const changed = await hooks.browser.send({
        method: 'PUT',
        url,
        body: { events: ['presence.exit'], description: 'Counter' },
      });
      assert.deepEqual(
        [changed.status, changed.body.result.events, changed.body.result.description, changed.body.result.url],
        [200, ['presence.exit'], 'Counter', hooks.receiver.url],
      );
      assert.equal((await hooks.browser.send({ method: 'GET', url: hooks.all() })).body.results.length, 1);
      const foreign = await site.app.app.apps.create('Another app');
      const theirs = { method: 'GET', url: `${hooks.all(foreign.appId)}/${hook.objectId}` } as const;
      assert.equal((await hooks.browser.send(theirs)).status, 404);
      assert.equal((await hooks.browser.send({ method: 'DELETE', url })).status, 200);
      assert.equal((await hooks.browser.send({ method: 'GET', url })).status, 404);
      assert.deepEqual(await site.rows('webhook_deliveries'), []);
      const audit = await hooks.browser.send({ method: 'GET', url: `/audit?appId=${site.app.appId}` });
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
        const body = { url: hooks.receiver.url, events: ['presence.enter'], ...change };
        const refused = await hooks.browser.send({ method: 'POST', url: hooks.all(), body });
        assert.deepEqual([refused.status, refused.body.code], [400, 142], JSON.stringify(change));
        assert.equal(refused.body.error.details[0].field, field);
        assert.ok(!JSON.stringify(refused.body).includes('user:secret'));
      }
      assert.deepEqual(await site.rows('webhooks'), []);
    });
  });
}
