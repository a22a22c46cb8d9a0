import assert from 'node:assert/strict';
import { test } from 'vitest';
import { PairCache } from './pair-cache.ts';

test('values are found by both texts, replaced, deleted, and all forgotten beyond the capacity', () => {
  const cache = new PairCache<number>(3);
  cache.set('app', 'one', 1);
  cache.set('app', 'two', 2);
  cache.set('other', 'one', 3);
  // Replacing takes no room.
  for (let n = 0; n < 5; n++) cache.set('app', 'one', n);
  assert.deepEqual([cache.get('app', 'one'), cache.get('app', 'two'), cache.get('other', 'one')], [4, 2, 3]);
  assert.equal(cache.get('other', 'two'), undefined);
  assert.equal(cache.get('one', 'app'), undefined);
  cache.delete('app', 'two');
  cache.delete('app', 'two');
  cache.delete('nobody', 'two');
  cache.set('new', 'one', 5);
  assert.deepEqual([cache.get('app', 'one'), cache.get('app', 'two'), cache.get('new', 'one')], [4, undefined, 5]);
  cache.set('new', 'two', 6);
  assert.deepEqual(
    [cache.get('app', 'one'), cache.get('new', 'one'), cache.get('new', 'two')],
    [undefined, undefined, 6],
  );
});
