import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { databases } from '../../../../test/support/build-app.ts';
import { openSite, type Site, stay, walk } from '../../../../test/support/site.ts';

/** Samples in bursts, of a sender that names neither itself nor an interval. */

const minute = 60_000;
const iso = (at: number) => new Date(at).toISOString();

for (const database of databases) {
  describe(`bursts on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
    });
    afterEach(() => site.close());

    const visits = async () => (await site.list('visits')).toReversed();
    async function pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 20_000) {
        site.app.clock.now += Math.min(left, 20_000);
        await site.app.app.ticker.tick();
      }
    }

    test('a burst every five minutes is one visit as soon as the pauses are known', async () => {
      const start = site.now;
      const burst = (index: number) => walk(stay(1.5, 6), start + index * 5 * minute);
      for (let index = 0; index < 7; index++) {
        await pass(start + index * 5 * minute + 6_000 - site.now);
        await site.send(burst(index));
      }
      const live = await visits();
      assert.deepEqual(
        live.map(({ enteredAt, isOpen }: { enteredAt: string; isOpen: boolean }) => [enteredAt, isOpen]),
        [
          [iso(start), false],
          [iso(start + 5 * minute), false],
          [iso(start + 10 * minute), true],
        ],
      );
      await pass(16 * minute);
      const last = (await visits()).at(-1);
      assert.deepEqual([last.isOpen, last.leftAt], [false, iso(start + 30 * minute + 5_000)]);
    });

    test('bursts that arrive together and in reverse order give the same visits', async () => {
      const start = site.now - 40 * minute;
      for (let index = 6; index >= 0; index--) await site.send(walk(stay(1.5, 6), start + index * 5 * minute));
      assert.deepEqual(
        (await visits()).map(({ enteredAt }: { enteredAt: string }) => enteredAt).sort(),
        [0, 5, 10].map((minutes) => iso(start + minutes * minute)),
      );
    });
  });
}
