import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';
import { answerWith } from '../../../../../test/support/servers/webhook-receiver.ts';
import { openWebhookSite, type WebhookSite } from '../../../../../test/support/sites/webhook-site.ts';

/** Webhooks that do not answer for as long as one may take: these tests wait for that. */

const url = (bucket: string) => `/api/v2/data/bucket/${bucket}`;

let hooks: WebhookSite;
beforeEach(async () => {
  hooks = await openWebhookSite('sqlite');
  const { app, appId } = hooks.site.app;
  for (const name of ['orders', 'others']) await app.buckets.createBucket(appId, name);
  await hooks.make({ events: ['record.creating'], buckets: ['orders'] });
});
afterEach(() => hooks.close());

const add = (bucket: string) => hooks.site.ask({ method: 'POST', url: url(bucket), body: { metadata: { count: 1 } } });
const stored = async () => (await hooks.site.list('data/bucket/orders')).length;

test('one that never answers delays nobody else, and nothing is stored', async () => {
  hooks.receiver.answer = () => undefined;
  let isOver = false;
  const slow = Promise.all(Array.from({ length: 20 }, () => add('orders'))).finally(() => {
    isOver = true;
  });
  await hooks.receiver.arrived(8);
  for (let time = 0; time < 50; time++) assert.equal((await add('others')).status, 201);
  assert.equal(isOver, false);
  for (const { status, body, headers } of await slow) {
    assert.deepEqual([status, body.code], [503, 124]);
    assert.ok(headers['retry-after']);
  }
  // Those that have waited for their turn are over, too: five calls without an answer are enough.
  assert.ok(hooks.receiver.calls.length < 8 + 5, `${hooks.receiver.calls.length} calls`);
  assert.equal(await stored(), 0);
});

test('one that writes to its own bucket comes to an end', async () => {
  const nested: Promise<unknown>[] = [];
  hooks.receiver.answer = (call, response) => {
    nested.push(add('orders').finally(() => answerWith(200, '{"allow":true}')(call, response)));
  };
  assert.equal((await add('orders')).status, 503);
  for (let ended = 0; ended < nested.length; ended++) await nested[ended];
  await hooks.site.app.app.idle();
  // Eight at once; when the first are given up, those that wait have their turn, until five in a row were without an answer.
  const { length } = hooks.receiver.calls;
  assert.ok(length < 8 + 5, `${length} calls`);
  assert.ok((await stored()) < length);
});
