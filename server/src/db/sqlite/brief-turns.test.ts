import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BriefTurns } from './brief-turns.ts';

/** Keeps the thread busy for this many milliseconds of its own time. */
function work(ms: number): void {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= ms * 1000) return;
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('brief queries', () => {
  test('are answered at once while there is time in the slice', async () => {
    const turns = new BriefTurns();
    let ran = 0;
    const answers = [turns.run('a', () => ++ran), turns.run('b', () => ++ran)];
    assert.equal(ran, 2);
    assert.deepEqual(await Promise.all(answers), [1, 2]);
  });

  test('leave the event loop to others between slices', async () => {
    const turns = new BriefTurns();
    let ran = 0;
    const flood = Promise.all(
      Array.from({ length: 20 }, () =>
        turns.run('a', () => {
          work(2);
          ran++;
        }),
      ),
    );
    assert.ok(ran > 0 && ran < 5, `${ran} before the first tick`);
    const seen: number[] = [];
    while (ran < 20) {
      seen.push(ran);
      await nextTurn();
    }
    await flood;
    assert.ok(seen.length >= 5, `other work came between only ${seen.length} times`);
  });

  test("of one app do not stand before another app's first", async () => {
    const turns = new BriefTurns();
    const order: string[] = [];
    const ask = (share: string) =>
      turns.run(share, () => {
        work(3);
        order.push(share);
      });
    await Promise.all([...Array.from({ length: 10 }, () => ask('flood')), ask('other')]);
    assert.equal(order.length, 11);
    assert.ok(order.indexOf('other') <= 3, order.join(' '));
  });

  test('that are long three times in a row are not taken for brief, and one that fails is told so', async () => {
    const turns = new BriefTurns();
    for (let n = 0; n < 3; n++) {
      assert.equal(turns.isPaused('a'), false);
      await turns.run('a', () => work(11));
    }
    assert.equal(turns.isPaused('a'), true);
    assert.equal(turns.isPaused('b'), false);
    await assert.rejects(
      turns.run('b', () => {
        throw new Error('no such table');
      }),
      /no such table/,
    );
    assert.equal(await turns.run('b', () => 'works'), 'works');
  });
});
