/**
 * What the service would have counted of the tours, by its own tallies and ways, but from memory: `pharos analytics rebuild` reads every
 * day from the database, which takes half an hour.
 */
import {
  addDays,
  addMonths,
  dateOf,
  dayStart,
  hourStart,
  monthOf,
} from '../../server/src/features/insights/analytics/numbers/calendar.ts';
import { PlaceHistory } from '../../server/src/features/insights/analytics/numbers/places.ts';
import {
  beaconPlaces,
  firstVisits,
  rollupStates,
  visitRollups,
  wayRollups,
  waysDue,
} from '../../server/src/features/insights/analytics/numbers/tables.ts';
import { Tally } from '../../server/src/features/insights/analytics/numbers/tally.ts';
import { visitorHash } from '../../server/src/features/insights/analytics/numbers/visitor-set.ts';
import { addRow, rowsOf } from '../../server/src/features/insights/analytics/ways/rows.ts';
import type { NewWayRow } from '../../server/src/features/insights/analytics/ways/store.ts';
import { isPeak, Ways, type WayVisit, waysOf } from '../../server/src/features/insights/analytics/ways/tours.ts';
import { type Filling, type Tour, toursOf, visitorName, zone } from './fill.ts';
import type { Sink } from './sink.ts';
import type { Spot } from './site.ts';

const salt = 'of-the-benchmark';

/** A tally for each span, moment and id. */
class Spans {
  readonly #tallies = new Map<
    string,
    { readonly span: string; readonly at: number; readonly id: string; readonly tally: Tally }
  >();

  of(span: string, at: number, id: string): Tally {
    const key = `${span} ${at} ${id}`;
    const known = this.#tallies.get(key) ?? { span, at, id, tally: new Tally() };
    this.#tallies.set(key, known);
    return known.tally;
  }

  rows(appId: string) {
    return [...this.#tallies.values()].map(({ span, at, id, tally }) => ({
      app_id: appId,
      span,
      started_at: at,
      beacon_id: id,
      ...tally.cells(),
    }));
  }
}

export class Counter {
  readonly #filling: Filling;
  readonly #places: PlaceHistory;
  readonly #spotOf: ReadonlyMap<string, Spot>;
  readonly #known = new Set<number>();
  #month = '';
  #months = new Spans();
  #monthWays = new Ways();

  constructor(filling: Filling) {
    this.#filling = filling;
    const spots = filling.site.venues.flat();
    this.#spotOf = new Map(spots.map((spot) => [spot.beaconId, spot]));
    this.#places = new PlaceHistory(placeRows(filling));
  }

  /** @param tours all of one day; days in their order */
  async day(sink: Sink, tours: readonly Tour[]): Promise<void> {
    const { appId } = this.#filling;
    const date = tours[0]?.date ?? '';
    if (monthOf(date) !== this.#month) await this.endMonth(sink);
    this.#month = monthOf(date);
    const [from, until] = [dayStart(date, zone), dayStart(addDays(date, 1), zone)];
    const visits = visitsOf(tours).sort((a, b) => a.entered_at - b.entered_at);
    await sink.write(firstVisits, this.#firsts(visits));
    const spans = new Spans();
    const month = dayStart(this.#month, zone);
    for (const visit of visits) {
      const hash = this.#hashOf(visit.installation_id);
      const newcomers = Number(this.#isFirst(visit));
      for (const tally of this.#talliesOf(spans, visit, from, month)) {
        tally.count(hash, visit.dwell);
        tally.newcomers += newcomers;
      }
    }
    await sink.write(visitRollups, spans.rows(appId));
    const day = { app_id: appId, span: 'day', started_at: from } as const;
    const ways = await waysOf(visits, { zone, places: this.#places, hashOf: (id) => this.#hashOf(id), until });
    const wayRows = rowsOf(ways, day);
    await sink.write(wayRollups, wayRows);
    for (const row of wayRows) if (!isPeak(row.kind)) addRow(this.#monthWays, row);
  }

  async endMonth(sink: Sink): Promise<void> {
    if (this.#month === '') return;
    const { appId } = this.#filling;
    const month = { app_id: appId, span: 'month', started_at: dayStart(this.#month, zone) } as const;
    await sink.write(visitRollups, this.#months.rows(appId));
    await sink.write(wayRollups, rowsOf(this.#monthWays, month) as NewWayRow[]);
    this.#months = new Spans();
    this.#monthWays = new Ways();
  }

  /** The present month, the years, and of each month the peaks of its days are left to the service. */
  async end(sink: Sink): Promise<void> {
    const { appId, now } = this.#filling;
    const today = dateOf(now, zone);
    if (this.#month !== monthOf(today)) await this.endMonth(sink);
    const years = [addMonths(today, -12), today].map((date) => ({ span: 'year', date: `${date.slice(0, 4)}-01-01` }));
    const first = `${Number(today.slice(0, 4)) - 1}-01-01`;
    const months = Array.from({ length: 24 }, (_, n) => addMonths(first, n)).filter((date) => date <= today);
    const left = [...months.map((date) => ({ span: 'month', date })), ...years];
    await sink.write(
      waysDue,
      left.map(({ span, date }) => ({ app_id: appId, span, started_at: dayStart(date, zone), changed: 1, due_at: 0 })),
    );
    await sink.write(beaconPlaces, placeRows(this.#filling));
    await sink.write(rollupStates, [
      { app_id: appId, salt, time_zone: zone, raw_since: 0, counted_until: null, placed_until: null },
    ]);
  }

  *#talliesOf(spans: Spans, { beacon_id: id, entered_at }: WayVisit, day: number, month: number): Generator<Tally> {
    const hour = hourStart(entered_at, zone);
    yield spans.of('hour', hour, id);
    yield spans.of('day', day, id);
    yield this.#months.of('month', month, id);
    const spot = this.#spotOf.get(id);
    for (const dimension of ['all', 'zone', 'floor', 'venue'] as const) {
      const place = dimension === 'all' ? '' : (spot?.[`${dimension}Id`] ?? '');
      yield spans.of(`${dimension}Hour`, hour, place);
      yield spans.of(`${dimension}Day`, day, place);
      yield this.#months.of(`${dimension}Month`, month, place);
    }
  }

  readonly #hashes = new Map<string, number>();

  #hashOf(id: string): number {
    const hash = this.#hashes.get(id) ?? visitorHash(salt, id);
    this.#hashes.set(id, hash);
    return hash;
  }

  #seen = new Set<string>();

  #firsts(visits: readonly WayVisit[]) {
    this.#seen = new Set();
    return visits.flatMap(({ installation_id, beacon_id, entered_at }) => {
      const visitor = Number(installation_id.slice(-13));
      if (this.#known.has(visitor)) return [];
      this.#known.add(visitor);
      this.#seen.add(`${installation_id} ${entered_at}`);
      return [{ app_id: this.#filling.appId, installation_id, beacon_id, entered_at }];
    });
  }

  #isFirst({ installation_id, entered_at }: WayVisit): boolean {
    return this.#seen.delete(`${installation_id} ${entered_at}`);
  }
}

const placeRows = ({ appId, site, now }: Filling) =>
  site.venues.flat().map(({ beaconId, venueId, floorId, zoneId }) => ({
    app_id: appId,
    beacon_id: beaconId,
    since: hourStart(now, zone),
    venue_id: venueId,
    floor_id: floorId,
    zone_id: zoneId,
  }));

const visitsOf = (tours: readonly Tour[]): WayVisit[] =>
  tours.flatMap(({ visitor, spots, stays }) =>
    stays.map(({ at, dwell }, step) => ({
      installation_id: visitorName(visitor),
      beacon_id: spots[step]?.beaconId ?? '',
      entered_at: at,
      dwell: dwell / 1000,
    })),
  );

export async function fillCounted(sink: Sink, filling: Filling): Promise<void> {
  const counter = new Counter(filling);
  let tours: Tour[] = [];
  for (const tour of toursOf(filling)) {
    if (tours[0] && tours[0].date !== tour.date) {
      await counter.day(sink, tours);
      tours = [];
    }
    tours.push(tour);
  }
  await counter.day(sink, tours);
  await counter.end(sink);
}
