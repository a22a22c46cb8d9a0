import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DeadlineQueue } from './deadlines.ts';

test('gives back what is due, earliest first, and keeps the rest', () => {
  const queue = new DeadlineQueue();
  queue.set('b', 20);
  queue.set('a', 10);
  queue.set('c', 30);
  queue.set('b', 5);
  assert.equal(queue.next(), 5);
  assert.deepEqual(queue.takeDue(10), ['b', 'a']);
  assert.equal(queue.size, 1);
  queue.set('c', null);
  assert.equal(queue.next(), null);
});

test('agrees with a sorted list whatever is set, moved and removed', () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 40 }), at: fc.option(fc.integer({ min: 0, max: 1000 })) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 0, max: 1000 }), (steps, now) => {
      const queue = new DeadlineQueue();
      const model = new Map<string, number>();
      for (const { key, at } of steps) {
        queue.set(String(key), at);
        if (at === null) model.delete(String(key));
        else model.set(String(key), at);
      }
      const due = queue.takeDue(now);
      const times = due.map((key) => model.get(key) ?? Number.NaN);
      assert.deepEqual(
        times,
        [...times].sort((a, b) => a - b),
      );
      assert.deepEqual([...due].sort(), [...model.keys()].filter((key) => (model.get(key) ?? 0) <= now).sort());
      assert.equal(queue.size, model.size - due.length);
    }),
    { numRuns: 200 },
  );
});
