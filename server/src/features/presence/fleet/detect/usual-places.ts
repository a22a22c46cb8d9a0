import { type BeaconDay, dayMs, type Near } from '../days/day.ts';
import { daysBetween, type Fleet, heardMinutes, loudness, sumOfNear } from './fleet.ts';

export type Days = readonly (readonly [number, BeaconDay])[];

export const usualDays = 21;
/** The last days are not yet usual. */
export const freshDays = 3;
const minUsualDays = 3;

/** What is usual of a beacon at a place. */
export interface Usual {
  readonly minutes: number;
  /** In which share of the minutes of the place it is heard there, and how loud it is, dBm. */
  readonly rate: number;
  readonly rssi: number;
  readonly isGateway: boolean;
}

export type Home = ReadonlyMap<string, Usual>;

interface Heard {
  readonly day: number;
  readonly hour: number;
  /** How loud it is at the place, dBm. */
  readonly rssi?: number;
}

/** So much louder than near the silent one, it is nearer itself, dB. */
const louder = 4;

interface Most {
  readonly beaconId: string;
  readonly minutes: number;
}

/** What the days of a fleet say of places, read once for all beacons. */
export class Places {
  readonly fleet: Fleet;
  readonly #gateways = new Map<string, boolean>();
  readonly #homes = new Map<string, Home | undefined>();
  /** For each day and place, the three beacons that were heard there longest. */
  readonly #most = new Map<number, Map<string, Most[]>>();
  readonly #known = new Map<string, number>();

  constructor(fleet: Fleet) {
    this.fleet = fleet;
  }

  usual(beaconId: string): Days {
    const { now } = this.fleet;
    return daysBetween(this.fleet, beaconId, now - (usualDays + freshDays) * dayMs, now - freshDays * dayMs);
  }

  day(beaconId: string, day: number): BeaconDay | undefined {
    return this.fleet.days.get(beaconId)?.get(day);
  }

  /** Undefined if it is not known for long enough. */
  homeOf(beaconId: string): Home | undefined {
    const known = this.#homes.get(beaconId);
    if (known || this.#homes.has(beaconId)) return known;
    const usual = this.usual(beaconId);
    const home = usual.length < minUsualDays ? undefined : this.#homeFrom(beaconId, usual);
    this.#homes.set(beaconId, home);
    return home;
  }

  #homeFrom(beaconId: string, usual: Days): Home {
    const home = new Map<string, Usual>();
    for (const [place, sum] of sumOfNear(usual)) {
      let heard = 0;
      for (const [day] of usual) heard += this.heardOn(place, day, beaconId);
      home.set(place, {
        isGateway: this.isGateway(place),
        minutes: sum.minutes,
        rate: sum.minutes / Math.max(1, heard),
        rssi: loudness(sum),
      });
    }
    return home;
  }

  /**
   * In how many minutes of a day at least two other beacons were heard at a place: so long phones were there, or its gateway was on. One
   * is not enough: the loudest beacon of a place is said to be near the next one.
   */
  heardOn(place: string, day: number, beaconId: string): number {
    const most = this.#heardLongest(day).get(place);
    return most?.filter((one) => one.beaconId !== beaconId)[1]?.minutes ?? 0;
  }

  #heardLongest(day: number): ReadonlyMap<string, readonly Most[]> {
    let all = this.#most.get(day);
    if (all) return all;
    all = new Map();
    for (const { beaconId } of this.fleet.beacons) {
      const near = this.day(beaconId, day)?.near ?? {};
      for (const place of Object.keys(near)) {
        const { minutes } = near[place] as Near;
        const most = all.get(place) ?? [];
        if (most.length === 0) all.set(place, most);
        else if (most.length === 3 && minutes <= (most[2] as Most).minutes) continue;
        most.push({ beaconId, minutes });
        most.sort((a, b) => b.minutes - a.minutes);
        most.length = Math.min(3, most.length);
      }
    }
    this.#most.set(day, all);
    return all;
  }

  /**
   * Whether a place may only seem new to a beacon: where another one has fallen silent that was near both, phones are now said to be near
   * the next one. They hear the beacon no louder for that.
   */
  hasInherited(place: string, home: Home, { day, hour, rssi = Number.NEGATIVE_INFINITY }: Heard): boolean {
    const own = this.homeOf(place);
    for (const [other, usual] of home) {
      if (!own || rssi >= usual.rssi + louder || !isOften(own, other) || !isOften(home, other)) continue;
      if (this.#isMissing(other, day, hour)) return true;
    }
    return false;
  }

  /** Whether a beacon is not heard in this hour, although it usually is for a good part of one. */
  #isMissing(beaconId: string, day: number, hour: number): boolean {
    const heard = this.day(beaconId, day)?.hours[hour];
    if (heard?.phones !== undefined || heard?.gateways !== undefined) return false;
    const usual = this.usual(beaconId);
    const hours = usual.reduce((sum, [, one]) => sum + Object.keys(one.hours).length, 0);
    const minutes = usual.reduce(
      (sum, [, one]) => sum + heardMinutes(one, 'phones') + heardMinutes(one, 'gateways'),
      0,
    );
    return minutes >= minMissing * hours;
  }

  /** Whether the place has a gateway that has reported in these weeks. */
  isGateway(place: string): boolean {
    let is = this.#gateways.get(place);
    if (is === undefined) {
      is = [...(this.fleet.days.get(place)?.values() ?? [])].some((day) => heardMinutes(day, 'on') > 0);
      this.#gateways.set(place, is);
    }
    return is;
  }

  /** Whether a beacon and what is at a place were as good as never heard together, although the place was well known. */
  areStrangers(beaconId: string, place: string): boolean {
    const together =
      (this.homeOf(beaconId)?.get(place)?.minutes ?? 0) + (this.homeOf(place)?.get(beaconId)?.minutes ?? 0);
    if (together >= minTogether && together >= togetherShare * this.#knownMinutes(place)) return false;
    if (this.isGateway(place)) return this.#knownMinutes(place) >= minKnownGateway;
    return [beaconId, place].every((one) => this.#knownMinutes(one) >= minKnown);
  }

  /** In how many usual minutes at least two beacons were heard at a place. */
  #knownMinutes(place: string): number {
    let minutes = this.#known.get(place);
    if (minutes === undefined) {
      const { now } = this.fleet;
      const last = now - freshDays * dayMs;
      minutes = 0;
      for (let day = Math.ceil((last - usualDays * dayMs) / dayMs) * dayMs; day < last; day += dayMs)
        minutes += this.heardOn(place, day, '');
      this.#known.set(place, minutes);
    }
    return minutes;
  }
}

/** Whether a beacon is heard near a place for a good part of its minutes, those by phones or by gateways. */
export function isOften(home: Home, place: string): boolean {
  const usual = home.get(place);
  let all = 0;
  for (const { minutes, isGateway } of home.values()) if (isGateway === usual?.isGateway) all += minutes;
  return usual !== undefined && usual.minutes >= homeShare * all;
}

/** Minutes of an hour in which it is usually heard. */
const minMissing = 10;
/** Minutes together that are none, and the share of the place's minutes that is none. */
const minTogether = 3;
const togetherShare = 0.003;
/** Minutes from which a place is known, with phones and with a gateway. */
const minKnown = 60;
const minKnownGateway = 600;

/** The share of a beacon's minutes from which a place is home. */
const homeShare = 0.02;
