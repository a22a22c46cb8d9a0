import assert from 'node:assert/strict';
import { service } from '../../../src/access/audit.ts';
import type { Answer, DatabaseKind } from '../build-app.ts';
import { create } from '../cases.ts';
import { openSite, pointer, type Site } from '../site.ts';
import { assertSame, byHand, shown, type Told, type Visit } from './visits-by-hand.ts';
import { type HandVisit, movesByHand, PlacesByHand, pathsByHand, peaksByHand, reachesByHand } from './ways-by-hand.ts';

/** A house whose numbers are compared with its visits. */

const hour = 3_600_000;
const day = 24 * hour;

type Query = Readonly<Record<string, string>>;

/** Hours are told of two months at most. */
const hoursFrom = (from: string, until: string) => {
  const earliest = shown(Date.parse(`${until}T12:00:00Z`) - 60 * day, 'UTC').date;
  return from < earliest ? earliest : from;
};
/** The years of two dates. */
export const yearsOf = (first: string, last: string) => ({
  from: `${first.slice(0, 4)}-01-01`,
  until: `${Number(last.slice(0, 4)) + 1}-01-01`,
});

/** The first day of the month after a date. */
export const monthAfter = (date: string) =>
  shown(Date.parse(`${date.slice(0, 7)}-01T12:00:00Z`) + 31 * day, 'UTC')
    .date.slice(0, 8)
    .concat('01');

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
  return rows.map(({ from, to, tours, visitors }) => `${name(from)}>${name(to)}: ${tours} tours of ${visitors}`).sort();
}

/** A floor with three zones and two beacons, of which the first hangs in the first zone. */
export class CountedHouse {
  readonly site: Site;
  readonly beacons: readonly string[];
  readonly venue: string;
  readonly floor: string;
  readonly zones: readonly string[];
  readonly #hung = new PlacesByHand();

  constructor({
    site,
    beacons,
    venue,
    floor,
    zones,
  }: Pick<CountedHouse, 'site' | 'beacons' | 'venue' | 'floor' | 'zones'>) {
    this.site = site;
    this.beacons = beacons;
    this.venue = venue;
    this.floor = floor;
    this.zones = zones;
  }

  close(): Promise<void> {
    return this.site.close();
  }

  /** Hangs a beacon up in a zone. */
  async hang(beacon: string, zone: string): Promise<void> {
    const { site } = this;
    const body = { zoneId: pointer('Zone', zone) };
    const answer = await site.ask({ method: 'PATCH', url: `/api/v2/beacons/${beacon}`, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await site.app.app.rollups.settle(site.app.appId);
    this.#hung.hang(beacon, zone, Math.floor(site.now / (hour / 2)) * (hour / 2));
  }

  visitsNow(): Promise<Visit[]> {
    return this.site.rows('visits') as unknown as Promise<Visit[]>;
  }

  setPolicy(change: object): Promise<unknown> {
    const { app, appId } = this.site.app;
    return app.apps.change(appId, { policy: change }, service);
  }

  /** The numbers of visits. */
  ask(query: Query): Promise<Answer['body']> {
    return this.askOf('visits', query);
  }

  /** An answer of analytics. */
  async askOf(what: string, query: Query): Promise<Answer['body']> {
    const answer = await this.site.ask({
      method: 'GET',
      url: `/api/v2/analytics/${what}?${new URLSearchParams(query)}`,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.result;
  }

  /** Everything that is told against everything that is there. */
  async compare(timeZone: string): Promise<void> {
    const all = await this.visitsNow();
    if (all.length === 0) return;
    const dates = all.map(({ entered_at }) => shown(entered_at, timeZone).date).sort();
    const from = dates[0] ?? '';
    const until = shown(Date.parse(`${dates.at(-1)}T12:00:00Z`) + day, 'UTC').date;
    for (const interval of ['hour', 'day'] as const) {
      const since = interval === 'hour' ? hoursFrom(from, until) : from;
      const asked = all.filter((visit) => shown(visit.entered_at, timeZone).date >= since);
      const told = await this.ask({ from: since, until, interval });
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
    const told = await this.ask({ ...months, groupBy: 'beacon' });
    for (const id of this.beacons) {
      const row = told.rows.find(({ beaconId }: { beaconId: string }) => beaconId === id);
      const visits = all.filter(({ beacon_id }) => beacon_id === id);
      if (row === undefined) assert.deepEqual(visits, [], `the beacon ${id} has no row`);
      else assertSame(row, byHand(visits, all), `the beacon ${id}`, true);
    }
    assertSame(told.total, byHand(all, all), 'all beacons');
    await this.#comparePlaces(all, { from, until, timeZone });
    // Whole years are read from years, months, parts of months and days.
    await this.#comparePlaces(all, { ...yearsOf(from, dates.at(-1) ?? ''), timeZone }, 'year');
  }

  /** Zones, floors and venues, and the ways between zones. */
  async #comparePlaces(
    all: readonly Visit[],
    { from, until, timeZone }: Readonly<Record<'from' | 'until' | 'timeZone', string>>,
    unit: 'month' | 'year' = 'month',
  ): Promise<void> {
    const zoneOf = ({ beacon_id, entered_at }: Visit) => this.#hung.zoneAt(beacon_id, entered_at, timeZone);
    const whole = unit === 'year' ? { from, until } : { from: `${from.slice(0, 7)}-01`, until: monthAfter(until) };
    const told = await this.ask({ ...whole, interval: 'total', groupBy: 'zone', floorId: this.floor });
    for (const id of this.zones) {
      const visits = all.filter((visit) => zoneOf(visit) === id);
      const row = told.rows.find(({ zoneId }: { zoneId: string }) => zoneId === id);
      if (row === undefined) assert.deepEqual(visits, [], `the zone ${id} has no row`);
      else assertSame(row, byHand(visits, all), `the zone ${id}`, true);
      if (unit === 'year') continue;
      const since = hoursFrom(from, until);
      const hours = await this.ask({ from: since, until, interval: 'hour', zoneId: id });
      const recent = visits.filter(({ entered_at }) => shown(entered_at, timeZone).date >= since);
      for (const [start, ofHour] of Map.groupBy(recent, ({ entered_at }) => shown(entered_at, timeZone).hour))
        assertSame(
          hours.rows.find((one: { start: string }) => one.start === start),
          byHand(ofHour, all),
          `${id} ${start}`,
          true,
        );
    }
    const inside = all.filter((visit) => zoneOf(visit) !== undefined);
    assertSame(told.total, byHand(inside, all), 'the floor', true);
    for (const place of ['venueId', 'floorId'])
      assertSame(
        (await this.ask({ from, until, [place]: place === 'venueId' ? this.venue : this.floor })).total,
        byHand(inside, all),
        place,
        place === 'floorId',
      );
    const flows = await this.askOf('flows', { from, until });
    const where = (visit: HandVisit) => ({
      day: shown(visit.entered_at, timeZone).date,
      venue: zoneOf(visit as Visit) === undefined ? '' : this.venue,
      place: zoneOf(visit as Visit) ?? visit.beacon_id,
    });
    assert.deepEqual(movesTold(flows.moves), movesByHand(all, where));
    assert.deepEqual(movesTold(flows.reaches), reachesByHand(all, where));
    const { tours, paths } = await this.askOf('paths', { from, until, top: '100' });
    assert.deepEqual(pathsTold(paths), pathsByHand(all, where).sort());
    assert.equal(
      tours,
      paths.reduce((sum: number, path: ToldPath) => sum + path.tours, 0),
    );
    // Of days that were over in a part or a month from there; visits of this test are over within the hour.
    const since = unit === 'year' ? `${Number(until.slice(0, 4)) - 1}-01-01` : hoursFrom(from, until);
    const peaks = await this.askOf('peaks', { from: since, until, interval: 'day' });
    assert.deepEqual(
      peaks.rows.map(({ start, zoneId, beaconId, peak }: ToldPeak) => `${start} ${zoneId ?? beaconId}: ${peak}`).sort(),
      peaksByHand(
        all.filter((visit) => where(visit).day >= since),
        where,
        (date) => Date.parse(`${date}T00:00:00Z`) + 1.5 * day,
      ),
    );
  }
}

export async function openCountedHouse(database: DatabaseKind): Promise<CountedHouse> {
  const site = await openSite(database);
  const make = (path: string, body: object) => create(site.app, `/api/v2${path}`, body, site.user.headers);
  const beacons = [site.hall, await site.beacon({ minor: 2 })];
  site.app.app.ticker.stop();
  const venue = await make('/venues', { name: 'House' });
  const floor = await make('/floors', { venueId: pointer('Venue', venue), name: 'Ground', level: 0 });
  const corners = (x: number) => [0, 1, 1, 0].map((right, index) => ({ x: x + right, y: index < 2 ? 0 : 1 }));
  const zones: string[] = [];
  for (const [index, name] of ['Hall', 'Shop', 'Café'].entries()) {
    const zone = { floorId: pointer('Floor', floor), name, kind: 'room', polygon: corners(index * 2) };
    zones.push(await make('/zones', zone));
  }
  const house = new CountedHouse({ site, beacons, venue, floor, zones });
  await house.hang(site.hall, zones[0] ?? '');
  return house;
}
