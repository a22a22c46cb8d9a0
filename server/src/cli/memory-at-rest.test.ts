import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTidying } from './memory-at-rest.ts';

/** The looks, of this load each, in which the heap was collected. */
function collections(loads: readonly number[]): number[] {
  const found: number[] = [];
  let look = 0;
  const tidy = createTidying({ load: () => loads[look] ?? 0, collect: () => found.push(look) });
  for (; look < loads.length; look++) tidy();
  return found;
}

test('gives memory back once after the start', () => {
  assert.deepEqual(collections([0.6, 0.01, 0, 0]), [1]);
});

test('gives memory back once after each load, when it is over', () => {
  assert.deepEqual(collections([0, 0.9, 0.9, 0.1, 0.01, 0.02, 0.3, 0]), [0, 4, 7]);
});

test('a service that is never quiet is left alone', () => {
  assert.deepEqual(collections([0.9, 0.1, 0.07, 0.5]), []);
});

test('a little work is no reason to do it again', () => {
  assert.deepEqual(collections([0, 0.1, 0, 0.1, 0]), [0]);
});
