/** What somebody counts who looks at every visit, without anything that the service counts with. Days are those of UTC. */
import type { Site, Spot } from './site.ts';

export interface Visit {
  readonly object_id: string;
  readonly installation_id: string;
  /** A number for each installation: sets of numbers take a fraction of what sets of texts take. */
  readonly visitor: number;
  readonly beacon_id: string;
  /** Epoch ms. */
  readonly entered_at: number;
  /** Seconds. */
  readonly dwell: number;
}

const [dayMs, hourMs] = [86_400_000, 3_600_000];
export const dayOf = (at: number): number => Math.floor(at / dayMs) * dayMs;
const leftAt = ({ entered_at, dwell }: Visit) => entered_at + dwell * 1000;

export interface Counted {
  visits: number;
  dwellMs: number;
  newcomers: number;
  readonly visitors: Set<number>;
}

/** Numbers by any key of a visit. */
export function countBy(
  visits: Iterable<Visit>,
  firsts: ReadonlySet<Visit>,
  keysOf: (visit: Visit) => readonly string[],
): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  for (const visit of visits)
    for (const key of keysOf(visit)) {
      const counted = counts.get(key) ?? { visits: 0, dwellMs: 0, newcomers: 0, visitors: new Set() };
      counts.set(key, counted);
      counted.visits++;
      counted.dwellMs += Math.round(visit.dwell * 1000);
      counted.newcomers += Number(firsts.has(visit));
      counted.visitors.add(visit.visitor);
    }
  return counts;
}

/** The first visit of each visitor. */
export function firstsOf(visits: Iterable<Visit>): ReadonlySet<Visit> {
  const firsts = new Map<number, Visit>();
  for (const visit of visits) {
    const known = firsts.get(visit.visitor);
    const isEarlier =
      !known ||
      visit.entered_at < known.entered_at ||
      (visit.entered_at === known.entered_at && visit.object_id < known.object_id);
    if (isEarlier) firsts.set(visit.visitor, visit);
  }
  return new Set(firsts.values());
}

export type Spots = ReadonlyMap<string, Spot>;
export const spotsOf = ({ venues }: Site): Spots => new Map(venues.flat().map((spot) => [spot.beaconId, spot]));

interface Way {
  tours: number;
  readonly visitors: Set<number>;
}

/** Ways from one zone to the next one, in, and out: a tour ends when somebody was nowhere for an hour, and with the day. */
export function movesOf(visits: readonly Visit[], spots: Spots): Map<string, Way> {
  const moves = new Map<string, Way>();
  const byTourist = Map.groupBy(
    visits,
    (visit) => `${visit.visitor} ${dayOf(visit.entered_at)} ${spots.get(visit.beacon_id)?.venueId}`,
  );
  for (const ofOne of byTourist.values()) {
    ofOne.sort((a, b) => a.entered_at - b.entered_at || (a.beacon_id < b.beacon_id ? -1 : 1));
    let [place, wasThereUntil] = ['', Number.NEGATIVE_INFINITY];
    const move = (to: string, visitor: number) => {
      if (place === to) return;
      const key = `${place}>${to}`;
      const way = moves.get(key) ?? { tours: 0, visitors: new Set<number>() };
      moves.set(key, way);
      way.tours++;
      way.visitors.add(visitor);
      place = to;
    };
    for (const visit of ofOne) {
      if (visit.entered_at - wasThereUntil > hourMs) move('', visit.visitor);
      move(spots.get(visit.beacon_id)?.zoneId ?? '', visit.visitor);
      wasThereUntil = Math.max(wasThereUntil, leftAt(visit));
    }
    move('', ofOne[0]?.visitor ?? 0);
  }
  return moves;
}

/** The most visitors at once in each zone or at each beacon on each day. */
export function peaksOf(visits: readonly Visit[], placeOf: (visit: Visit) => string): Map<string, number> {
  const peaks = new Map<string, number>();
  const byPlace = Map.groupBy(visits, (visit) => `${dayOf(visit.entered_at)} ${placeOf(visit)}`);
  for (const [key, there] of byPlace) {
    // Whoever leaves at a moment is not there any more when somebody comes then.
    const steps = there
      .flatMap((visit) => [
        { at: visit.entered_at, step: 1, visitor: visit.visitor },
        { at: Math.max(visit.entered_at + 1, leftAt(visit)), step: -1, visitor: visit.visitor },
      ])
      .sort((a, b) => a.at - b.at || a.step - b.step);
    const here = new Map<number, number>();
    let [count, most] = [0, 0];
    for (const { step, visitor } of steps) {
      const before = here.get(visitor) ?? 0;
      here.set(visitor, before + step);
      if (before === 0) count++;
      else if (before + step === 0) count--;
      most = Math.max(most, count);
    }
    peaks.set(key, most);
  }
  return peaks;
}

/** Those that began at `from` (ms) or later and before `until`, of visits in the order of their beginnings. */
export function between(visits: readonly Visit[], from: number, until: number): readonly Visit[] {
  const firstAt = (at: number) => {
    let [low, high] = [0, visits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((visits[middle]?.entered_at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return visits.slice(firstAt(from), firstAt(until));
}
