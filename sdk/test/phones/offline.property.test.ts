import assert from 'node:assert/strict';
import { createRandom } from '@pharos/engine/simulation';
import { describe, test } from 'vitest';
import type { Walk } from '../../../bench/proximity/recordings.ts';
import { isFull } from '../../../server/test/support/depth.ts';
import { endOf, openMuseum, recordings, secondsOf, TestPhone } from './support/museum.ts';

/** The recorded walks (PHAROS_RSSI_DATA), or generated ones: with a network, without one, and with one that comes and goes. */

const kinds = [
  'with a network',
  'without one',
  'with one that comes and goes',
  'restarted each ten seconds, three minutes fast',
] as const;

async function walkAll(walk: Walk, seed: string) {
  const { site, minors } = await openMuseum();
  try {
    const random = createRandom(seed);
    const phones = await Promise.all(
      kinds.map(async (name) => {
        const one = new TestPhone(site, name);
        await (await one.open()).refresh();
        return one;
      }),
    );
    const [online, offline, cut, restarted] = phones as [TestPhone, TestPhone, TestPhone, TestPhone];
    const from = site.now;
    offline.isOnline = false;
    restarted.ahead = 180_000;
    const seconds = secondsOf(walk, from, minors);
    for (let second = 0; second < seconds.length + 90; second++) {
      site.app.clock.now = from + (second + 1) * 1000;
      if (random.next() < 0.1) cut.isOnline = !cut.isOnline;
      cut.losesAnswers = random.next() < 0.1;
      restarted.isOnline = second % 60 < 20;
      if (second % 10 === 0) await restarted.open();
      for (const phone of phones) await phone.sense(seconds[second] ?? []);
      if (second % 5 === 0) await site.app.app.ticker.tick();
    }
    const pushed = (await site.pushes()).length;
    for (const one of phones) {
      [one.isOnline, one.losesAnswers] = [true, false];
      await one.phone.flush();
      assert.equal(one.phone.waiting, 0);
    }
    // A phone that was offline for minutes may be silent for as long before a visit ends.
    for (let round = 0; round < 20; round++) {
      site.app.clock.now += 30_000;
      await site.app.app.ticker.tick();
    }
    assert.equal((await site.pushes()).length, pushed, 'nothing is sent because of what was told late');
    return {
      expected: await endOf(site, online, from),
      others: await Promise.all(
        [offline, cut, restarted].map(async (one) => [one.name, await endOf(site, one, from)] as const),
      ),
    };
  } finally {
    await site.close();
  }
}

describe('the same walk ends in the same visits, log records and messages', () => {
  for (const walk of recordings.walks.slice(0, isFull ? undefined : 2))
    test(walk.name, async (t) => {
      const { expected, others } = await walkAll(walk, walk.name);
      void t.annotate(`${expected.visits.length} visits, ${expected.shown.length} messages`);
      assert.ok(expected.visits.length > 0 && expected.shown.length > 0);
      for (const [name, end] of others) assert.deepEqual(end, expected, name);
    });
});
