import assert from 'node:assert/strict';
import { test } from 'vitest';
import { GatewayQueue, type Outcome, type Take } from './queue.ts';

const heard = { index: 0, address: 'c3000025ef6a', rssi: -60, occurredAt: 1_000 };
const message = (now: number) => ({ heard: [heard], clockOffset: undefined, now });
const resultsOf = (outcomes: readonly Outcome[]) => outcomes.map(({ result }) => result);

test('what is sent again while it is being stored is acknowledged when that has succeeded, and not when it has failed', async () => {
  const parts: PromiseWithResolvers<ReadonlyMap<number, Outcome>>[] = [];
  const take: Take = () => {
    const part = Promise.withResolvers<ReadonlyMap<number, Outcome>>();
    parts.push(part);
    return part.promise;
  };
  const queue = new GatewayQueue();
  const failing = [queue.add(message(1_000), take), queue.add(message(1_001), take)];
  parts[0]?.reject(new Error('The disk is full.'));
  const failed = await Promise.allSettled(failing);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const stored = [queue.add(message(1_002), take), queue.add(message(1_003), take)];
  parts[1]?.resolve(new Map());
  assert.deepEqual((await Promise.all(stored)).flatMap(resultsOf), ['taken', 'merged']);
  assert.equal(parts.length, 2);
});

test('knows the last second of a tag as long as it is likely to come again, and is quiet then', async () => {
  const take: Take = async () => new Map();
  const queue = new GatewayQueue();
  assert.deepEqual(resultsOf(await queue.add(message(1_000), take)), ['taken']);
  assert.deepEqual(resultsOf(await queue.add(message(10_999), take)), ['merged']);
  assert.deepEqual([queue.isQuiet(10_999), queue.isQuiet(21_000)], [false, true]);
  const another = { ...heard, address: 'c3000025ef6b' };
  await queue.add({ ...message(11_000), heard: [another] }, take);
  assert.deepEqual(resultsOf(await queue.add(message(11_000), take)), ['taken']);
});

test('keeps a frame that names its tag beside the others that come from the same address', async () => {
  const stored: unknown[] = [];
  const take: Take = async (heard) => {
    stored.push(...heard.map(({ identity }) => identity?.kind));
    return new Map();
  };
  const named = { ...heard, identity: { kind: 'kontakt', id: 'abcdef' } } as const;
  const outcomes = await new GatewayQueue().add({ ...message(1_000), heard: [named, heard, named] }, take);
  assert.deepEqual(resultsOf(outcomes), ['taken', 'taken', 'merged']);
  assert.deepEqual(stored, ['kontakt', undefined]);
});
