import assert from 'node:assert/strict';
import { createRandom } from '@pharos/engine/simulation';
import { test } from 'vitest';
import { endOf, type Heard, openMuseum, recordings, secondsOf, TestPhone } from './support/museum.ts';

/**
 * Two days of phones that have it hard, beside one that has not and hears the same: each walks the recorded walks (PHAROS_RSSI_DATA), or
 * generated ones.
 */

const minute = 60_000;
const hour = 60 * minute;
const apart = 3 * hour;
const walks = 16;
/** Without a network from the fifth walk on, for six hours. */
const isOffline = (at: number) => at >= 5 * apart - hour && at < 5 * apart + 5 * hour;

/** In a pocket the system wakes the app for ten seconds of each half minute. */
const isAwake = (second: number) => second % 30 < 10;

test('a phone that is killed, asleep, offline for six hours and three minutes wrong: visits are right, each message comes once', async () => {
  const { site, minors } = await openMuseum();
  try {
    const random = createRandom('two days');
    const begin = site.now;
    const [ideal, fast, slow] = ['has it easy', 'three minutes fast', 'three minutes slow'].map(
      (name) => new TestPhone(site, name),
    ) as [TestPhone, TestPhone, TestPhone];
    const phones = [ideal, fast, slow];
    const hard = [fast, slow];
    [fast.ahead, slow.ahead] = [3 * minute, -3 * minute];
    for (const phone of phones) await (await phone.open()).refresh();

    let isKilledUntil = 0;
    async function second(heard: readonly Heard[], number: number, isInPocket: boolean): Promise<void> {
      site.app.clock.now += 1_000;
      if (random.next() < 0.01) isKilledUntil = site.now + 5_000 + 30_000 * random.next();
      for (const phone of phones) {
        phone.sender = isInPocket ? 'iosBackground' : 'phone';
        phone.isOnline = phone === ideal || !(isOffline(site.now - begin) || random.next() < 0.05);
        phone.losesAnswers = phone !== ideal && random.next() < 0.05;
        if (site.now < isKilledUntil || (isInPocket && !isAwake(number))) continue;
        // What was in the app's memory is lost with it.
        if (phone !== ideal && isKilledUntil > 0) await phone.open();
        await phone.sense(heard);
      }
      if (site.now >= isKilledUntil) isKilledUntil = 0;
      if (number % 5 === 0) await site.app.app.ticker.tick();
    }

    for (let number = 0; number < walks; number++) {
      const walk = recordings.walks[number % recordings.walks.length];
      assert.ok(walk);
      const isInPocket = number % 3 === 2;
      const seconds = secondsOf(walk, site.now, minors);
      for (const [index, heard] of seconds.entries()) await second(heard, index, isInPocket);
      // At the last border the app is woken once more.
      for (let after = 0; after < 120; after++) await second([], after, false);
      // Then nothing of it runs until the next walk.
      while (site.now < begin + (number + 1) * apart) {
        site.app.clock.now += 5 * minute;
        await site.app.app.ticker.tick();
      }
      for (const phone of hard) await phone.open();
    }
    const pushes = await site.pushes();
    for (const phone of phones) {
      [phone.isOnline, phone.losesAnswers] = [true, false];
      await phone.phone.flush();
      assert.equal(phone.phone.waiting, 0);
    }
    site.app.clock.now += minute;
    await site.app.app.ticker.tick();
    assert.equal((await site.pushes()).length, pushes.length, 'nothing is sent because of what was told late');
    const expected = await endOf(site, ideal, begin);
    assert.ok(expected.visits.length > 50 && expected.verdicts.length > 50);
    for (const phone of phones) {
      const end = await endOf(site, phone, begin);
      assert.deepEqual(end.visits, expected.visits, phone.name);
      assert.deepEqual(end.verdicts, expected.verdicts, phone.name);
      const pushed = pushes.filter(({ target }) => target.token.endsWith(phone.name));
      const seen = new Set([
        ...pushed.map(({ message }) => message.deliveryId),
        ...phone.shown.map(({ deliveryId }) => deliveryId),
      ]);
      assert.equal(phone.shown.length, end.verdicts.length, `${phone.name} shows each once`);
      assert.equal(seen.size, end.verdicts.length, `what is pushed to ${phone.name} is what it shows`);
      assert.equal(
        phone.shown.some(({ isOffline }) => isOffline),
        true,
      );
    }
  } finally {
    await site.close();
  }
});
