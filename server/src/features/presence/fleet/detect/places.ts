import { commonOf, countOf, dayMs, dayOf, hourMs, type Minutes, type Near, noDay, unionOf } from '../days/day.ts';
import { apart, daysBetween, type Finding, type Fleet, type FleetBeacon, loudness, sumOfNear } from './fleet.ts';
import { type Days, freshDays, type Home, isOften, Places, type Usual, usualDays } from './usual-places.ts';

/**
 * Where beacons are heard, compared with where they were heard in the weeks before. How often a beacon is heard at a place is counted by the
 * minutes in which others were heard there: that visitors are elsewhere today, that a wing is closed or a gateway off says nothing of where
 * the beacon is.
 */

export function findMisplaced(fleet: Fleet): readonly Finding[] {
  const places = new Places(fleet);
  const known = fleet.beacons.filter(({ beaconId }) => places.homeOf(beaconId));
  const moved = accepted(known, (beacon, others) => moveOf(places, beacon, others));
  const cloned = findCloned(
    places,
    known.filter(({ beaconId }) => !moved.has(beaconId)),
  );
  const bleeding = known.flatMap((beacon) => {
    const { beaconId } = beacon;
    return cloned.has(beaconId) || moved.has(beaconId) ? [] : (bleedingOf(places, beacon) ?? []);
  });
  return [...moved.values(), ...cloned.values(), ...bleeding];
}

/** A place at which a beacon was heard within an hour. */
interface Hearing {
  readonly beaconId: string;
  readonly place: string;
  readonly near: Near;
  readonly hour: number;
}

/** Minutes at strange places that a copy needs, each weighed by how loud it is, compared with what is usual; fewer at more places. */
const minAwayStrength = 8;
/** A place at which it is quieter than usual by so much says nothing, dB. */
const quieter = 8;

/**
 * A copy is heard, within an hour, at a place of its own and at others where it never was together with what is there. One such place can be
 * another beacon that has come; a gateway stays where it is, and what it has heard all day counts. A phone that hears very well has many
 * strange beacons at one place, a copy is alone.
 */
function findCloned(places: Places, known: readonly FleetBeacon[]): ReadonlyMap<string, Finding> {
  const day = dayOf(places.fleet.now - 1);
  const strange = known.flatMap(({ beaconId }) =>
    Object.entries(places.day(beaconId, day)?.near ?? {}).flatMap(([place, near]): Hearing[] => {
      const { hour } = near;
      if (near.last === undefined || hour === undefined) return [];
      return places.areStrangers(beaconId, place) ? [{ beaconId, place, near, hour }] : [];
    }),
  );
  const atPlace = Map.groupBy(strange, ({ place, hour }) => `${hour} ${place}`);
  const alone = [...atPlace.values()].flatMap((all) => (all.length === 1 ? all : []));
  const cloned = new Map<string, Finding>();
  for (const heard of Map.groupBy(alone, ({ beaconId, hour }) => `${hour} ${beaconId}`).values()) {
    const finding = cloneOf(places, day, heard);
    if (finding) cloned.set(finding.beaconId, finding);
  }
  return cloned;
}

function cloneOf(places: Places, day: number, heard: readonly Hearing[]): Finding | undefined {
  const [{ beaconId, hour } = { beaconId: '', hour: 0 }] = heard;
  const home = places.homeOf(beaconId) as Home;
  const today = places.day(beaconId, day)?.near ?? {};
  const strengthOf = ({ place, near }: Pick<Hearing, 'place' | 'near'>) =>
    (places.isGateway(place) ? near.minutes : countOf(near.last)) *
    powerOf(loudness(near) - levelOf(home, places.isGateway(place)));
  const here = [...home].flatMap(([place, usual]) => {
    const near = today[place];
    const isHere = near?.hour === hour && isOften(home, place) && loudness(near) >= usual.rssi - quieter;
    return isHere ? [{ place, near }] : [];
  });
  const away = heard
    .filter(
      ({ place }) =>
        !places.hasInherited(place, home, { day, hour }) && !here.some((one) => hasCome(places, place, one.place, day)),
    )
    .sort((a, b) => strengthOf(b) - strengthOf(a));
  const [to] = away;
  const far = here.filter(({ place }) => to && places.areStrangers(place, to.place));
  const [from] = far.sort((a, b) => strengthOf(b) - strengthOf(a));
  const strength = away.reduce((sum, one) => sum + strengthOf(one), 0);
  const more = away.reduce((sum, { place }) => sum + (places.isGateway(place) ? 2 : 1), -1);
  if (!to || !from || strength * more < minAwayStrength) return undefined;
  if (!areTogether(unionOfAll(here), unionOfAll(away))) return undefined;
  return { kind: 'cloned', beaconId, since: day + hour * hourMs, facts: { home: from.place, away: to.place } };
}

const unionOfAll = (all: readonly { readonly near: Near }[]): Minutes =>
  all.reduce<Minutes>((union, { near }) => unionOf(union, near.last), '0');

/** Whether it was heard in the same minutes, or at one place before and after the other, so that it was not carried. */
function areTogether(a: Minutes, b: Minutes): boolean {
  if (countOf(commonOf(a, b)) >= minCommon) return true;
  const [[firstA, lastA], [firstB, lastB]] = [spanOf(a), spanOf(b)];
  return firstA < lastB && firstB < lastA;
}

const minCommon = 3;

function spanOf(minutes: Minutes): readonly [number, number] {
  const digits = BigInt(`0x${minutes}`).toString(2);
  return [digits.length - 1 - digits.lastIndexOf('1'), digits.length - 1];
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

/** How loud a beacon usually is where it is heard, by phones or by gateways if these hear it. */
function levelOf(home: Home, isGateway?: boolean): number {
  let [minutes, rssi] = [0, 0];
  for (const one of home.values()) {
    if (isGateway !== undefined && one.isGateway !== isGateway) continue;
    minutes += one.minutes;
    rssi += one.minutes * one.rssi;
  }
  if (minutes === 0 && isGateway !== undefined) return levelOf(home);
  return rssi / Math.max(1, minutes);
}

const minStrange = 3;
const timesUsual = 5;

/** How much a beacon is usually heard at a place in so many minutes of it, weighed by how loud it is. */
const usually = (usual: Usual | undefined, minutes: number): number =>
  usual ? usual.rate * minutes * powerOf(usual.rssi) : 0;

/** Whether a place is heard that day near another one where it usually is not: then it is the place that has moved, or is copied. */
function hasCome(places: Places, place: string, other: string, day: number): boolean {
  const near = places.day(place, day)?.near[other];
  const expected = usually(places.homeOf(place)?.get(other), places.heardOn(other, day, place));
  return near !== undefined && near.minutes >= minStrange && heardPower(near) > timesUsual * expected;
}

/** The most of the expected minutes at home that one that has moved is still heard there: one beside which another has come, is. */
const maxStayed = 0.4;
/** Minutes in which it would have been heard at home, and was elsewhere. */
const minExpected = 40;
const minAway = 20;
/** The share of what is heard of it that must be at places where it is heard more than usual. */
const awayShare = 0.5;

/** By the last day or, where few come, the last two. */
function moveOf(places: Places, beacon: FleetBeacon, others: ReadonlySet<string>): Candidate | undefined {
  const { fleet } = places;
  const days = daysBetween(fleet, beacon.beaconId, fleet.now - 3 * dayMs, fleet.now);
  return moveIn(places, beacon, others, days.slice(-1)) ?? moveIn(places, beacon, others, days.slice(-2));
}

function moveIn(places: Places, beacon: FleetBeacon, others: ReadonlySet<string>, days: Days): Candidate | undefined {
  const { beaconId } = beacon;
  const home = places.homeOf(beaconId);
  const [day, { hours }] = days.at(-1) ?? [0, noDay];
  if (!home) return undefined;
  const near = sumOfNear(days);
  const heardOn = (place: string) => days.reduce((sum, [one]) => sum + places.heardOn(place, one, beaconId), 0);
  let [expected, stayed, total] = [0, 0, 0];
  for (const [place, usual] of home) {
    total += powerAt(usual);
    if (others.has(place)) continue;
    const minutes = usual.rate * heardOn(place);
    expected += minutes;
    // More often at one place does not make up for another.
    stayed += Math.min(minutes, near.get(place)?.minutes ?? 0);
  }
  if (expected < minExpected || stayed > maxStayed * expected) return undefined;
  const main = [...home].flatMap(([place, usual]) => (powerAt(usual) > 0.1 * total ? place : []));
  const hour = Math.max(...Object.keys(hours).map(Number));
  let [all, there, minutes] = [0, 0, 0];
  const away: (readonly [string, number])[] = [];
  for (const [place, one] of near) {
    if (others.has(place)) continue;
    const power = heardPower(one);
    all += power;
    if (main.includes(place) || power <= timesUsual * usually(home.get(place), heardOn(place))) continue;
    if (places.hasInherited(place, home, { day, hour, rssi: loudness(one) })) continue;
    // What is here that usually is not has come here itself.
    if (main.some((other) => hasCome(places, place, other, day))) continue;
    there += power;
    minutes += one.minutes;
    away.push([place, power]);
  }
  if (minutes < minAway || there < awayShare * all) return undefined;
  if (away.length < 2 && !away.some(([place]) => places.isGateway(place))) return undefined;
  const [to = ''] = away.toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const [from = ''] = [...home].toSorted(([, a], [, b]) => powerAt(b) - powerAt(a))[0] ?? [];
  // Somebody has moved it on the plan as well.
  const [toHome, toAway] = [from, to].map((place) => apart(beacon, places.fleet.places.get(place)));
  if (toHome !== undefined && toAway !== undefined && toAway < toHome) return undefined;
  return { finding: { kind: 'moved', beaconId, since: day, facts: { home: from, away: to } }, strength: minutes };
}

/** The weight of a place by its loudness. */
const powerOf = (rssi: number) => 10 ** (rssi / 20);
const heardPower = (near: Pick<Near, 'minutes' | 'rssi'>) => near.minutes * powerOf(loudness(near));
const powerAt = ({ minutes, rssi }: Usual) => minutes * powerOf(rssi);

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
