import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../test/support/build-app.ts';
import { runs, testOn } from '../../../../test/support/depth.ts';
import { openNode, type Site, stay, walk } from '../../../../test/support/site.ts';
import {
  type CountedHouse,
  monthAfter,
  openCountedHouse,
  yearsOf,
} from '../../../../test/support/sites/counted-house.ts';
import { shown } from '../../../../test/support/sites/visits-by-hand.ts';
import { raw, sql } from '../../../base/sql.ts';

/** What is counted against the visits themselves. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const leg = fc.record({
  minor: fc.constantFrom(1, 2),
  metres: fc.constantFrom(1, 1.5, 20),
  seconds: fc.integer({ min: 5, max: 40 }),
  gap: fc.constantFrom(0, 5_000, 45_000, 40 * minute, 3 * hour),
});
const phones = fc.array(
  fc.record({
    legs: fc.array(leg, { minLength: 2, maxLength: 5 }),
    size: fc.integer({ min: 5, max: 50 }),
    /** In which order its batches arrive. */
    order: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 3 },
);

for (const database of bothDatabases) {
  describe(`the numbers of visits on ${database}`, () => {
    let house: CountedHouse;
    let site: Site;
    let people = 0;
    let openedAt = 0;
    const open = async () => {
      house = await openCountedHouse(database);
      site = house.site;
      openedAt = site.now;
    };
    beforeAll(open);
    afterAll(() => house.close());

    testOn(database)('are those of the visits, however late these come and whatever becomes of them', async () => {
      let turn = 0;
      await fc.assert(
        fc.asyncProperty(
          phones,
          fc.constantFrom('Europe/Vienna', 'Asia/Kolkata', 'America/New_York'),
          // How many days later the rest of the batches arrives, and how many later everything is asked.
          fc.constantFrom(0, 2, 9),
          fc.constantFrom(0, 2, 12, 45),
          async (walkers, timeZone, lateDays, laterDays) => {
            // The whole years of one house are asked, which may be three.
            if (site.now > openedAt + 500 * day) {
              await house.close();
              await open();
            }
            await house.setPolicy({ timeZone });
            // An exhibit that moves: what was counted stays where it was.
            if (turn++ % 3 === 1) await house.hang(house.beacons[1] ?? '', house.zones[1 + (turn % 2)] ?? '');
            const start = site.now + hour;
            const batches: { readonly name: string; readonly samples: object[]; readonly rank: number }[] = [];
            for (const { legs, size, order } of walkers) {
              const name = `walker-${++people}`;
              await site.installation({ installationId: name });
              const samples: object[] = [];
              let at = start;
              for (const { minor, metres, seconds, gap } of legs) {
                at += gap;
                samples.push(...walk(stay(metres, seconds), at, minor));
                at += seconds * 1000;
              }
              for (let from = 0, n = 0; from < samples.length; from += size, n++)
                batches.push({ name, samples: samples.slice(from, from + size), rank: order[n % order.length] ?? 0 });
            }
            site.app.clock.now = start + 20 * hour;
            const inOrder = batches.toSorted((a, b) => a.rank - b.rank);
            for (const [index, { name, samples, rank }] of inOrder.entries()) {
              if (index === inOrder.length >> 1) site.app.clock.now += lateDays * day;
              await site.send(samples, { installationId: name });
              if (rank % 3 === 0) await site.app.app.rollups.settle(site.app.appId);
            }
            await site.app.app.ticker.tick();
            await site.app.app.rollups.settle(site.app.appId);
            await house.compare(timeZone);
            if (laterDays === 0) return;
            site.app.clock.now += laterDays * day;
            await site.signInAgain();
            await site.app.app.rollups.settle(site.app.appId);
            await house.compare(timeZone);
          },
        ),
        { ...runs(100, 4), endOnFailure: true },
      );
      assert.ok((await house.visitsNow()).length > 5, 'there are visits');
    });

    test('follow visits that begin earlier, become one, and are taken back', async () => {
      const timeZone = 'Europe/Vienna';
      await house.setPolicy({ timeZone });
      await site.installation({ installationId: 'late' });
      const count = async () => (await house.visitsNow()).length;
      const settled = async () => {
        await site.app.app.rollups.settle(site.app.appId);
        await house.compare(timeZone);
        return count();
      };
      const start = Math.floor(site.now / hour) * hour + 2 * hour;
      site.app.clock.now = start + 30 * minute;
      const at = (minutes: number) => start + minutes * minute;
      const send = (samples: object[]) => site.send(samples, { installationId: 'late' });
      const empty = await settled();
      await send(walk(stay(1.5, 30), at(5)));
      await send(walk(stay(1.5, 30), at(8)));
      assert.equal(await settled(), empty + 2);
      await send(walk(stay(1.5, 150), at(5) + 30_000));
      assert.equal(await settled(), empty + 1, 'two have become one');
      await send(walk(stay(1.5, 60), at(-20)));
      assert.equal(await settled(), empty + 2, 'an earlier one is the first');
    });

    testOn(database)(
      'of months, years and the days of a month that are over are read added up, but not where something has changed',
      async () => {
        const { appId } = site.app;
        const { db } = site.app.storage;
        const timeZone = 'Europe/Vienna';
        const settle = () => site.app.app.rollups.settle(appId);
        const goOn = async (isThere: (date: string) => boolean) => {
          while (!isThere(shown(site.now, timeZone).date)) site.app.clock.now += day;
          await site.signInAgain();
          await settle();
        };
        // A month of which nothing is known yet, and in which the clocks do not change.
        site.app.clock.now += 31 * day;
        await goOn((date) => /-0[57]-0[5-9]$/.test(date));
        const { date } = shown(site.now, timeZone);
        await house.hang(site.hall, house.zones[0] ?? '');
        const came = site.now - hour;
        const come = (minutesLater: number) =>
          site.send(walk(stay(1.5, 30), came + minutesLater * minute), { installationId: 'late' });
        await come(0);
        await settle();
        const month = { from: `${date.slice(0, 7)}-01`, until: monthAfter(date) };
        const year = yearsOf(date, date);
        const groups = ['beacon', 'zone', 'floor', 'venue'].map((groupBy) => ({ groupBy }));
        const countOf = async (query: Readonly<Record<string, string>>) => {
          const { total, rows } = await house.ask(query);
          return [total, ...rows].map(({ visits }: { visits: number }) => visits);
        };
        const toursOf = async (query: Readonly<Record<string, string>>) =>
          (await house.askOf('flows', query)).moves.map(({ tours }: { tours: number }) => tours);
        const all = async (period: Readonly<Record<string, string>>) => [
          ...(await Promise.all([{}, ...groups].map((query) => countOf({ ...period, ...query })))).flat(),
          ...(await toursOf(period)),
        ];
        type Period = Readonly<Record<'from' | 'until', string>>;
        const change = async (unit: string, { from }: Period, by: number) => {
          const [ofUnit, began] = [`%${unit}`, Date.parse(`${from}T00:00:00Z`)];
          const isThen = sql`started_at between ${began - day} and ${began}`;
          const isOther = (count: string) => sql`(${raw(count)} < 1000) = (${by} > 0)`;
          await db.run(sql`update visit_rollups set visits = visits + ${by}
          where app_id = ${appId} and lower(span) like ${ofUnit} and ${isThen} and ${isOther('visits')}`);
          await db.run(sql`update way_rollups set tours = tours + ${by}
          where app_id = ${appId} and span = ${unit} and ${isThen} and ${isOther('tours')}`);
          // As whoever writes them does.
          await db.run(sql`update rollup_periods set version = version + 1 where app_id = ${appId}`);
        };
        const spoil = (unit: string, period: Period) => change(unit, period, 1000);
        const repair = (unit: string, period: Period) => change(unit, period, -1000);
        const isSpoiled = (counts: readonly number[]) => counts.some((count) => count >= 1000);
        const assertRead = async (unit: string, period: Period) => {
          const right = await all(period);
          assert.ok(right.length > 6 && !isSpoiled(right), `${unit}: ${right}`);
          await spoil(unit, period);
          const wrong = await all(period);
          assert.ok(
            wrong.every((count) => count >= 1000),
            `all is read from what was added up, of a ${unit}: ${wrong}`,
          );
          return right;
        };
        /** Something late of it comes: it is not read any more, whatever has been counted of that already, until it is right again. */
        const assertUnread = async (unit: string, period: Period, more: number) => {
          await spoil(unit, period);
          await come(more);
          for (const [what, passed] of [
            ['its hour was counted', 1_000],
            ['its day was counted', minute],
            ['its month was added up', 11 * minute],
          ] as const) {
            site.app.clock.now += passed;
            await site.app.app.rollups.settleDue(appId);
            const counts = await all(period);
            assert.ok(!isSpoiled(counts), `the ${unit} is not read when ${what}: ${counts}`);
            await house.compare(timeZone);
          }
          await repair(unit, period);
          return all(period);
        };
        // The days of this month that are over; today and yesterday are no part of it.
        await spoil('part', month);
        assert.ok(!isSpoiled(await all(month)), 'today is read by itself');
        await repair('part', month);
        site.app.clock.now += 2 * day;
        await settle();
        await assertRead('part', month);
        const soFar = { from: month.from, until: date };
        assert.ok(!isSpoiled(await all(soFar)), 'a part that goes on behind what is asked is not read');
        await assertUnread('part', month, 10);
        // Where a beacon was is asked of each day.
        await assertRead('part', month);
        const inside = { ...month, groupBy: 'beacon', floorId: house.floor };
        const isDaily = async () => {
          const { rows } = await house.ask(inside);
          assert.ok(rows.length > 0);
          return rows.every(({ visits }: { visits: number }) => visits < 1000);
        };
        assert.ok(!(await isDaily()), 'nothing was moved');
        await house.hang(house.beacons[1] ?? '', house.zones[2] ?? '');
        await repair('part', month);
        // When the day on which that was is over, too.
        site.app.clock.now += 3 * day;
        await site.signInAgain();
        await settle();
        await spoil('part', month);
        assert.ok(await isDaily(), 'something was moved');
        await repair('part', month);
        // The month, on the third of the next one.
        await goOn((now) => now.slice(0, 7) > date.slice(0, 7) && now.endsWith('-03'));
        await assertRead('month', month);
        await db.run(sql`insert into ways_due (app_id, span, started_at, changed, due_at)
        values (${appId}, 'day', ${Date.parse(`${date}T00:00:00Z`) - 2 * hour}, 1, ${Number.MAX_SAFE_INTEGER - 1})`);
        assert.ok(!isSpoiled(await all(month)), 'a day of it waits to be counted');
        await settle();
        assert.ok(!isSpoiled(await all(month)), 'and the month is right again');
        await repair('month', month);
        // The year, when nothing late is expected of the month any more.
        await goOn((now) => now.endsWith('-15'));
        const right = await assertRead('year', year);
        const byMonth = await countOf({ ...year, interval: 'month' });
        assert.ok(!isSpoiled(byMonth.slice(1)), 'each month is told by itself');
        await repair('year', year);
        assert.deepEqual(await all(year), right);
        const later = await assertUnread('year', year, 20);
        assert.ok((later[0] ?? 0) > (right[0] ?? 0), 'a late visit is there');
      },
    );

    test('are the same when they are recounted, and when two services count at once', async () => {
      const { appId } = site.app;
      const numbers = async () => [
        ...(await site.app.storage.db.all(raw(`select * from visit_rollups order by span, started_at, beacon_id`))),
        ...(await site.app.storage.db.all(
          raw(`select * from way_rollups order by kind, span, started_at, venue_id, place`),
        )),
      ];
      // Somebody who is still inside is so at each hour until now, and more hours have passed.
      site.app.clock.now += hour;
      await site.app.app.ticker.tick();
      assert.ok((await house.visitsNow()).every(({ dwell }) => dwell !== null));
      await site.app.app.rollups.settle(appId);
      const before = await numbers();
      await site.app.storage.db.run(sql`update visit_rollups set visits = visits + 1, visitors = ''`);
      await site.app.storage.db.run(sql`update way_rollups set tours = tours + 1, visitors = ''`);
      const node = await openNode(site);
      node.app.ticker.stop();
      await Promise.all([site.app.app.rollups.rebuild(appId), node.app.rollups.rebuild(appId)]);
      await node.close();
      assert.deepEqual(await numbers(), before);
    });
  });
}
