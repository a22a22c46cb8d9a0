import assert from 'node:assert/strict';
import { test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

const filled = (capacity: number, keys: number) => {
  const map = new BoundedMap<number, string>(capacity);
  for (let key = 0; key < keys; key++) map.set(key, `value ${key}`);
  return map;
};

test('a full map forgets the oldest tenth, at least one', () => {
  assert.deepEqual([...filled(3, 4).keys()], [1, 2, 3]);
  assert.deepEqual([...filled(20, 21).keys()].slice(0, 2), [2, 3]);
  for (const keys of [1, 19, 20, 21, 22, 1_000]) assert.ok(filled(20, keys).size <= 20);
  assert.equal(filled(20, 20).size, 20, 'nothing is forgotten before it is full');
});

test('an entry that is set again takes no room and is as old as it was; one that is deleted before is the newest', () => {
  const map = filled(3, 3);
  map.set(0, 'again');
  assert.deepEqual(
    [...map],
    [
      [0, 'again'],
      [1, 'value 1'],
      [2, 'value 2'],
    ],
  );
  map.delete(0);
  map.set(0, 'newest').set(3, 'value 3');
  assert.deepEqual([...map.keys()], [2, 0, 3]);
});
