import { type BeaconDay, commonOf, countOf, dayMs, dayOf, hourMs, type Near } from '../days/day.ts';
import { apart, daysBetween, type Finding, type Fleet, type FleetBeacon, loudness, sumOfNear } from './fleet.ts';

/** Where beacons are heard, compared with where they were heard before and with where they should be. */

type Shares = ReadonlyMap<string, number>;
type Days = readonly (readonly [number, BeaconDay])[];

const usualDays = 21;
/** Minutes near others from which a day says where a beacon is. */
const minMinutes = 20;
/** And from which it says it surely. */
const sureMinutes = 60;
const minUsualDays = 3;

/** Two places are far apart if a beacon cannot be heard well at both, m. */
const farMetres = 40;
/** And so loud that it is not heard through the building, dBm. */
const wellHeard = -88;
/** Minutes in which it is heard at both places, from which it is no carrying from one to the other; and at each of them. */
const minCommon = 3;
const minMinutesAt = 2;

export function findMisplaced(fleet: Fleet): readonly Finding[] {
  const present = new Map<number, Present>();
  const presentOn = (day: number) => {
    const known = present.get(day) ?? presentPlaces(fleet, day);
    present.set(day, known);
    return known;
  };
  const found = fleet.beacons.flatMap((beacon) => {
    const usual = daysBetween(fleet, beacon.beaconId, fleet.now - (usualDays + 3) * dayMs, fleet.now - 2 * dayMs);
    const recent = daysBetween(fleet, beacon.beaconId, fleet.now - 4 * dayMs, fleet.now);
    // Two at once are at two places; only one that is at one place can have moved there.
    return (
      cloneOf(fleet, beacon, usual) ??
      moveOf(fleet, beacon, { usual, recent, presentOn }) ??
      bleedingOf(fleet, beacon, [...usual, ...recent]) ??
      []
    );
  });
  return withoutNeighbours(found);
}

/** A beacon that is at another place seems to be near others there, and these near it: it is only the one for which there is more. */
function withoutNeighbours(found: readonly Finding[]): readonly Finding[] {
  const cloned = new Set(found.filter(({ kind }) => kind === 'cloned').map(({ beaconId }) => beaconId));
  const moved = new Set(found.filter(({ kind }) => kind !== 'bleeding').map(({ beaconId }) => beaconId));
  return found.filter(({ kind, facts: { home = '', away = '' } }) => {
    const places = [String(home), String(away)];
    if (kind === 'cloned') return !places.some((place) => cloned.has(place));
    return !places.some((place) => (kind === 'moved' ? cloned : moved).has(place));
  });
}

interface Present {
  readonly beacons: ReadonlySet<string>;
  /** Those that were on for most of the day so far. */
  readonly gateways: ReadonlySet<string>;
  /** With those that are off now: what they heard before is nothing that phones have heard. */
  readonly allGateways: ReadonlySet<string>;
}

/** Places at which anything was heard on a day, and in the weeks before: what is new or gone says nothing about a beacon that stayed. */
function presentPlaces(fleet: Fleet, day: number): Present {
  const { now } = fleet;
  const before = (id: string) => daysBetween(fleet, id, now - (usualDays + 3) * dayMs, now - 3 * dayMs);
  const onHours = ({ hours }: BeaconDay) => Object.values(hours).filter(({ on }) => on !== undefined).length;
  const [beacons, gateways, allGateways] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const hoursSoFar = Math.min(24, Math.max(1, (now - day) / hourMs));
  for (const { beaconId } of fleet.beacons) {
    const today = fleet.days.get(beaconId)?.get(day);
    const usual = before(beaconId);
    if ([...usual.map(([, one]) => one), ...(today ? [today] : [])].some((one) => onHours(one) > 0))
      allGateways.add(beaconId);
    if (!today || usual.length === 0 || Object.keys(today.hours).length === 0) continue;
    beacons.add(beaconId);
    if (onHours(today) > 0 && onHours(today) >= 0.7 * Math.floor(hoursSoFar)) gateways.add(beaconId);
  }
  return { beacons, gateways, allGateways };
}

function cloneOf(fleet: Fleet, { beaconId }: FleetBeacon, usual: Days): Finding | undefined {
  const today = fleet.days.get(beaconId)?.get(dayOf(fleet.now));
  if (!today || usual.length < minUsualDays) return undefined;
  const before = sumOfNear(usual);
  const total = [...before.values()].reduce((sum, { minutes }) => sum + minutes, 0);
  const isUsual = (place: string) => (before.get(place)?.minutes ?? 0) > total * 0.02;
  const heard = Object.entries(today.near).filter(([, near]) => loudness(near) > wellHeard);
  const strange = heard.filter(([place]) => !isUsual(place));
  for (const [home, here] of heard.filter(([place]) => isUsual(place))) {
    const far = strange.filter(([place, near]) => isFar(fleet, home, place) && near.hour === here.hour);
    const [away, there] = far.find(([place, near]) => areTogether(here, near) && !isNear(fleet, place, home)) ?? [];
    if (away === undefined || there === undefined) continue;
    // Phones hear one beacon that is at the wrong place near all others there; a gateway stays where it is.
    const besides = heard.filter(
      ([place, near]) => isUsual(place) && near.hour === here.hour && isFar(fleet, place, away),
    );
    if (!isGateway(fleet, away) && (far.length < 2 || besides.length < 2)) continue;
    return { kind: 'cloned', beaconId, since: dayOf(fleet.now) + here.hour * hourMs, facts: { home, away } };
  }
  return undefined;
}

const isFar = ({ places }: Fleet, a: string, b: string): boolean =>
  (apart(places.get(a), places.get(b)) ?? 0) >= farMetres;

const isGateway = ({ days, now }: Fleet, place: string): boolean =>
  Object.values(days.get(place)?.get(dayOf(now))?.hours ?? {}).some(({ on }) => on !== undefined);

/** In the same minutes, or at one place before and after the other: nobody carries it to and fro. */
function areTogether(a: Near, b: Near): boolean {
  if (countOf(a.last) < minMinutesAt || countOf(b.last) < minMinutesAt) return false;
  if (countOf(commonOf(a.last, b.last)) >= minCommon) return true;
  const [[firstA, lastA], [firstB, lastB]] = [spanOf(a), spanOf(b)];
  return firstA < lastB && firstB < lastA;
}

/** The first and the last minute. */
function spanOf({ last }: Near): readonly [number, number] {
  const digits = BigInt(`0x${last}`).toString(2);
  return [digits.length - 1 - digits.lastIndexOf('1'), digits.length - 1];
}

/** Whether the place is heard near the other one today: then it is the place that has moved. */
function isNear({ days, now }: Fleet, place: string, other: string): boolean {
  return (days.get(place)?.get(dayOf(now))?.near[other]?.minutes ?? 0) > 0;
}

interface Where {
  readonly usual: Days;
  readonly recent: Days;
  /** The places that are there on a day. */
  readonly presentOn: (day: number) => Present;
}

/** Below it, the shares of two days have too little in common for one place. */
const alike = 0.35;
/** Of its minutes, those near places that are there on both days. */
const minPart = 0.4;

function moveOf({ places }: Fleet, beacon: FleetBeacon, { usual, recent, presentOn }: Where): Finding | undefined {
  const last = recent.at(-1);
  if (!last) return undefined;
  const present = presentOn(last[0]);
  // Gateways in a row do not tell left from right, but phones do.
  const compared = [gatewayWeights(present.gateways), phoneWeights(present)]
    .flatMap((weigh) => comparedWith(usual, last, weigh) ?? [])
    .find((one) => one.likeness < Math.min(alike, one.usually * (minutesIn(last[1]) < sureMinutes ? 0.4 : 0.6)));
  if (!compared) return undefined;
  const { before, latest } = compared;
  const [away = ''] = [...latest].sort(([, a], [, b]) => b - a)[0] ?? [];
  const [home = ''] = [...before].sort(([, a], [, b]) => b - a)[0] ?? [];
  // Somebody has moved it on the plan as well.
  const [toHome, toAway] = [home, away].map((place) => apart(beacon, places.get(place)));
  if (toHome !== undefined && toAway !== undefined && toAway < toHome) return undefined;
  return { kind: 'moved', beaconId: beacon.beaconId, since: last[0], facts: { home, away } };
}

const minutesIn = ({ near }: BeaconDay): number => Object.values(near).reduce((sum, { minutes }) => sum + minutes, 0);

type Weigh = (sums: ReadonlyMap<string, { readonly minutes: number; readonly rssi: number }>) => Shares | undefined;

/** By gateways: those that hear it, by how loud it is there; 12 dB are ten times as much. Undefined: no gateway there says enough. */
const gatewayWeights =
  (gateways: ReadonlySet<string>): Weigh =>
  (sums) => {
    const counted = [...sums].filter(([place, { minutes }]) => gateways.has(place) && minutes >= minMinutes);
    return sharesOf(counted.map(([place, one]) => [place, 10 ** (loudness(one) / 12)]));
  };

/** By phones: in how many minutes they heard it near others. Undefined: they are too few, or most of the others are not there. */
const phoneWeights =
  ({ beacons, allGateways }: Present): Weigh =>
  (sums) => {
    const all = [...sums].filter(([place]) => !allGateways.has(place));
    const counted = all.filter(([place]) => beacons.has(place));
    const minutesOf = (of: typeof all) => of.reduce((sum, [, { minutes }]) => sum + minutes, 0);
    if (minutesOf(counted) < Math.max(minMinutes, minPart * minutesOf(all))) return undefined;
    return sharesOf(counted.map(([place, { minutes }]) => [place, minutes]));
  };

function sharesOf(weights: readonly (readonly [place: string, weight: number])[]): Shares | undefined {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  return total > 0 ? new Map(weights.map(([place, weight]) => [place, weight / total])) : undefined;
}

/** How much the latest day has in common with the days before, and how much these usually have. */
function comparedWith(usual: Days, last: Days[number], weigh: Weigh) {
  const before = weigh(sumOfNear(usual));
  const latest = weigh(sumOfNear([last]));
  const days = usual.flatMap((one) => weigh(sumOfNear([one])) ?? []);
  if (!before || !latest || days.length < minUsualDays) return undefined;
  const usually = days.map((one) => likeness(one, before)).sort((a, b) => a - b)[Math.floor(days.length * 0.1)] ?? 0;
  return { before, latest, likeness: likeness(latest, before), usually };
}

/** How much two distributions have in common, 0 to 1. */
function likeness(a: Shares, b: Shares): number {
  let common = 0;
  for (const [place, share] of a) common += Math.min(share, b.get(place) ?? 0);
  return common;
}

/** Days on which it is heard where it should not be, and the share of its minutes there. */
const bleedingDays = 5;
/** At so many places, or it is the one place that is heard where it should not be. */
const bleedingPlaces = 3;
const bleedingShare = 0.25;
const bleedingMetres = 20;

function bleedingOf({ places }: Fleet, beacon: FleetBeacon, days: Days): Finding | undefined {
  const floor = beacon.location?.floor;
  if (floor === undefined) return undefined;
  const isElsewhere = (place: string) => {
    const other = places.get(place);
    const metres = apart(beacon, other);
    return (
      metres !== undefined &&
      metres > bleedingMetres &&
      (other?.venueId !== beacon.venueId || other?.location?.floor !== floor)
    );
  };
  const shares = days.flatMap(([day, one]) => {
    const all = minutesIn(one);
    if (all < minMinutes) return [];
    const away = Object.entries(one.near).filter(([place, near]) => isElsewhere(place) && loudness(near) > wellHeard);
    const strange = away.reduce((sum, [, { minutes }]) => sum + minutes, 0);
    const places = away.filter(([, { minutes }]) => minutes >= 0.1 * strange).length;
    return [{ day, share: places < bleedingPlaces ? 0 : strange / all, away }];
  });
  const often = shares.filter(({ share }) => share >= bleedingShare);
  if (often.length < bleedingDays || often.length < shares.length * 0.7) return undefined;
  const [most] = often.flatMap(({ away }) => away).sort(([, a], [, b]) => b.minutes - a.minutes);
  return { kind: 'bleeding', beaconId: beacon.beaconId, since: often[0]?.day ?? 0, facts: { away: most?.[0] ?? '' } };
}
