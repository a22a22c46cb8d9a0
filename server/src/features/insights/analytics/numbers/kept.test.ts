import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { describe, test } from 'vitest';
import { Kept } from './kept.ts';

const always = async () => true;

function reader(bytes: number) {
  const reads = { count: 0 };
  return { reads, read: async () => ({ bytes, number: ++reads.count }) };
}

describe('the cache of analytics', () => {
  test('is read once, also for those who ask at once', async () => {
    const kept = new Kept();
    const { reads, read } = reader(10);
    const [one, other] = await Promise.all([kept.of('a', read, always), kept.of('a', read, always)]);
    assert.equal(one, other);
    assert.equal(await kept.of('a', read, always), one);
    assert.equal(reads.count, 1);
  });

  test('does not keep an entry whose period was rewritten while it was read', async () => {
    const kept = new Kept();
    const { reads, read } = reader(10);
    await kept.of('a', read, async () => false);
    await kept.of('a', read, always);
    assert.equal(reads.count, 2);
  });

  test('is not kept if reading failed', async () => {
    const kept = new Kept();
    await assert.rejects(
      kept.of('a', () => Promise.reject(new Error('no database')), always),
      /no database/,
    );
    assert.equal((await kept.of('a', reader(10).read, always)).number, 1);
  });

  test('has a memory limit, and evicts the least recently used entry first', async () => {
    const kept = new Kept({ most: 100 });
    const { reads, read } = reader(40);
    for (const key of ['a', 'b', 'a', 'c']) await kept.of(key, read, always);
    assert.deepEqual([kept.has('a'), kept.has('b'), kept.has('c'), kept.size], [true, false, true, 80]);
    assert.equal(reads.count, 3);
    await kept.of('huge', reader(60).read, always);
    assert.deepEqual([kept.has('huge'), kept.size], [false, 80]);
  });

  test('goes when nobody has asked for it for some minutes', async (t) => {
    t.onTestFinished(() => mock.reset());
    mock.timers.enable({ apis: ['setTimeout'] });
    let now = 1;
    mock.method(performance, 'now', () => now);
    const kept = new Kept();
    await kept.of('a', reader(10).read, always);
    await kept.of('b', reader(10).read, always);
    const pass = (minutes: number) => {
      now += minutes * 60_000;
      mock.timers.tick(minutes * 60_000);
    };
    pass(6);
    await kept.of('b', reader(10).read, always);
    pass(6);
    assert.deepEqual([kept.has('a'), kept.has('b')], [false, true]);
    pass(12);
    assert.deepEqual([kept.has('b'), kept.size], [false, 0]);
  });
});
