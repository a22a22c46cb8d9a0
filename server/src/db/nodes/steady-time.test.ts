import assert from 'node:assert/strict';
import { test } from 'vitest';
import { SteadyTime } from './shared-time.ts';

test('a service says once that its clock was set back', () => {
  const day = 86_400_000;
  const at = { wall: 1_800_000_000_000, elapsed: 5 };
  const pass = (ms: number) => {
    at.wall += ms;
    at.elapsed += ms;
  };
  const time = new SteadyTime({ wall: () => at.wall, elapsed: () => at.elapsed });
  const told: string[] = [];
  time.onWarning((warning) => told.push(warning));
  // A day ahead and back again.
  at.wall += day;
  assert.equal(time.now(), at.wall);
  assert.equal(time.warning(), undefined);
  at.wall -= day;
  pass(1_000);
  assert.match(String(time.warning()), /was set back by 86400 s/);
  assert.equal(told.length, 1);
  pass(1_000);
  time.now();
  assert.equal(told.length, 1, 'once');
});
