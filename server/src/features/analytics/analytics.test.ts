import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { databases, signInManager } from '../../../test/support/build-app.ts';
import { create } from '../../../test/support/cases.ts';
import { openNode, openSite, pointer, type Site, stay, walk } from '../../../test/support/site.ts';
import {
  type HandVisit,
  movesByHand,
  PlacesByHand,
  pathsByHand,
  peaksByHand,
  reachesByHand,
} from '../../../test/support/ways-by-hand.ts';
import { service } from '../../access/audit.ts';
import { raw, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { Dwells } from './numbers/dwells.ts';
import { PlaceHistory } from './numbers/places.ts';
import { readRollups } from './numbers/store.ts';
import { VisitorSet, visitorHash } from './numbers/visitor-set.ts';
import { waysOf } from './ways/tours.ts';

/** What is counted against the visits themselves. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

interface Visit extends HandVisit {
  readonly object_id: string;
}

/** The clocks of a zone, by another way than the service's. */
function shown(at: number, timeZone: string) {
  const text = new Date(at).toLocaleString('sv-SE', { timeZone, hourCycle: 'h23' });
  return { date: text.slice(0, 10), hour: `${text.slice(0, 10)}T${text.slice(11, 13)}:00` };
}

/** The numbers as somebody counts them who looks at every visit. */
function byHand(visits: readonly Visit[], all: readonly Visit[]) {
  const first = new Map<string, Visit>();
  for (const visit of all) {
    const other = first.get(visit.installation_id);
    const isEarlier =
      !other ||
      visit.entered_at < other.entered_at ||
      (visit.entered_at === other.entered_at && visit.object_id < other.object_id);
    if (isEarlier) first.set(visit.installation_id, visit);
  }
  const visitors = new Set(visits.map(({ installation_id }) => installation_id)).size;
  const newVisitors = visits.filter((visit) => first.get(visit.installation_id) === visit).length;
  const dwells = visits.flatMap(({ dwell }) => dwell ?? []).sort((a, b) => a - b);
  const quantile = (share: number) => dwells[Math.max(1, Math.ceil(share * dwells.length)) - 1] ?? null;
  const mean = dwells.length === 0 ? null : dwells.reduce((sum, one) => sum + one, 0) / dwells.length;
  return { visitors, newVisitors, visits: visits.length, median: quantile(0.5), upper: quantile(0.75), mean };
}

type Told = Readonly<Record<string, unknown>>;

function assertSame(told: Told | undefined, hand: ReturnType<typeof byHand>, what: string): void {
  assert.ok(told, `${what} has no row`);
  const counts = [told['visitors'], told['newVisitors'], told['returningVisitors'], told['visits']];
  assert.deepEqual(counts, [hand.visitors, hand.newVisitors, hand.visitors - hand.newVisitors, hand.visits], what);
  for (const [name, exact] of [
    ['dwellMedian', hand.median],
    ['dwellUpperQuartile', hand.upper],
  ] as const) {
    if (exact === null) assert.equal(told[name], null, what);
    else
      assert.ok(
        Math.abs(Number(told[name]) - exact) <= Math.max(1, exact * 0.045),
        `${what}: ${told[name]} for ${exact}`,
      );
  }
  if (hand.mean === null) assert.equal(told['dwellMean'], null);
  else assert.ok(Math.abs(Number(told['dwellMean']) - hand.mean) < 0.11, what);
}

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

for (const database of databases) {
  describe(`the numbers of visits on ${database}`, () => {
    let site: Site;
    let beacons: readonly string[] = [];
    let zones: readonly string[] = [];
    let [venue, floor] = ['', ''];
    const placesByHand = new PlacesByHand();
    let people = 0;
    before(async () => {
      site = await openSite(database);
      beacons = [site.hall, await site.beacon({ minor: 2 })];
      site.app.app.ticker.stop();
      venue = await make('/venues', { name: 'House' });
      floor = await make('/floors', { venueId: pointer('Venue', venue), name: 'Ground', level: 0 });
      const corners = (x: number) => [0, 1, 1, 0].map((right, index) => ({ x: x + right, y: index < 2 ? 0 : 1 }));
      for (const [index, name] of ['Hall', 'Shop', 'Café'].entries()) {
        const zone = { floorId: pointer('Floor', floor), name, kind: 'room', polygon: corners(index * 2) };
        zones = [...zones, await make('/zones', zone)];
      }
      await hang(site.hall, zones[0] ?? '');
    });
    const make = (path: string, body: object) => create(site.app, `/api/v2${path}`, body, site.user.headers);

    /** Hangs a beacon up in a zone. */
    async function hang(beacon: string, zone: string): Promise<void> {
      const body = { zoneId: pointer('Zone', zone) };
      const answer = await site.ask({ method: 'PATCH', url: `/api/v2/beacons/${beacon}`, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await site.app.app.rollups.settle(site.app.appId);
      placesByHand.hang(beacon, zone, Math.floor(site.now / (hour / 2)) * (hour / 2));
    }
    after(() => site.close());

    const visitsNow = () => site.rows('visits') as unknown as Promise<Visit[]>;
    const setPolicy = (change: object) => site.app.app.apps.change(site.app.appId, { policy: change }, service);
    const ask = (query: Readonly<Record<string, string>>) => askOf('visits', query);
    async function askOf(what: string, query: Readonly<Record<string, string>>) {
      const answer = await site.ask({ method: 'GET', url: `/api/v2/analytics/${what}?${new URLSearchParams(query)}` });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.result;
    }

    /** Everything that is told against everything that is there. */
    async function compare(timeZone: string): Promise<void> {
      const all = await visitsNow();
      if (all.length === 0) return;
      const dates = all.map(({ entered_at }) => shown(entered_at, timeZone).date).sort();
      const from = dates[0] ?? '';
      const until = shown(Date.parse(`${dates.at(-1)}T12:00:00Z`) + day, 'UTC').date;
      for (const interval of ['hour', 'day'] as const) {
        const since = interval === 'hour' ? hoursFrom(from, until) : from;
        const asked = all.filter((visit) => shown(visit.entered_at, timeZone).date >= since);
        const told = await ask({ from: since, until, interval });
        assert.equal(told.isComplete, true);
        const rows = new Map<string, Told>(told.rows.map((row: { start: string }) => [row.start, row]));
        for (const [start, visits] of Map.groupBy(asked, (visit) =>
          interval === 'hour' ? shown(visit.entered_at, timeZone).hour : shown(visit.entered_at, timeZone).date,
        )) {
          assert.ok(rows.has(start), `${start} has a row`);
          assertSame(rows.get(start), byHand(visits, all), start);
          rows.delete(start);
        }
        for (const [start, row] of rows) assertSame(row, byHand([], all), start);
        assertSame(told.total, byHand(asked, all), 'the whole period');
      }
      // Whole months are read from what was added up of them.
      const months = { from: `${from.slice(0, 7)}-01`, until: monthAfter(dates.at(-1) ?? '') };
      const told = await ask({ ...months, groupBy: 'beacon' });
      for (const id of beacons) {
        const row = told.rows.find(({ beaconId }: { beaconId: string }) => beaconId === id);
        const visits = all.filter(({ beacon_id }) => beacon_id === id);
        if (row === undefined) assert.deepEqual(visits, [], `the beacon ${id} has no row`);
        else assertSame(row, byHand(visits, all), `the beacon ${id}`);
      }
      assertSame(told.total, byHand(all, all), 'all beacons');
      await comparePlaces(all, { from, until, timeZone });
      // Whole years are read from years, months, parts of months and days.
      await comparePlaces(all, { ...yearsOf(from, dates.at(-1) ?? ''), timeZone }, 'year');
    }

    /** Hours are told of two months at most. */
    const hoursFrom = (from: string, until: string) => {
      const earliest = shown(Date.parse(`${until}T12:00:00Z`) - 60 * day, 'UTC').date;
      return from < earliest ? earliest : from;
    };
    const yearsOf = (first: string, last: string) => ({
      from: `${first.slice(0, 4)}-01-01`,
      until: `${Number(last.slice(0, 4)) + 1}-01-01`,
    });

    const monthAfter = (date: string) =>
      shown(Date.parse(`${date.slice(0, 7)}-01T12:00:00Z`) + 31 * day, 'UTC')
        .date.slice(0, 8)
        .concat('01');

    /** Zones, floors and venues, and the ways between zones. */
    async function comparePlaces(
      all: readonly Visit[],
      { from, until, timeZone }: Readonly<Record<'from' | 'until' | 'timeZone', string>>,
      unit: 'month' | 'year' = 'month',
    ): Promise<void> {
      const zoneOf = ({ beacon_id, entered_at }: Visit) => placesByHand.zoneAt(beacon_id, entered_at, timeZone);
      const whole = unit === 'year' ? { from, until } : { from: `${from.slice(0, 7)}-01`, until: monthAfter(until) };
      const told = await ask({ ...whole, interval: 'total', groupBy: 'zone', floorId: floor });
      for (const id of zones) {
        const visits = all.filter((visit) => zoneOf(visit) === id);
        const row = told.rows.find(({ zoneId }: { zoneId: string }) => zoneId === id);
        if (row === undefined) assert.deepEqual(visits, [], `the zone ${id} has no row`);
        else assertSame(row, byHand(visits, all), `the zone ${id}`);
        if (unit === 'year') continue;
        const since = hoursFrom(from, until);
        const hours = await ask({ from: since, until, interval: 'hour', zoneId: id });
        const recent = visits.filter(({ entered_at }) => shown(entered_at, timeZone).date >= since);
        for (const [start, ofHour] of Map.groupBy(recent, ({ entered_at }) => shown(entered_at, timeZone).hour))
          assertSame(
            hours.rows.find((one: { start: string }) => one.start === start),
            byHand(ofHour, all),
            `${id} ${start}`,
          );
      }
      const inside = all.filter((visit) => zoneOf(visit) !== undefined);
      assertSame(told.total, byHand(inside, all), 'the floor');
      for (const place of ['venueId', 'floorId'])
        assertSame(
          (await ask({ from, until, [place]: place === 'venueId' ? venue : floor })).total,
          byHand(inside, all),
          place,
        );
      const flows = await askOf('flows', { from, until });
      const where = (visit: HandVisit) => ({
        day: shown(visit.entered_at, timeZone).date,
        venue: zoneOf(visit as Visit) === undefined ? '' : venue,
        place: zoneOf(visit as Visit) ?? visit.beacon_id,
      });
      assert.deepEqual(movesTold(flows.moves), movesByHand(all, where));
      assert.deepEqual(movesTold(flows.reaches), reachesByHand(all, where));
      const { tours, paths } = await askOf('paths', { from, until, top: '100' });
      assert.deepEqual(pathsTold(paths), pathsByHand(all, where).sort());
      assert.equal(
        tours,
        paths.reduce((sum: number, path: ToldPath) => sum + path.tours, 0),
      );
      // Of days that were over in a part or a month from there; visits of this test are over within the hour.
      const since = unit === 'year' ? `${Number(until.slice(0, 4)) - 1}-01-01` : hoursFrom(from, until);
      const peaks = await askOf('peaks', { from: since, until, interval: 'day' });
      assert.deepEqual(
        peaks.rows
          .map(({ start, zoneId, beaconId, peak }: ToldPeak) => `${start} ${zoneId ?? beaconId}: ${peak}`)
          .sort(),
        peaksByHand(
          all.filter((visit) => where(visit).day >= since),
          where,
          (date) => Date.parse(`${date}T00:00:00Z`) + 1.5 * day,
        ),
      );
    }

    interface ToldPeak {
      readonly start: string;
      readonly zoneId?: string;
      readonly beaconId?: string;
      readonly peak: number;
    }
    interface ToldMove {
      readonly from: { readonly zoneId?: string; readonly beaconId?: string } | null;
      readonly to: ToldMove['from'];
      readonly tours: number;
      readonly visitors: number;
    }
    interface ToldPath extends Pick<ToldMove, 'tours' | 'visitors'> {
      readonly stops: readonly NonNullable<ToldMove['from']>[];
      readonly isCut: boolean;
    }
    const pathsTold = (paths: readonly ToldPath[]) =>
      paths
        .map(({ stops, isCut, tours, visitors }) => {
          const names = [...stops.map(({ zoneId, beaconId }) => zoneId ?? beaconId), ...(isCut ? ['…'] : [])];
          return `${names.join('>')}: ${tours} tours of ${visitors}`;
        })
        .sort();
    function movesTold(rows: readonly ToldMove[]) {
      const name = (place: ToldMove['from']) => place?.zoneId ?? place?.beaconId ?? '';
      return rows
        .map(({ from, to, tours, visitors }) => `${name(from)}>${name(to)}: ${tours} tours of ${visitors}`)
        .sort();
    }

    test('of an app without visits are complete before anything was counted, and not until the first are', async () => {
      const { app } = site;
      const made = await app.app.apps.create('Just made');
      const headers = { 'x-service-appid': made.appId, 'x-service-appkey': made.appKey };
      const manager = await signInManager(app, headers);
      const asked = async (what: string) => {
        const url = `/api/v2/analytics/${what}?from=2020-01-01&until=2020-02-01`;
        const answer = await app.send({ method: 'GET', url, headers: { ...headers, ...manager.headers } });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body.result.isComplete;
      };
      assert.deepEqual([await asked('visits'), await asked('flows')], [true, true]);
      await app.storage.db.run(sql`insert into visits (app_id, object_id, installation_id, beacon_id, is_open, entered_at,
          left_at, dwell, source, inferred, created_at, updated_at)
        values (${made.appId}, 'one', 'phone', 'hall', 0, 0, 1000, 1, 'client', 0, 0, 0)`);
      assert.deepEqual([await asked('visits'), await asked('flows')], [false, false]);
      await app.app.rollups.settle(made.appId);
      assert.deepEqual([await asked('visits'), await asked('flows')], [true, true]);
      await app.app.apps.remove(made.appId);
    });

    test('say that they are not complete while many new visits wait to be counted', async () => {
      const isComplete = async () => (await ask({ from: '2020-01-01', until: '2020-02-01' })).isComplete;
      const ways = async () => (await askOf('flows', { from: '2020-01-01', until: '2020-02-01' })).isComplete;
      assert.deepEqual([await isComplete(), await ways()], [true, true]);
      const { db } = site.app.storage;
      await db.run(sql`insert into visit_changes (app_id, object_id, installation_id, beacon_id, entered_at)
        with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < 1000)
        select ${site.app.appId}, 'waits' || n, 'nobody', 'nowhere', 0 from numbers`);
      assert.deepEqual([await isComplete(), await ways()], [false, false]);
      await db.run(sql`delete from visit_changes where object_id like 'waits%'`);
    });

    test('are those of the visits, however late these come and whatever becomes of them', async () => {
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(
          phones,
          fc.constantFrom('Europe/Vienna', 'Asia/Kolkata', 'America/New_York'),
          // How many days later the rest of the batches arrives, and how many later everything is asked.
          fc.constantFrom(0, 2, 9),
          fc.constantFrom(0, 2, 12, 45),
          async (walkers, timeZone, lateDays, laterDays) => {
            await setPolicy({ timeZone });
            // An exhibit that moves: what was counted stays where it was.
            if (runs++ % 3 === 1) await hang(beacons[1] ?? '', zones[1 + (runs % 2)] ?? '');
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
            await compare(timeZone);
            if (laterDays === 0) return;
            site.app.clock.now += laterDays * day;
            await site.signInAgain();
            await site.app.app.rollups.settle(site.app.appId);
            await compare(timeZone);
          },
        ),
        { numRuns: 10, endOnFailure: true },
      );
      assert.ok((await visitsNow()).length > 5, 'there are visits');
    });

    test('follow visits that begin earlier, become one, and are taken back', async () => {
      const timeZone = 'Europe/Vienna';
      await setPolicy({ timeZone });
      await site.installation({ installationId: 'late' });
      const count = async () => (await visitsNow()).length;
      const settled = async () => {
        await site.app.app.rollups.settle(site.app.appId);
        await compare(timeZone);
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

    test('of months, years and the days of a month that are over are read added up, but not where something has changed', async () => {
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
      await hang(site.hall, zones[0] ?? '');
      const came = site.now - hour;
      const come = (minutesLater: number) =>
        site.send(walk(stay(1.5, 30), came + minutesLater * minute), { installationId: 'late' });
      await come(0);
      await settle();
      const month = { from: `${date.slice(0, 7)}-01`, until: monthAfter(date) };
      const year = yearsOf(date, date);
      const groups = ['beacon', 'zone', 'floor', 'venue'].map((groupBy) => ({ groupBy }));
      const countOf = async (query: Readonly<Record<string, string>>) => {
        const { total, rows } = await ask(query);
        return [total, ...rows].map(({ visits }: { visits: number }) => visits);
      };
      const toursOf = async (query: Readonly<Record<string, string>>) =>
        (await askOf('flows', query)).moves.map(({ tours }: { tours: number }) => tours);
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
          await compare(timeZone);
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
      const inside = { ...month, groupBy: 'beacon', floorId: floor };
      const isDaily = async () => {
        const { rows } = await ask(inside);
        assert.ok(rows.length > 0);
        return rows.every(({ visits }: { visits: number }) => visits < 1000);
      };
      assert.ok(!(await isDaily()), 'nothing was moved');
      await hang(beacons[1] ?? '', zones[2] ?? '');
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
    });

    test('are the same when they are counted anew, and when two services count at once', async () => {
      const { appId } = site.app;
      const numbers = async () => [
        ...(await site.app.storage.db.all(raw(`select * from visit_rollups order by span, started_at, beacon_id`))),
        ...(await site.app.storage.db.all(
          raw(`select * from way_rollups order by kind, span, started_at, venue_id, place`),
        )),
      ];
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

    test('are for managers, not for visitors', async () => {
      const answer = await site.app.send({ method: 'GET', url: '/api/v2/analytics/visits' });
      assert.equal(answer.status, 403);
    });

    test('refuse what is no period', async () => {
      for (const query of [
        'from=2026-02-30',
        'from=2026-03-02&until=2026-03-02',
        'interval=minute',
        'groupBy=person',
      ]) {
        const answer = await site.ask({ method: 'GET', url: `/api/v2/analytics/visits?${query}` });
        assert.equal(answer.body.code ?? answer.body.error?.code, 102, query);
      }
      for (const path of ['visits', 'flows', 'paths', 'peaks', 'messages'])
        for (const query of ['from=0099-12-01&until=0100-01-01', 'from=9999-12-01&until=9999-12-31']) {
          const { status, body } = await site.ask({ method: 'GET', url: `/api/v2/analytics/${path}?${query}` });
          assert.deepEqual([status, body.code], [400, 102], `${path} ${query}`);
        }
    });

    test('refuse an answer of more rows than anybody reads', async () => {
      const { db } = site.app.storage;
      const start = Date.UTC(2020, 0, 1, 12);
      await db.run(sql`insert into visit_rollups (app_id, span, started_at, beacon_id, visits, newcomers, ended, dwell_ms, dwells, visitors)
        with recursive places(n) as (select 0 union all select n + 1 from places where n < 200),
          days(d) as (select 0 union all select d + 1 from days where d < 50)
        select ${site.app.appId}, 'day', cast(${start} as bigint) + d * cast(86400000 as bigint), 'far' || n, 1, 1, 0, 0, '', '' from places, days`);
      const url = '/api/v2/analytics/visits?from=2020-01-01&until=2020-02-25&groupBy=beacon';
      const refused = await site.ask({ method: 'GET', url: `${url}&interval=day` });
      assert.deepEqual([refused.status, refused.body.code], [400, 102]);
      assert.match(refused.body.error.error, /more than 10000 rows/);
      const weeks = await site.ask({ method: 'GET', url: `${url}&interval=week` });
      assert.deepEqual([weeks.status, weeks.body.result.rows.length], [200, 201 * 8]);
      await db.run(sql`delete from visit_rollups where beacon_id like 'far%'`);
    });

    test('tell nothing of one to four visitors where these are protected', async () => {
      const exact = await site.app.storage.db.one<{ at: number }>(sql`select min(entered_at) as at from visits`);
      const first = shown(exact?.at ?? 0, 'Europe/Vienna').date;
      await setPolicy({ timeZone: 'Europe/Vienna', smallGroups: 'protected' });
      await site.app.app.rollups.settle(site.app.appId);
      const told = await ask({ from: first, until: shown(Date.parse(first) + 30 * day, 'UTC').date, interval: 'hour' });
      for (const row of told.rows) {
        for (const name of ['visitors', 'newVisitors', 'returningVisitors', 'visits'])
          assert.ok(row[name] === null || row[name] === '1-4' || row[name] % 5 === 0, `${name} is ${row[name]}`);
        if (row.visitors === '1-4')
          assert.deepEqual([row.visits, row.dwellMedian, row.newVisitors], [null, null, null]);
        assert.equal(row.dwellMean, null);
      }
      assert.ok(told.rows.some(({ visitors }: { visitors: unknown }) => visitors === '1-4'));
      assert.equal(told.total, null, 'thirty days could be subtracted from thirty-one');
      const sliding = `/api/v2/analytics/visits?from=${first}&until=${shown(Date.parse(first) + 9 * day, 'UTC').date}`;
      assert.equal((await site.ask({ method: 'GET', url: sliding })).status, 400);
      await setPolicy({ smallGroups: 'shown' });
    });

    test('stay when visits go because of their age or a person is erased, and go with the app', async () => {
      const { db } = site.app.storage;
      const { appId } = site.app;
      const numbers = () => db.all(raw(`select * from visit_rollups order by span, started_at, beacon_id`));
      site.app.clock.now += day;
      await site.app.app.ticker.tick();
      await site.app.app.rollups.settle(appId);
      const before = await numbers();
      assert.ok(before.length > 0);
      await site.ask({ method: 'DELETE', url: `/api/v2/installations/${(await visitsNow())[0]?.installation_id}` });
      await site.app.app.idle();
      site.app.clock.now += 500 * day;
      await site.app.app.retention.sweep();
      assert.equal((await visitsNow()).length, 0);
      await site.app.app.rollups.rebuild(appId);
      assert.deepEqual(await numbers(), before);
    });
  });
}

describe('what can be added up', () => {
  test('a set of visitors is exact while it is small, near when it is large, and the same in any order', () => {
    for (const size of [0, 1, 1_500, 2_048, 2_049, 2_200, 10_000, 60_000]) {
      const [whole, parts, reversed] = [new VisitorSet(), new VisitorSet(), new VisitorSet()];
      const hashes = Array.from({ length: size }, (_, place) => visitorHash('salt', `visitor ${place}`));
      for (const hash of hashes) whole.add(hash);
      for (let start = 0; start < size; start += 1_500) {
        const part = new VisitorSet();
        for (const hash of hashes.slice(start, start + 3_000)) part.add(hash);
        // Whoever comes often is in many sets.
        for (let time = 0; time < 7; time++) parts.addWritten(part.write());
      }
      for (const hash of hashes.toReversed()) reversed.add(hash);
      assert.equal(parts.write(), whole.write());
      assert.equal(reversed.write(), whole.write());
      if (size <= 2_048) assert.equal(whole.size(), size);
      else assert.ok(Math.abs(whole.size() / size - 1) < 0.025, `${whole.size()} of ${size}`);
    }
  });

  test('quantiles are within 4.5 % of the true ones', () => {
    const lengths = fc.array(fc.double({ min: 1, max: 90_000, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lengths, fc.constantFrom(0.25, 0.5, 0.75), (seconds, share) => {
        const [whole, half, other] = [new Dwells(), new Dwells(), new Dwells()];
        for (const [place, one] of seconds.entries()) (place % 2 === 0 ? half : other).add(one);
        for (const one of [half, other]) whole.addWritten(one.write());
        const exact = seconds.toSorted((a, b) => a - b)[Math.ceil(share * seconds.length) - 1] ?? 0;
        assert.ok(Math.abs((whole.quantile(share) ?? 0) - exact) <= Math.max(0.1, exact * 0.045));
      }),
    );
  });
});

/** How often others had a turn while this work was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await work();
  clearImmediate(next);
  return turns;
}

/** Longer than a slice. */
function workHard(): void {
  const began = performance.now();
  while (performance.now() - began < 5);
}

test('while many rows are added up, others go on in between', async () => {
  const rows = Array.from({ length: 20 }, (_, n) => ({ started_at: n, beacon_id: 'hall' }));
  const db = { all: async () => rows } as unknown as Db;
  const turns = await turnsDuring(async () => {
    for await (const _ of readRollups(db, { appId: 'app', span: 'day', from: 0, until: 100 }, undefined)) workHard();
  });
  assert.ok(turns >= rows.length - 1, `${turns} turns`);
});

test('while the ways of a busy day are counted, others go on in between', async () => {
  const at = Date.UTC(2026, 9, 1, 9);
  const visits = Array.from({ length: 20 }, (_, n) => ({
    object_id: `visit-${n}`,
    installation_id: `phone-${n}`,
    beacon_id: 'hall',
    entered_at: at + n * 1000,
    dwell: 60,
  }));
  const hashOf = (id: string) => {
    workHard();
    return visitorHash('salt', id);
  };
  const by = { zone: 'UTC', places: new PlaceHistory([]), hashOf, until: at + hour };
  const turns = await turnsDuring(async () => {
    const ways = await waysOf(visits, by);
    assert.deepEqual(
      [...ways.all()].filter(({ kind }) => kind === 'peak').map(({ tours }) => tours),
      [20],
    );
  });
  assert.ok(turns >= visits.length - 1, `${turns} turns`);
});
