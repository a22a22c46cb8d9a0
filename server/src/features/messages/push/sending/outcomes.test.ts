import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import type { ScriptedSender } from '../../../../../test/fakes/scripted-sender.ts';
import { databases, type TestApp } from '../../../../../test/support/build-app.ts';
import {
  counts,
  data,
  none,
  openPushApp,
  type PushApp,
  pushRequests,
  startAgain,
} from '../../../../../test/support/sites/push-app.ts';

for (const database of databases) {
  describe(`push on ${database}`, () => {
    let opened: PushApp;
    let app: TestApp;
    let fcm: ScriptedSender;
    const { send, get, deliveries, register } = pushRequests(() => opened);
    beforeAll(async () => {
      opened = await openPushApp(database);
      ({ app, fcm } = opened);
    });
    afterAll(() => app.close());
    beforeEach(() => startAgain(opened));

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

    test('a provider that says at once is asked again after a pause all the same', async () => {
      await register(1);
      fcm.script = () =>
        fcm.calls.length < 50
          ? { outcome: 'retry', reason: 'HTTP 503', scope: 'message', afterMs: 0 }
          : { outcome: 'sent' };
      const path = await send({ data });
      for (let milliseconds = 0; milliseconds < 40; milliseconds++) {
        app.clock.now += 1;
        await app.app.idle();
      }
      assert.ok(fcm.calls.length <= 5, `${fcm.calls.length} calls`);
      assert.deepEqual(counts(await get(path)), { ...none, audience: 1, queued: 1 });
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
  });
}
