import assert from 'node:assert/strict';
import { test } from 'vitest';
import { ConcurrencySlots } from './concurrency-slots.ts';

test('a webhook has its slots again and again, and leaves some of the app to the others', () => {
  const slots = new ConcurrencySlots();
  const acquire = (webhookId: string, times: number) =>
    Array.from({ length: times }, () => slots.acquire('app', webhookId, 0) === undefined);
  const release = (webhookId: string) => slots.release('app', webhookId, 100);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(acquire('a', 5), [true, true, true, true, false]);
    for (let call = 0; call < 4; call++) release('a');
  }
  for (const webhookId of ['a', 'b', 'c', 'd']) assert.ok(acquire(webhookId, 4).every((isIn) => isIn));
  assert.deepEqual(acquire('e', 1), [false], 'the app has no more');
  release('a');
  assert.deepEqual(acquire('e', 2), [true, false]);
});

test('a call without a slot is told to retry at the pace of the receiver', () => {
  const slots = new ConcurrencySlots();
  for (let call = 0; call < 4; call++) slots.acquire('app', 'a', 0);
  const pauses = () => Array.from({ length: 3 }, () => slots.acquire('app', 'a', 0));
  assert.deepEqual(pauses(), [50, 100, 150], 'as if a call took 200 ms');
  for (let call = 0; call < 30; call++) {
    slots.release('app', 'a', 4_000);
    slots.acquire('app', 'a', 0);
  }
  const [first = 0, second = 0] = pauses();
  assert.ok(Math.abs(second - first - 1_000) < 10, `${second - first} ms apart`);
  const far = Array.from({ length: 100 }, () => slots.acquire('app', 'a', 0)).at(-1);
  assert.equal(far, 60_000, 'but within a minute');
});
