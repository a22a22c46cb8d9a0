import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { withMoved } from '../../src/features/venues/floor/meanwhile.ts';

const square = [
  { x: 0, y: 0 },
  { x: 4, y: 0 },
  { x: 4, y: 4 },
  { x: 0, y: 4 },
];
const moved = (...changes: readonly (readonly [corner: number, x: number])[]) =>
  square.map((corner, at) => {
    const change = changes.find(([index]) => index === at);
    return change ? { ...corner, x: change[1] } : corner;
  });

describe('a zone that two people change at once', () => {
  test('keeps the corners that each of them has moved', () => {
    assert.deepEqual(withMoved(moved([0, 1]), { before: square, after: moved([2, 5]) }, 'Shop'), moved([0, 1], [2, 5]));
    assert.deepEqual(withMoved(square, { before: square, after: moved([2, 5]) }, 'Shop'), moved([2, 5]));
    // The other one's stays when one's own is taken back.
    const taken = withMoved(moved([0, 1], [2, 5]), { before: moved([2, 5]), after: square }, 'Shop');
    assert.deepEqual(taken, moved([0, 1]));
  });

  test('is left alone where both have moved the same corner, or one has added some', () => {
    const meanwhile = /Somebody else has changed Shop meanwhile\. Nothing was changed/;
    assert.throws(() => withMoved(moved([2, 6]), { before: square, after: moved([2, 5]) }, 'Shop'), meanwhile);
    const more = [...square, { x: -1, y: 2 }];
    assert.throws(() => withMoved(more, { before: square, after: moved([2, 5]) }, 'Shop'), meanwhile);
    assert.throws(() => withMoved(moved([0, 1]), { before: square, after: more }, 'Shop'), meanwhile);
  });
});
