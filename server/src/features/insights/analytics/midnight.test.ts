import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { openSite, stay, walk } from '../../../../test/support/site.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

for (const database of databases)
  describe(`counting on ${database}`, () => {
    test('comes to an end shortly before midnight, when the day is not over yet, and takes the day up when it is', async () => {
      const site = await openSite(database);
      try {
        const { app, appId, clock } = site.app;
        await app.apps.change(appId, { policy: { timeZone: 'UTC' } });
        // The fifth of a month, or the sixth and so on: the days before belong to the same month.
        clock.now = Math.ceil(clock.now / day) * day + 12 * 60 * minute;
        while (new Date(clock.now).getUTCDate() < 5 || new Date(clock.now).getUTCDate() > 20) clock.now += day;
        await site.send(walk(stay(1.5, 30), clock.now - 60_000));
        clock.now += 2 * day;
        await site.signInAgain();
        await site.send(walk(stay(1.5, 30), clock.now - 60_000));
        clock.now = Math.ceil(clock.now / day) * day - 5 * minute;
        await app.rollups.settle(appId);
        const due = async () =>
          (await site.rows('ways_due')).filter(({ span }) => span === 'month').map((row) => Number(row['due_at']));
        const [waits] = await due();
        assert.ok((waits ?? 0) > clock.now, 'the month waits');
        clock.now = (waits ?? 0) + 1;
        await app.rollups.settleDue(appId);
        const [next] = await due();
        assert.ok((next ?? 0) > clock.now + 12 * 60 * minute, 'until another day is over');
      } finally {
        await site.close();
      }
    });
  });
