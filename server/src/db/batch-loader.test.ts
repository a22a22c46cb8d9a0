import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { allDone, BatchLoader } from './batch-loader.ts';

describe('what is asked at the same time', () => {
  test('is asked together, and everybody gets the own answer', async () => {
    const calls: (readonly number[])[] = [];
    const doubled = new BatchLoader<number, number>(async (numbers) => {
      calls.push(numbers);
      return numbers.map((n) => 2 * n);
    });
    const twice = async (n: number) => doubled.ask(await doubled.ask(n));
    assert.deepEqual(await Promise.all([1, 2, 3].map(twice)), [4, 8, 12]);
    assert.deepEqual(calls, [
      [1, 2, 3],
      [2, 4, 6],
    ]);
  });

  test('fails for all of these, and not for later queries', async () => {
    const odd = new BatchLoader<number, number>(async (numbers) => {
      if (numbers.includes(0)) throw new Error('no');
      return numbers.map((n) => n + 1);
    });
    const results = await Promise.allSettled([0, 1].map((n) => odd.ask(n)));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await odd.ask(1), 2);
  });

  test('has all ended before the failure of one is reported', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let ended = false;
    const slow = promise.then(() => {
      ended = true;
    });
    const all = allDone([Promise.reject(new Error('first')), slow, Promise.reject(new Error('second'))]);
    setImmediate(() => resolve());
    await assert.rejects(all, /first/);
    assert.ok(ended);
    assert.deepEqual(await allDone([Promise.resolve(1), Promise.resolve(2)]), [1, 2]);
  });
});
