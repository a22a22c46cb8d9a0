import { DEFAULT_RADIUS } from '../presence/presence.ts';
import type { BeaconLocation } from '../presence/types.ts';
import { distanceAt } from './geometry.ts';
import type { PastPosition } from './looking-back.ts';
import { FORGET_MS } from './stepping.ts';

/**
 * When visits began and ended, by what was heard later as well. Which visits there were stays: decided anew by smoothed positions, a tenth
 * of them would be missing (ADR 186). Between two visits the end and the beginning are chosen with which most seconds are expected to be right.
 */

/** A visit at one beacon; times in ms. */
export interface TimedVisit {
  readonly id: string;
  readonly beaconId: string;
  readonly enteredAt: number;
  readonly leftAt: number;
}

/** Where a beacon hangs, and its radius in metres. */
export interface PlacedBeacon {
  readonly location: BeaconLocation;
  readonly radius?: number | undefined;
}

export interface Retiming {
  /** As `lookBack` finds them. */
  readonly positions: readonly PastPosition[];
  /** In order of time, each after the one before; one that goes on is left at the end of all times. */
  readonly visits: readonly TimedVisit[];
  readonly beacons: ReadonlyMap<string, PlacedBeacon>;
}

/** The position at a time is known if a step is as close to it as this, ms. */
const KNOWN_MS = 5_000;

/** The visits with their most probable times, within 30 s of the given ones. Each keeps its middle; what was without a position stays. */
export function retimeVisits({ positions, visits, beacons }: Retiming): TimedVisit[] {
  const retimed: { -readonly [member in keyof TimedVisit]: TimedVisit[member] }[] = visits.map((one) => ({ ...one }));
  const isKnown = (beaconId: string, at: number) =>
    beacons.has(beaconId) && positions.some((place) => Math.abs(place.at - at) <= KNOWN_MS);
  for (let index = 0; index <= visits.length; index++) {
    const [before, after] = [visits[index - 1], visits[index]];
    const left = before !== undefined && isKnown(before.beaconId, before.leftAt) ? before : undefined;
    const come = after !== undefined && isKnown(after.beaconId, after.enteredAt) ? after : undefined;
    const begin = left === undefined ? (before?.leftAt ?? 0) : Math.max(middleOf(left), left.leftAt - FORGET_MS);
    const end =
      come === undefined
        ? (after?.enteredAt ?? Number.MAX_SAFE_INTEGER)
        : Math.min(middleOf(come), come.enteredAt + FORGET_MS);
    const near = positions.filter(({ at }) => at > begin && at < end);
    const found = boundaryOf({ near, left, come, beacons });
    if (found === undefined) continue;
    if (left !== undefined) Object.assign(retimed[index - 1] as TimedVisit, { leftAt: found.leftAt });
    if (come !== undefined) Object.assign(retimed[index] as TimedVisit, { enteredAt: found.enteredAt });
  }
  return retimed;
}

const middleOf = ({ enteredAt, leftAt }: TimedVisit): number => (enteredAt + leftAt) / 2;

interface Boundary extends Pick<Retiming, 'beacons'> {
  readonly near: readonly PastPosition[];
  /** The visit that ends, and the one that begins. */
  readonly left: TimedVisit | undefined;
  readonly come: TimedVisit | undefined;
}

/** When the visitor left one beacon, and came to another one. */
function boundaryOf({ near, left, come, beacons }: Boundary) {
  const [latest, earliest] = [(left?.leftAt ?? 0) + FORGET_MS, (come?.enteredAt ?? 0) - FORGET_MS];
  const steps = near.filter(({ at }) => (left !== undefined && at <= latest) || (come !== undefined && at >= earliest));
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const times = steps.map(({ at }) => at);
  times[0] = Math.min(first.at, come?.enteredAt ?? first.at);
  times.push(Math.max(last.at, left?.leftAt ?? last.at));
  // How many more seconds are right if the visitor stays until now, and if nobody comes before.
  let [stayed, waited] = [0, 0];
  let leaving = { worth: left === undefined ? 0 : Number.NEGATIVE_INFINITY, leftAt: first.at };
  let best = { worth: Number.NEGATIVE_INFINITY, leftAt: first.at, enteredAt: first.at };
  times.forEach((at, index) => {
    if (left !== undefined && at <= latest && stayed > leaving.worth) leaving = { worth: stayed, leftAt: at };
    const mayCome = come === undefined ? index === steps.length : at >= earliest;
    const worth = leaving.worth + waited;
    if (mayCome && worth > best.worth) best = { worth, leftAt: leaving.leftAt, enteredAt: at };
    const place = steps[index];
    const shares = place && sharesOf(place, beacons);
    const share = (key: string | null | undefined) => (key === undefined ? 0 : (shares?.get(key) ?? 0));
    stayed += share(left?.beaconId) - share(null);
    if (come !== undefined) waited += share(null) - share(come.beaconId);
  });
  return best.worth === Number.NEGATIVE_INFINITY ? undefined : best;
}

/** The middles of seven equally likely parts of a normal distribution. */
const QUANTILES = [-1.465, -0.792, -0.366, 0, 0.366, 0.792, 1.465];

/** How likely it is that each beacon holds the visitor and is the nearest; null: that none does. */
function sharesOf(place: PastPosition, beacons: ReadonlyMap<string, PlacedBeacon>): Map<string | null, number> {
  // The others are too far from all of these places.
  const reach = 1.5 * Math.sqrt(place.xx + place.yy);
  const here = [...beacons].filter(
    ([, { location, radius = DEFAULT_RADIUS }]) =>
      (location.floor ?? 0) === place.floor && distanceAt(location, place, 0) < radius + reach,
  );
  const [wide, lean] = [Math.sqrt(place.xx), place.xy / Math.sqrt(place.xx)];
  const narrow = Math.sqrt(Math.max(0, place.yy - lean * lean));
  const shares = new Map<string | null, number>();
  for (const a of QUANTILES) {
    for (const b of QUANTILES) {
      const at = { x: place.x + wide * a, y: place.y + lean * a + narrow * b };
      let [nearest, least]: [string | null, number] = [null, Number.POSITIVE_INFINITY];
      for (const [beaconId, { location, radius = DEFAULT_RADIUS }] of here) {
        const distance = distanceAt(location, at, 0);
        if (distance < radius && distance < least) [nearest, least] = [beaconId, distance];
      }
      shares.set(nearest, (shares.get(nearest) ?? 0) + 1 / QUANTILES.length ** 2);
    }
  }
  return shares;
}
