import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { TimeSlicedReads } from './time-sliced-reads.ts';

/** Keeps the thread busy for this many milliseconds, of its own time too, which some systems count in coarse steps. */
function work(ms: number): void {
  const began = performance.now();
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= ms * 1000 && performance.now() - began >= ms) return;
  }
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

describe('brief queries', () => {
  test('are answered at once while there is time in the slice', async () => {
    let atOnce = 0;
    // Between the two the thread may lose the processor for longer than a slice, but not each time.
    for (let times = 0; times < 20; times++) {
      const reads = new TimeSlicedReads();
      let ran = 0;
      const answers = [reads.run('a', () => ++ran), reads.run('b', () => ++ran)];
      if (ran === 2) atOnce++;
      assert.deepEqual(await Promise.all(answers), [1, 2]);
    }
    assert.ok(atOnce > 0);
  });

  test('leave the event loop to others between slices', async () => {
    const reads = new TimeSlicedReads();
    let ran = 0;
    const flood = Promise.all(
      Array.from({ length: 20 }, () =>
        reads.run('a', () => {
          work(2);
          ran++;
        }),
      ),
    );
    assert.ok(ran > 0 && ran < 5, `${ran} before the first tick`);
    const seen: number[] = [];
    while (ran < 20) {
      seen.push(ran);
      await nextTick();
    }
    await flood;
    assert.ok(seen.length >= 5, `other work came between only ${seen.length} times`);
  });

  test("of one app do not delay another app's first", async () => {
    const reads = new TimeSlicedReads();
    const order: string[] = [];
    const ask = (tenant: string) =>
      reads.run(tenant, () => {
        work(3);
        order.push(tenant);
      });
    await Promise.all([...Array.from({ length: 10 }, () => ask('flood')), ask('other')]);
    assert.equal(order.length, 11);
    assert.ok(order.indexOf('other') <= 3, order.join(' '));
  });

  test('that are long three times in a row no longer count as brief, and a failing one reports its error', async () => {
    const reads = new TimeSlicedReads();
    for (let n = 0; n < 3; n++) {
      assert.equal(reads.isPaused('a'), false);
      await reads.run('a', () => work(30));
    }
    assert.equal(reads.isPaused('a'), true);
    assert.equal(reads.isPaused('b'), false);
    await assert.rejects(
      reads.run('b', () => {
        throw new Error('no such table');
      }),
      /no such table/,
    );
    assert.equal(await reads.run('b', () => 'works'), 'works');
  });
});
