import { calibrateWithout } from './calibration.ts';
import type { Engine } from './engines.ts';
import type { Point, Recordings, Sample, Walk } from './recordings.ts';
import { trueVisits } from './truth.ts';

export interface Score {
  readonly engine: string;
  readonly visits: number;
  readonly hits: number;
  readonly duplicates: number;
  readonly falsePerHour: number;
  readonly stillHours: number;
  readonly stillChangesPerHour: number;
  readonly stillExits: number;
  readonly zoneChangesPerMinute: number;
  /** The worst single phone. */
  readonly maxZoneChangesPerMinute: number;
}

/**
 * An ENTER this long after the visitor has left the radius still belongs to the visit: smoothing and hold take time.
 */
const LAG_MS = 5_000;
const DEFAULT_POWER = -59;

export function score(engine: Engine, recordings: Recordings): Score {
  return {
    engine: engine.name,
    ...scoreWalks(engine, recordings),
    ...scoreStills(engine, recordings),
    ...scorePhones(engine, recordings),
  };
}

export function scoreWalks(
  engine: Engine,
  recordings: Recordings,
): Pick<Score, 'visits' | 'hits' | 'duplicates' | 'falsePerHour'> {
  const walks = { visits: 0, hits: 0, duplicates: 0, wrong: 0, hours: 0 };
  for (const walk of recordings.walks) {
    const powers = calibrateWithout(recordings, walk);
    for (const [beacon, place] of recordings.beacons) {
      addWalk(walks, walk, { beacon, place, feed: engine.start(powers.get(beacon) ?? DEFAULT_POWER) });
    }
  }
  const { visits, hits, duplicates, wrong, hours } = walks;
  return { visits, hits, duplicates, falsePerHour: wrong / hours };
}

interface Watch {
  readonly beacon: string;
  readonly place: Point;
  readonly feed: ReturnType<Engine['start']>;
}

interface WalkTotals {
  visits: number;
  hits: number;
  duplicates: number;
  wrong: number;
  hours: number;
}

/**
 * Compares the engine's visits with the true ones. A true visit is hit by an engine's visit that overlaps it (or begins
 * at most 5 s after it); each further one is a duplicate; one that overlaps no true visit is a false enter. Hours are
 * stream-hours: one beacon watched for one hour.
 */
function addWalk(totals: WalkTotals, walk: Walk, watch: Watch): void {
  const end = walk.samples.at(-1)?.at ?? 0;
  const found = visitsOf(walk.samples, watch, end);
  const truth = trueVisits(walk, watch.place).map((visit) => ({ ...visit, count: 0 }));
  for (const visit of found) {
    const met = truth.filter((real) => visit.start <= real.end + LAG_MS && visit.end >= real.start);
    if (met.length === 0) totals.wrong++;
    for (const real of met) real.count++;
  }
  totals.visits += truth.length;
  totals.hits += truth.filter(({ count }) => count > 0).length;
  totals.duplicates += truth.reduce((sum, { count }) => sum + Math.max(0, count - 1), 0);
  totals.hours += hours(walk.samples);
}

function visitsOf(samples: readonly Sample[], watch: Watch, end: number): { start: number; end: number }[] {
  const visits: { start: number; end: number }[] = [];
  for (const { at, beacon, rssi } of samples) {
    if (beacon !== watch.beacon) continue;
    for (const event of watch.feed(at, rssi)) {
      const last = visits.at(-1);
      if (event === 'ENTER') visits.push({ start: at, end });
      if (event === 'EXIT' && last !== undefined) last.end = at;
    }
  }
  return visits;
}

function hours(samples: readonly Sample[]): number {
  return ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 3_600_000;
}

/** Nothing moves, so every ENTER and EXIT after the first is noise; all are counted, as the design's table does. */
function scoreStills(
  engine: Engine,
  recordings: Recordings,
): Pick<Score, 'stillHours' | 'stillChangesPerHour' | 'stillExits'> {
  const powers = calibrateWithout(recordings, null);
  let stillHours = 0;
  let changes = 0;
  let stillExits = 0;
  for (const { beacon, samples } of recordings.stills) {
    const events = eventsOf(engine, samples, powers.get(beacon) ?? DEFAULT_POWER);
    changes += events.filter((event) => event === 'ENTER' || event === 'EXIT').length;
    stillExits += events.filter((event) => event === 'EXIT').length;
    stillHours += hours(samples);
  }
  return { stillHours, stillChangesPerHour: changes / stillHours, stillExits };
}

function eventsOf(engine: Engine, samples: readonly Sample[], power: number): string[] {
  const feed = engine.start(power);
  return samples.flatMap(({ at, rssi }) => feed(at, rssi));
}

/**
 * Phones on bodies at a constant 1.83 m, uncalibrated: zone changes a minute after the first zone, together and for the
 * worst phone.
 */
function scorePhones(
  engine: Engine,
  { phones }: Recordings,
): Pick<Score, 'zoneChangesPerMinute' | 'maxZoneChangesPerMinute'> {
  let changes = 0;
  let minutes = 0;
  let worst = 0;
  for (const { samples } of phones) {
    const zones = eventsOf(engine, samples, DEFAULT_POWER).filter((event) => event !== 'ENTER' && event !== 'EXIT');
    const later = Math.max(0, zones.length - 1);
    const length = hours(samples) * 60;
    changes += later;
    minutes += length;
    // The recordings are some 16 s long; one change in them is one in the minute that holds them.
    worst = Math.max(worst, later / Math.max(1, length));
  }
  return { zoneChangesPerMinute: changes / minutes, maxZoneChangesPerMinute: worst };
}
