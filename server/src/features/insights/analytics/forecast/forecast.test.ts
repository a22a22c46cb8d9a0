import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import { openSite, pointer, type Site } from '../../../../../test/support/site.ts';
import { onStatements, plainText } from '../../../../../test/support/statements.ts';
import { estimate } from './estimate.ts';

const dayMs = 86_400_000;
/** A Saturday, at noon in UTC. */
const lastSaturday = Date.UTC(2026, 10, 21, 12);
/** Visitors of the Saturdays, the last first; the third was a holiday. */
const saturdays = [3, 8, 9, 5, 8, 4, 5, 6, 3, 8, 5, 3, 6, 4];
const dateOf = (weeksAgo: number) => new Date(lastSaturday - weeksAgo * 7 * dayMs).toISOString().slice(0, 10);

for (const database of databases) {
  describe(`the forecast of the next open day on ${database}`, () => {
    let site: Site;
    let venue: string;
    let queue = '';
    let attic = '';
    beforeAll(async () => {
      site = await openSite(database);
      site.app.app.ticker.stop();
      await site.app.app.apps.change(site.app.appId, { policy: { timeZone: 'UTC', oneZone: false } });
      const openingHours = ['Sat', 'Sun'].map((dayName) => ({ dayName, from: '10:00', until: '18:00' }));
      venue = await make('/venues', { name: 'House', openingHours, exceptions: [holiday(dateOf(2))] });
      const where = { venueId: pointer('Venue', venue) };
      const floorId = pointer('Floor', await make('/floors', { ...where, name: 'Ground floor', level: 0 }));
      const polygon = [0, 9, 9].map((x, index) => ({ x, y: 3 * index }));
      [queue = '', attic = ''] = await Promise.all(
        ['Queue', 'Attic'].map((name) => make('/zones', { floorId, name, kind: 'queue', polygon })),
      );
      await change('beacons', site.hall, { ...where, zoneId: pointer('Zone', queue) });
      for (let n = 0; n < 9; n++) await make('/installations', { installationId: `p${n}`, deviceType: 'ios' });
      for (const [weeksAgo, visitors] of [...saturdays.entries()].reverse()) {
        site.app.clock.now = lastSaturday - weeksAgo * 7 * dayMs;
        for (const event of ['ENTER', 'EXIT'] as const) {
          site.app.clock.now += 60_000;
          const sightings = [site.decided(event)];
          await Promise.all(
            Array.from({ length: visitors }, (_, n) =>
              site.app.send({
                method: 'POST',
                url: '/api/v2/sightings',
                body: { installationId: `p${n}`, sightings },
              }),
            ),
          );
        }
      }
      site.app.clock.now = lastSaturday + 3 * dayMs;
      await site.app.app.rollups.settle(site.app.appId);
    });
    afterAll(() => site.close());

    const holiday = (date: string) => ({ date, name: 'Fair', hours: [] });
    const make = (path: string, body: object) => create(site.app, `/api/v2${path}`, body, site.user.headers);
    async function change(what: string, id: string, body: object) {
      const answer = await site.ask({ method: 'PUT', url: `/api/v2/${what}/${id}`, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
    const forecast = (query: Record<string, string> = { venueId: venue }) =>
      site.get(`analytics/forecast?${new URLSearchParams(query)}`);

    test('is the middle of the last eight days like it, with its error on these days', async () => {
      const { date, forecast: told, isComplete } = await forecast();
      assert.deepEqual([date, isComplete], ['2026-11-28', true]);
      const alike = saturdays.flatMap((visitors, weeksAgo) =>
        weeksAgo === 2 ? [] : [{ date: dateOf(weeksAgo), visitors }],
      );
      assert.deepEqual(told.days, alike.slice(0, 8));
      // 3 8 5 8 4 5 6 3: 5 in the middle.
      assert.equal(told.visitors, 5);
      const middle = (list: readonly number[]) => {
        const sorted = list.toSorted((a, b) => a - b);
        return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
      };
      const counts = alike.map(({ visitors }) => visitors);
      const errors = counts
        .slice(0, 8)
        .map((visitors, at) => Math.abs(visitors - middle(counts.slice(at + 1, at + 9))))
        .sort((a, b) => a - b);
      assert.equal(told.error, Math.ceil(errors[5] ?? 0));
      // Off by 0, 0, 1, 1.5, 2, 2.5, 3 and 3: six of the eight by 2.5, which three visitors at most hold for all.
      assert.deepEqual([told.error, told.within, told.tried], [3, 8, 8]);
      assert.deepEqual((await forecast({})).forecast, told, 'the app has no other venue');
    });

    test('is available for a single zone', async () => {
      const { forecast: told } = await forecast();
      assert.deepEqual((await forecast({ zoneId: queue })).forecast, told);
      assert.deepEqual(
        await forecast({ zoneId: attic }),
        { ...(await forecast()), forecast: null },
        'nobody was there',
      );
    });

    test('says how many may be in each zone at once, and how long they may wait, from the same days', async () => {
      const zones = (query: Record<string, string>) =>
        site.get(`analytics/forecast/zones?${new URLSearchParams(query)}`);
      const told = await zones({ venueId: venue });
      assert.deepEqual(
        [told.date, told.isComplete, told.zones.length],
        ['2026-11-28', true, 1],
        'nobody was in the attic',
      );
      const [{ zoneId, peak, stay, days }] = told.zones;
      const { forecast: all } = await forecast();
      assert.equal(zoneId, queue);
      // All of a Saturday were there together, for a minute.
      assert.deepEqual(peak, { visitors: all.visitors, error: all.error, within: all.within, tried: all.tried });
      assert.deepEqual(stay, { seconds: 60, error: 0, within: 8, tried: 8 });
      const seen = days.map((one: { date: string; peak: number }) => ({ date: one.date, visitors: one.peak }));
      assert.deepEqual(seen, all.days, 'the holiday is none of them');
      assert.deepEqual((await zones({ zoneId: queue })).zones, told.zones);
      assert.deepEqual((await zones({ zoneId: attic })).zones, []);
      assert.deepEqual((await zones({})).zones, told.zones);
      // Half a year of weeks, and not a statement or two for each of them: each waits for the database.
      const asked: string[] = [];
      onStatements(site.app.storage.db, (statement) => asked.push(plainText(statement)));
      await zones({});
      const ofRows = asked.filter((text) => /from (way|visit)_rollups/.test(text) && !text.includes("'allMonth'"));
      assert.ok(ofRows.length > 0 && ofRows.length <= 9, ofRows.join('\n'));
      // On Fridays nobody ever came.
      await change('venues', venue, { openingHours: [{ dayName: 'Fri', from: '10:00', until: '18:00' }] });
      assert.deepEqual((await zones({ venueId: venue })).zones, []);
      const openingHours = ['Sat', 'Sun'].map((dayName) => ({ dayName, from: '10:00', until: '18:00' }));
      await change('venues', venue, { openingHours });
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'protected' } });
      const [small] = (await zones({ venueId: venue })).zones;
      const isTold = (count: unknown) => count === '1-4' || Number(count) % 5 === 0;
      assert.ok([small.peak.visitors, ...small.days.map((one: { peak: unknown }) => one.peak)].every(isTold));
      assert.equal(small.peak.error % 5, 0);
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'shown' } });
    });

    test('says nothing about a zone with visitors on too few days, except the number of these days', async () => {
      const now = site.app.clock.now;
      const where = { venueId: pointer('Venue', venue), zoneId: pointer('Zone', attic) };
      const beacon = await site.beacon({ minor: 3, ...where });
      site.app.clock.now = lastSaturday + dayMs;
      for (const event of ['ENTER', 'EXIT'] as const) {
        site.app.clock.now += 60_000;
        const sightings = [{ beacon, event, occurredAt: site.app.clock.now }];
        await site.send(sightings, { installationId: 'p1' });
      }
      site.app.clock.now = now;
      await site.app.app.rollups.settle(site.app.appId);
      await change('venues', venue, { openingHours: [{ dayName: 'Sun', from: '10:00', until: '18:00' }] });
      const { date, zones } = await site.get(`analytics/forecast/zones?venueId=${venue}`);
      assert.equal(date, '2026-11-29');
      assert.equal(zones.length, 1);
      assert.deepEqual([zones[0].peak, zones[0].stay, zones[0].days.length], [null, null, 1]);
      const openingHours = ['Sat', 'Sun'].map((dayName) => ({ dayName, from: '10:00', until: '18:00' }));
      await change('venues', venue, { openingHours });
    });

    test('how long somebody may stay comes from days on which somebody was there, and from no others', async () => {
      const now = site.app.clock.now;
      const where = { venueId: pointer('Venue', venue), zoneId: pointer('Zone', attic) };
      const beacon = await site.beacon({ minor: 4, ...where });
      // A beacon that is in no zone is not told of.
      const loose = await site.beacon({ minor: 5 });
      // Of thirteen Thursdays every third one stayed empty.
      const weeks = Array.from({ length: 13 }, (_, weeksAgo) => weeksAgo).filter((weeksAgo) => weeksAgo % 3 !== 1);
      for (const weeksAgo of weeks.toReversed()) {
        site.app.clock.now = lastSaturday - 2 * dayMs - weeksAgo * 7 * dayMs;
        for (const event of ['ENTER', 'EXIT'] as const) {
          site.app.clock.now += 60_000;
          const sightings = [beacon, loose].map((one) => ({ beacon: one, event, occurredAt: site.app.clock.now }));
          await site.send(sightings, { installationId: 'p1' });
        }
      }
      site.app.clock.now = now;
      await site.app.app.rollups.settle(site.app.appId);
      await change('venues', venue, { openingHours: [{ dayName: 'Thu', from: '10:00', until: '18:00' }] });
      const { date, zones } = await site.get(`analytics/forecast/zones?zoneId=${attic}`);
      assert.deepEqual([date, zones.length], ['2026-11-26', 1]);
      const all = (await site.get('analytics/forecast/zones')).zones;
      assert.deepEqual(
        all.map(({ zoneId }: { zoneId: string }) => zoneId),
        [attic],
      );
      // On three of the eight before it nobody came.
      const [{ peak, stay }] = zones;
      assert.deepEqual([peak.visitors, peak.error, peak.tried], [1, 1, 8]);
      assert.deepEqual(stay, { seconds: 60, error: 0, within: 5, tried: 5 });
      const openingHours = ['Sat', 'Sun'].map((dayName) => ({ dayName, from: '10:00', until: '18:00' }));
      await change('venues', venue, { openingHours });
    });

    test('says nothing of today, which is not over, and not from it', async () => {
      const now = site.app.clock.now;
      site.app.clock.now = lastSaturday + 7 * dayMs;
      const visit = { installationId: 'p8', sightings: [site.decided('ENTER')] };
      await site.app.send({ method: 'POST', url: '/api/v2/sightings', body: visit });
      await site.app.app.rollups.settle(site.app.appId);
      const { date, forecast: told } = await forecast();
      assert.deepEqual([date, told.visitors], ['2026-11-29', 0], 'the Sunday, on which nobody ever came');
      await change('venues', venue, { openingHours: [{ dayName: 'Sat', from: '10:00', until: '18:00' }] });
      const next = await forecast();
      assert.deepEqual([next.date, next.forecast.days[0].date], ['2026-12-05', dateOf(0)]);
      const openingHours = ['Sat', 'Sun'].map((dayName) => ({ dayName, from: '10:00', until: '18:00' }));
      await change('venues', venue, { openingHours });
      site.app.clock.now = now;
    });

    test('leaves out days that are not as usual, and says nothing where there is too little', async () => {
      await change('venues', venue, { exceptions: [holiday(dateOf(2)), holiday('2026-11-28')] });
      // On Sundays it is open, and nobody came.
      const sunday = await forecast();
      assert.deepEqual([sunday.date, sunday.forecast.visitors], ['2026-11-29', 0]);
      const beaconId = await site.beacon({ minor: 2 });
      assert.equal((await forecast({ beaconId })).forecast, null, 'nobody was there yet');
      await change('venues', venue, { openingHours: [] });
      assert.equal((await forecast()).date, null);
      await change('venues', venue, { openingHours: null, exceptions: [] });
      assert.equal((await forecast()).date, '2026-11-25', 'nobody knows when it is open');
      const refused = await site.ask({ method: 'GET', url: '/api/v2/analytics/forecast?venueId=a&zoneId=b' });
      assert.equal(refused.status, 400);
    });

    test('names no small group where these are protected', async () => {
      await change('venues', venue, {
        openingHours: [{ dayName: 'Sat', from: '10:00', until: '18:00' }],
        exceptions: [],
      });
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'protected' } });
      const { forecast: told } = await forecast();
      for (const { visitors } of told.days) assert.ok(visitors === '1-4' || visitors % 5 === 0, String(visitors));
      assert.ok(told.visitors === '1-4' || told.visitors % 5 === 0);
      assert.equal(told.error % 5, 0);
      const openingHours = [{ dayName: 'Sun', from: '10:00', until: '18:00' }];
      await change('venues', venue, { openingHours });
      const { forecast: quiet } = await forecast();
      assert.deepEqual(
        [quiet.visitors, quiet.error],
        [0, 5],
        'that nobody came is no better known than to a small group',
      );
    });
  });
}

test('a forecast takes four days and four trials', () => {
  const days = (count: number) => Array.from({ length: count }, (_, n) => ({ date: String(n), value: 10 * n }));
  assert.equal(estimate(days(3)), undefined);
  assert.equal(estimate(days(7)), undefined);
  const told = estimate(days(8));
  assert.deepEqual([told?.value, told?.errors.length, told?.days.length], [35, 4, 8]);
  // Each day against the middle of those before it, of an even number of days and of an odd one.
  assert.deepEqual(estimate(days(9))?.errors, [25, 30, 35, 40, 45]);
});
