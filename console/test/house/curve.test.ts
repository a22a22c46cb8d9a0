import assert from 'node:assert/strict';
import { test } from 'vitest';
import { linesOf } from '../../src/components/curve/lines.ts';

test('a curve goes from the left to the right, the highest value on top, with a gap where nothing is known', () => {
  assert.deepEqual(linesOf([0, 10, null, 5]), ['0.0,29.0 33.3,1.0', '100.0,15.0']);
  assert.deepEqual(linesOf([0]), ['0.0,29.0']);
  assert.deepEqual(linesOf([null, null]), []);
});
