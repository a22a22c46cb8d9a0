import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createTidying } from './memory-at-rest.ts';

/** The checks, all with this load, in which the heap was collected. */
function collections(loads: readonly number[]): number[] {
  const found: number[] = [];
  let look = 0;
  const tidy = createTidying({ load: () => loads[look] ?? 0, collect: () => found.push(look) });
  for (; look < loads.length; look++) tidy();
  return found;
}

const rest = Array.from({ length: 6 }, () => 0.01);

test('gives memory back once after the start', () => {
  assert.deepEqual(collections([0.6, ...rest, ...rest, ...rest]), [6]);
});

test('gives memory back once after each load, however short, when it is over', () => {
  assert.deepEqual(collections([...rest, 0.9, 0.9, 0.1, ...rest, ...rest, 0.3, ...rest]), [5, 14, 27]);
});

test('a pause is no rest', () => {
  assert.deepEqual(collections([0.9, ...rest.slice(1), 0.06, ...rest.slice(1), 0.9, ...rest]), [18]);
});

test('a service that is never quiet is left alone', () => {
  assert.deepEqual(collections([0.9, 0.1, 0.07, 0.5, ...rest.map(() => 0.06)]), []);
});

test('a little work is no reason to do it again', () => {
  assert.deepEqual(collections([...rest, 0.1, ...rest, 0.1, ...rest]), [5]);
});
