import { commonOf, countOf, dayMs, dayOf, hourMs, type Minutes, type Near, unionOf } from '../days/day.ts';
import { apart, daysBetween, type Finding, type Fleet, type FleetBeacon, loudness } from './fleet.ts';
import { freshDays, type Home, isOften, minUsualDays, Places, type Usual, usualDays } from './usual-places.ts';

/**
 * Where beacons are heard, compared with where they were heard in the weeks before. How often a beacon is heard at a place is counted by the
 * minutes in which others were heard there: that visitors are elsewhere today, that a wing is closed or a gateway off says nothing of where
 * the beacon is.
 */

export function findMisplaced(fleet: Fleet): readonly Finding[] {
  const places = new Places(fleet);
  const known = fleet.beacons.filter(({ beaconId }) => places.homeOf(beaconId));
  const cloned = accepted(known, (beacon, others) => cloneOf(places, beacon, others));
  const moved = accepted(
    known.filter(({ beaconId }) => !cloned.has(beaconId)),
    (beacon, others) => moveOf(places, beacon, new Set([...others, ...cloned.keys()])),
  );
  const bleeding = known.flatMap((beacon) => {
    const { beaconId } = beacon;
    return cloned.has(beaconId) || moved.has(beaconId) ? [] : (bleedingOf(places, beacon) ?? []);
  });
  return [...cloned.values(), ...moved.values(), ...bleeding];
}

interface Candidate {
  readonly finding: Finding;
  /** Minutes that speak for it. */
  readonly strength: number;
}

/**
 * Accepts findings, the strongest first: a beacon at another place seems near others there and these near it, so that an accepted one
 * no longer counts for others.
 */
function accepted(
  beacons: readonly FleetBeacon[],
  find: (beacon: FleetBeacon, others: ReadonlySet<string>) => Candidate | undefined,
): ReadonlyMap<string, Finding> {
  const found = new Map<string, Finding>();
  const candidates = beacons.flatMap((beacon) => {
    const candidate = find(beacon, new Set());
    return candidate ? [{ beacon, strength: candidate.strength, away: candidate.finding.facts['away'] }] : [];
  });
  // Where several seem to have come at once, more is heard than before.
  const alone = [...Map.groupBy(candidates, ({ away }) => away).values()].filter((come) => come.length === 1).flat();
  for (const { beacon } of alone.sort((a, b) => b.strength - a.strength)) {
    const again = find(beacon, new Set(found.keys()));
    if (again) found.set(beacon.beaconId, again.finding);
  }
  return found;
}

/** The least minutes at a strange place, where it must be nearly as loud as at home. */
const minStrange = 3;
const timesUsual = 5;
const quieter = 3;
const minUnion = 4;

function cloneOf(places: Places, { beaconId }: FleetBeacon, others: ReadonlySet<string>): Candidate | undefined {
  const day = dayOf(places.fleet.now - 1);
  const today = places.day(beaconId, day);
  const home = places.homeOf(beaconId);
  if (!today || !home) return undefined;
  const heard = Object.entries(today.near).filter(([place, near]) => near.last !== undefined && !others.has(place));
  for (const [hour = 0, now] of Map.groupBy(heard, ([, near]) => near.hour)) {
    const isNew = ([place, near]: (typeof now)[number]) => isStrange(places, { place, near, day, home });
    const here = now.filter((one) => isOften(home, one[0]) && !isNew(one));
    const away = now.filter(
      (one) =>
        isNew(one) &&
        !places.hasInherited(one[0], home, { day, hour }) &&
        // Is another one here that is usually not, then it is that one.
        !here.some(([other]) => hasCome(places, one[0], other, day)),
    );
    if (!areTogether(unionOfAll(here), unionOfAll(away))) continue;
    for (const [nearest] of here) {
      const far = away.filter(([place]) => places.areFar(place, nearest));
      const [to] = far.toSorted(([, a], [, b]) => countOf(b.last) - countOf(a.last));
      if (!to || countOf(to[1].last) < minStrange || isFaint(places, far, home)) continue;
      if (far.length < 2 && !places.isGateway(to[0])) continue;
      const facts = { home: nearest, away: to[0] };
      const since = day + hour * hourMs;
      return { finding: { kind: 'cloned', beaconId, since, facts }, strength: countOf(unionOfAll(far)) };
    }
  }
  return undefined;
}

/** Whether it is quieter at these places than usual: then somebody heard it from afar. */
function isFaint(places: Places, far: readonly (readonly [string, Near])[], home: Home) {
  const level = (place: string) => levelOf(home, places.isGateway(place));
  let [minutes, excess] = [0, 0];
  for (const [place, near] of far) {
    minutes += near.minutes;
    excess += near.rssi - near.minutes * level(place);
  }
  return excess < -quieter * minutes;
}

/** How loud a beacon usually is where it is heard. */
function levelOf(home: Home, isGateway?: boolean): number {
  let [minutes, rssi] = [0, 0];
  for (const one of home.values()) {
    if (isGateway !== undefined && one.isGateway !== isGateway) continue;
    minutes += one.minutes;
    rssi += one.minutes * one.rssi;
  }
  return rssi / Math.max(1, minutes);
}

interface Strange {
  readonly place: string;
  readonly near: Near;
  readonly day: number;
  readonly home: Home;
}

/** Whether it is heard much more often at a place than it ever was, which was there before. */
function isStrange(places: Places, { place, near, day, home }: Strange): boolean {
  if (places.usual(place).length < minUsualDays) return false;
  const hour = places.day(place, day)?.hours[near.hour ?? 0];
  const expected = (home.get(place)?.rate ?? 0) * countOf(hour?.on ?? hour?.phones);
  return countOf(near.last) >= 1 + timesUsual * expected;
}

/** Whether a place is heard that day near another one where it usually is not: then it is the place that has moved, or is copied. */
function hasCome(places: Places, place: string, other: string, day: number): boolean {
  const minutes = places.day(place, day)?.near[other]?.minutes ?? 0;
  const usual = places.homeOf(place)?.get(other)?.rate ?? 0;
  return minutes >= minStrange && minutes >= minStrange + timesUsual * usual * places.heardOn(other, day, place);
}

const unionOfAll = (all: readonly (readonly [string, Near])[]): Minutes =>
  all.reduce<Minutes>((union, [, { last }]) => unionOf(union, last), '0');

/** Whether it was heard in the same minutes, or at one place before and after the other, so that it was not carried. */
function areTogether(a: Minutes, b: Minutes): boolean {
  if (countOf(a) < minUnion || countOf(b) < minUnion) return false;
  if (countOf(commonOf(a, b)) >= minCommon) return true;
  const [[firstA, lastA], [firstB, lastB]] = [spanOf(a), spanOf(b)];
  return firstA < lastB && firstB < lastA;
}

const minCommon = 3;

/** The first and the last minute. */
function spanOf(minutes: Minutes): readonly [number, number] {
  const digits = BigInt(`0x${minutes}`).toString(2);
  return [digits.length - 1 - digits.lastIndexOf('1'), digits.length - 1];
}

/** The most of the expected minutes at home that one that has moved still has. */
const maxLeft = 0.3;
/** Minutes in which it would have been heard at home, and was elsewhere. */
const minExpected = 40;
const minAway = 20;
/** The least share of its home that must still be heard: where a beacon has died, others seem to be elsewhere. */
const minPresent = 0.6;
/** The share of a day's minutes that must be at places where it was hardly heard before. */
const awayShare = 0.5;
const hardly = 0.03;

function moveOf(places: Places, beacon: FleetBeacon, others: ReadonlySet<string>): Candidate | undefined {
  const { fleet } = places;
  const { beaconId } = beacon;
  const home = places.homeOf(beaconId);
  const last = daysBetween(fleet, beaconId, fleet.now - 2 * dayMs, fleet.now).at(-1);
  if (!last || !home) return undefined;
  const [day, { near }] = last;
  let [expected, left, minutes, total, present] = [0, 0, 0, 0, 0];
  for (const [place, usual] of home) {
    total += powerAt(usual);
    if (others.has(place)) continue;
    const usually = usual.rate * places.heardOn(place, day, beaconId);
    const weight = powerOf(usual.rssi);
    const now = near[place];
    if (usually > 0) present += powerAt(usual);
    minutes += usually;
    expected += usually * weight;
    // Louder or more often at one place does not make up for another.
    left += Math.min(usually * weight, now ? now.minutes * powerOf(loudness(now)) : 0);
  }
  if (present < minPresent * total || minutes < minExpected || left > maxLeft * expected) return undefined;
  const level = levelOf(home);
  let [all, there, thereMinutes] = [0, 0, 0];
  const away: (readonly [string, number])[] = [];
  const isMain = (place: string) => powerAt(home.get(place)) > 0.1 * total;
  const hour = Math.max(...Object.keys(last[1].hours).map(Number));
  const main = [...home.keys()].filter(isMain);
  for (const [place, one] of Object.entries(near)) {
    if (others.has(place)) continue;
    const power = one.minutes * powerOf(loudness(one));
    all += power;
    if (powerAt(home.get(place)) > hardly * total || one.minutes < 2 || loudness(one) < level - 10) continue;
    if (places.hasInherited(place, home, { day, hour })) continue;
    // What is here that usually is not has come here itself.
    if (places.usual(place).length < minUsualDays || main.some((other) => hasCome(places, place, other, day))) continue;
    there += power;
    thereMinutes += one.minutes;
    away.push([place, power]);
  }
  if (thereMinutes < minAway || there < awayShare * all) return undefined;
  if (away.length < 2 && !away.some(([place]) => places.isGateway(place))) return undefined;
  const [to = ''] = away.toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const [from = ''] = [...home].toSorted(([, a], [, b]) => powerAt(b) - powerAt(a))[0] ?? [];
  // Somebody has moved it on the plan as well.
  const [toHome, toAway] = [from, to].map((place) => apart(beacon, fleet.places.get(place)));
  if (toHome !== undefined && toAway !== undefined && toAway < toHome) return undefined;
  const facts = { home: from, away: to };
  return { finding: { kind: 'moved', beaconId, since: day, facts }, strength: thereMinutes };
}

/** The weight of a place by its loudness. */
const powerOf = (rssi: number) => 10 ** (rssi / 20);
const powerAt = (usual: Usual | undefined) => (usual ? usual.minutes * powerOf(usual.rssi) : 0);

/** Days on which it is heard where it should not be, and the share of its minutes there. */
const bleedingDays = 5;
/** At this many places it bleeds; at fewer, the other place may be the one that is wrong. */
const bleedingPlaces = 3;
const bleedingShare = 0.25;
const bleedingMetres = 20;
const wellHeard = -88;
const minMinutes = 20;

function bleedingOf({ fleet }: Places, beacon: FleetBeacon): Finding | undefined {
  const { now, places } = fleet;
  const days = daysBetween(fleet, beacon.beaconId, now - (usualDays + freshDays) * dayMs, now);
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
  const shares = days.flatMap(([day, { near }]) => {
    const all = Object.values(near).reduce((sum, { minutes }) => sum + minutes, 0);
    if (all < minMinutes) return [];
    const away = Object.entries(near).filter(([place, near]) => isElsewhere(place) && loudness(near) > wellHeard);
    const strange = away.reduce((sum, [, { minutes }]) => sum + minutes, 0);
    const places = away.filter(([, { minutes }]) => minutes >= 0.1 * strange).length;
    return [{ day, share: places < bleedingPlaces ? 0 : strange / all, away }];
  });
  const often = shares.filter(({ share }) => share >= bleedingShare);
  if (often.length < bleedingDays || often.length < shares.length * 0.7) return undefined;
  const [most] = often.flatMap(({ away }) => away).sort(([, a], [, b]) => b.minutes - a.minutes);
  return { kind: 'bleeding', beaconId: beacon.beaconId, since: often[0]?.day ?? 0, facts: { away: most?.[0] ?? '' } };
}
