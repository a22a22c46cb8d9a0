import assert from 'node:assert/strict';
import { test } from 'vitest';
import { atOneDay } from '../../../../../test/support/build-app.ts';
import { testInFull } from '../../../../../test/support/depth.ts';
import { openSite, uuid } from '../../../../../test/support/site.ts';

/** Somebody who comes to one of many beacons and stays there for longer than samples are kept. */

for (const { minutes, count, run } of [
  { minutes: 8, count: 12, run: test },
  { minutes: 180, count: 30, run: testInFull },
])
  run(`a visit of ${minutes} minutes among ${count} beacons is looked back on`, { timeout: 600_000 }, async () => {
    const site = await openSite('sqlite', {}, atOneDay(30 * 60_000));
    try {
      site.app.app.ticker.stop();
      const spots = Array.from({ length: count }, (_, index) => ({
        x: 6 * (index % 6),
        y: 6 * Math.floor(index / 6),
        z: 2,
      }));
      for (const [index, location] of spots.entries()) await site.beacon({ minor: 11 + index, location });
      const start = site.now;
      const seconds = 60 * minutes;
      /** Half a minute in the middle of four beacons, five seconds to one of them, and at the end the same way back. */
      const placeAt = (second: number) =>
        9 - 2.7 * Math.max(0, Math.min(1, (second - 30) / 5, (seconds - 30 - second) / 5));
      const heardAt = (second: number) =>
        spots.map(({ x, y }, index) => {
          const metres = Math.hypot(placeAt(second) - x, placeAt(second) - y, 0.7);
          const noise = ((second * 31 + index * 17) % 7) - 3;
          const rssi = Math.round(-59 - 20 * Math.log10(metres) + noise);
          return { uuid, major: 1, minor: 11 + index, rssi, occurredAt: start + second * 1000 + index };
        });
      const within = Array.from({ length: 10 * seconds }, (_, tenth) => tenth / 10).filter(
        (second) => Math.hypot(placeAt(second) - 6, placeAt(second) - 6, 0.7) < 3,
      );
      const pass = async (ms: number) => {
        site.app.clock.now += ms;
        await site.app.app.ticker.tick();
        await site.app.app.idle();
      };
      const rows = async () => (await site.rows('track_samples')).length;
      let most = 0;
      for (let second = 0; second < seconds; second += 10) {
        await pass(10_000);
        await site.send(Array.from({ length: 10 }, (_, later) => heardAt(second + later)).flat());
        most = Math.max(most, await rows());
      }
      for (let minute = 0; minute < 4; minute++) await pass(60_000);
      const visits = await site.list('visits', { order: '-dwell' });
      const { smoothedEnteredAt, smoothedLeftAt, smoothedDwell } = visits[0];
      const [came, went] = [smoothedEnteredAt, smoothedLeftAt].map((at) => (Date.parse(at ?? '') - start) / 1000);
      const off = Math.abs((came ?? 0) - (within[0] ?? 0)) + Math.abs((went ?? 0) - (within.at(-1) ?? 0));
      assert.ok(off < 5, `${came} to ${went} instead of ${within[0]} to ${within.at(-1)}`);
      assert.equal(smoothedDwell, (went ?? 0) - (came ?? 0));
      assert.ok(most <= 18, `${most} rows`);
    } finally {
      await site.close();
    }
  });
