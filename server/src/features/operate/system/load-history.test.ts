import assert from 'node:assert/strict';
import { test } from 'vitest';
import { LoadHistory } from './load-history.ts';

test('the load of a step is what was answered in it; steps older than a day are let go', async () => {
  let [now, count, seconds] = [0, 100, 5];
  const history = new LoadHistory({
    now: () => now,
    answered: () => ({ count, seconds }),
    queued: async () => 3,
    freeBytes: async () => 7,
  });
  [now, count, seconds] = [300_000, 140, 5.5];
  await history.note();
  now = 600_000;
  await history.note();
  assert.deepEqual(history.steps, [
    { at: 300_000, requests: 40, answerMs: 12.5, queued: 3, freeBytes: 7 },
    { at: 600_000, requests: 0, answerMs: null, queued: 3, freeBytes: 7 },
  ]);
  for (let step = 0; step < 288; step++) {
    now += 300_000;
    await history.note();
  }
  assert.deepEqual([history.steps.length, now - (history.steps[0]?.at ?? 0)], [288, 287 * 300_000]);
});
