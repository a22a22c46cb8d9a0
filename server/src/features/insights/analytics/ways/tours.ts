import { WorkSlices } from '../../../../base/work-slices.ts';
import type { Context } from '../../../context.ts';
import { hourMs, hourStart } from '../numbers/calendar.ts';
import { Dwells } from '../numbers/dwells.ts';
import type { PlaceHistory } from '../numbers/places.ts';
import { VisitorSet } from '../numbers/visitor-set.ts';

/** Turns the visits of a day into ways: which zones visitors came to one after the other; see ADR 44. */

export type CountedVisit = Awaited<ReturnType<Context['visitChanges']['visitsBegun']>>[number];

/** `spot`: the peaks of beacons that are in zones; those of others are among `peak`. */
const wayKinds = ['move', 'reach', 'path', 'peak', 'spot'] as const;
export type WayKind = (typeof wayKinds)[number];
export const peakKinds = ['peak', 'spot'] as const;
export const isPeak = (kind: string): boolean => kind === 'peak' || kind === 'spot';

export interface WayKey {
  readonly kind: WayKind;
  /** The beginning of the hour of a peak, epoch ms; 0 for the day as a whole. */
  readonly hour: number;
  readonly venueId: string;
  readonly place: string;
}

export interface Way extends WayKey {
  tours: number;
  readonly times: Dwells;
  readonly visitors: VisitorSet;
}

export const wayText = ({ kind, hour, venueId, place }: WayKey): string => `${kind} ${hour} ${venueId} ${place}`;

export class Ways {
  readonly #ways = new Map<string, Way>();

  of(key: WayKey): Way {
    const text = wayText(key);
    let way = this.#ways.get(text);
    if (way === undefined) {
      way = { ...key, tours: 0, times: new Dwells(), visitors: new VisitorSet() };
      this.#ways.set(text, way);
    }
    return way;
  }

  count(key: WayKey, hash: number, seconds?: number): void {
    const way = this.of(key);
    way.tours++;
    way.visitors.add(hash);
    if (seconds !== undefined) way.times.add(seconds);
  }

  find(text: string): Way | undefined {
    return this.#ways.get(text);
  }

  all(): IterableIterator<Way> {
    return this.#ways.values();
  }
}

/** Whoever was nowhere for longer has left, and comes a second time. */
const maxGapMs = hourMs;
/** A path is cut after so many places. */
export const maxPath = 5;
const maxTour = 40;
export const cutMark = '…';

interface Stop {
  readonly place: string;
  readonly enteredAt: number;
  /** Null while the visitor is there. */
  leftAt: number | null;
}

interface Located extends CountedVisit {
  readonly venueId: string;
  readonly place: string;
}

export interface TourCounting {
  readonly zone: string;
  readonly places: PlaceHistory;
  readonly hashOf: (installationId: string) => number;
  /** Until when visits count for peaks, epoch ms: now, or the end of the day. */
  readonly until: number;
}

/** The ways of visits that began on one day; a busy day takes long, so that it is done in slices. */
export async function waysOf(visits: readonly CountedVisit[], by: TourCounting): Promise<Ways> {
  const ways = new Ways();
  const slices = new WorkSlices();
  const located: Located[] = [];
  for (const visit of visits) {
    located.push(locate(visit, by));
    if (slices.isOver) await slices.rest();
  }
  for (const [, ofOne] of Map.groupBy(located, ({ installation_id, venueId }) => `${installation_id} ${venueId}`)) {
    const [first] = ofOne;
    if (!first) continue;
    const hash = by.hashOf(first.installation_id);
    for (const tour of toursOf(ofOne)) countTour(ways, tour, { hash, venueId: first.venueId });
    if (slices.isOver) await slices.rest();
  }
  await countPeaks(ways, located, { ...by, kind: 'peak', slices });
  const inZones = located.filter(({ place }) => place.startsWith('z'));
  const spots = inZones.map((visit) => ({ ...visit, place: `b${visit.beacon_id}` }));
  await countPeaks(ways, spots, { ...by, kind: 'spot', slices });
  return ways;
}

/** A visit is at a zone; where its beacon is in none, at the beacon. */
function locate(visit: CountedVisit, { zone, places }: TourCounting): Located {
  const at = places.at(visit.beacon_id, hourStart(visit.entered_at, zone));
  const place = at?.zone_id ? `z${at.zone_id}` : `b${visit.beacon_id}`;
  return { ...visit, venueId: at?.venue_id ?? '', place };
}

const leftAtOf = ({ entered_at, dwell }: CountedVisit) =>
  dwell === null ? null : entered_at + Math.round(dwell * 1000);

/** The visits of one visitor as places in order, without immediate repetitions. */
function toursOf(visits: readonly Located[]): readonly (readonly Stop[])[] {
  const ordered = visits.toSorted((a, b) => a.entered_at - b.entered_at || (a.beacon_id < b.beacon_id ? -1 : 1));
  const tours: Stop[][] = [];
  let isInside = false;
  let lastSeen = Number.NEGATIVE_INFINITY;
  for (const visit of ordered) {
    const leftAt = leftAtOf(visit);
    const hasLeft = !isInside && visit.entered_at - lastSeen > maxGapMs;
    if (tours.length === 0 || hasLeft) tours.push([]);
    const tour = tours.at(-1) as Stop[];
    const here = tour.at(-1);
    if (here?.place === visit.place)
      here.leftAt = here.leftAt === null || leftAt === null ? null : Math.max(here.leftAt, leftAt);
    else tour.push({ place: visit.place, enteredAt: visit.entered_at, leftAt });
    if (leftAt === null) isInside = true;
    else lastSeen = Math.max(lastSeen, leftAt);
  }
  return tours;
}

function countTour(
  ways: Ways,
  tour: readonly Stop[],
  { hash, venueId }: { readonly hash: number; readonly venueId: string },
): void {
  const keyOf = (kind: WayKind, place: string): WayKey => ({ kind, hour: 0, venueId, place });
  const [first, last] = [tour[0], tour.at(-1)];
  if (!first || !last) return;
  ways.count(keyOf('move', `>${first.place}`), hash);
  for (const [index, stop] of tour.entries()) {
    const next = tour[index + 1];
    if (!next) break;
    // Somebody who is at two places at once took no time between them.
    const seconds = Math.max(0, next.enteredAt - (stop.leftAt ?? next.enteredAt)) / 1000;
    ways.count(keyOf('move', `${stop.place}>${next.place}`), hash, seconds);
  }
  countReaches(ways, tour, { hash, venueId });
  if (tour.some(({ leftAt }) => leftAt === null)) return;
  ways.count(keyOf('move', `${last.place}>`), hash);
  const path = tour.slice(0, maxPath).map(({ place }) => place);
  ways.count(keyOf('path', [...path, ...(tour.length > maxPath ? [cutMark] : [])].join('>')), hash);
}

/** From coming to one place for the first time to coming to another one later, wherever the visitor was between. */
function countReaches(
  ways: Ways,
  tour: readonly Stop[],
  { hash, venueId }: { readonly hash: number; readonly venueId: string },
): void {
  const firsts = new Map<string, number>();
  for (const { place, enteredAt } of tour.slice(0, maxTour)) {
    if (firsts.has(place)) continue;
    for (const [from, at] of firsts)
      ways.count({ kind: 'reach', hour: 0, venueId, place: `${from}>${place}` }, hash, (enteredAt - at) / 1000);
    firsts.set(place, enteredAt);
  }
}

interface Span {
  readonly from: number;
  until: number;
}

/** How many were at a place at once, at most, in each hour. */
async function countPeaks(
  ways: Ways,
  visits: readonly Located[],
  { zone, until: end, kind, slices }: TourCounting & { readonly kind: WayKind; readonly slices: WorkSlices },
): Promise<void> {
  for (const [, there] of Map.groupBy(visits, ({ venueId, place }) => `${venueId} ${place}`)) {
    const [{ venueId, place } = { venueId: '', place: '' }] = there;
    const steps: [at: number, change: number][] = [];
    for (const ofOne of Map.groupBy(there, ({ installation_id }) => installation_id).values()) {
      for (const { from, until } of joined(ofOne, end)) steps.push([from, 1], [until, -1]);
      if (slices.isOver) await slices.rest();
    }
    // Who leaves at the moment at which somebody comes was not there with her.
    steps.sort(([a, one], [b, other]) => a - b || one - other);
    let [here, hour] = [0, 0];
    const note = (at: number) => {
      const way = ways.of({ kind, hour: at, venueId, place });
      way.tours = Math.max(way.tours, here);
    };
    for (const [at, change] of steps) {
      const next = hourStart(at, zone);
      // Those who stay are there in the hours between too.
      if (here > 0) for (let passed = hour + hourMs; passed <= next && passed < at; passed += hourMs) note(passed);
      hour = next;
      here += change;
      if (change > 0) note(hour);
      if (slices.isOver) await slices.rest();
    }
  }
}

/** When one visitor was there; visits to several beacons of a zone are one. */
function joined(visits: readonly Located[], end: number): Span[] {
  const spans: Span[] = [];
  for (const visit of visits.toSorted((a, b) => a.entered_at - b.entered_at)) {
    const until = Math.max(visit.entered_at + 1, Math.min(leftAtOf(visit) ?? end, end));
    const last = spans.at(-1);
    if (last && visit.entered_at <= last.until) last.until = Math.max(last.until, until);
    else spans.push({ from: visit.entered_at, until });
  }
  return spans;
}
