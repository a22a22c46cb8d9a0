import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Pace, sweepRest } from './pace.ts';

test('work that is soon over has no rests, however many steps it has', async () => {
  const began = performance.now();
  const pace = new Pace({ rest: sweepRest });
  for (let step = 0; step < 20; step++) await pace.rest();
  // A rest takes up to a second.
  assert.ok(performance.now() - began < 10_000);
});
