import { type BeaconDay, dayMs, type Near } from '../days/day.ts';
import { apart, daysBetween, type Fleet, heardMinutes, loudness } from './fleet.ts';

export type Days = readonly (readonly [number, BeaconDay])[];

export const usualDays = 21;
/** The last days are not yet usual. */
export const freshDays = 3;
export const minUsualDays = 3;

/** What is usual of a beacon at a place. */
export interface Usual {
  readonly minutes: number;
  /** In which share of the minutes of the place it is heard there, and how loud it is, dBm. */
  readonly rate: number;
  readonly rssi: number;
  readonly isGateway: boolean;
}

export type Home = ReadonlyMap<string, Usual>;

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
  /** For each place, the beacons that are usually heard there, with their minutes. */
  #visitors: Map<string, Map<string, number>> | undefined;

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
    const sums = new Map<string, { minutes: number; rssi: number }>();
    for (const [, { near }] of usual)
      for (const place of Object.keys(near)) {
        const { minutes, rssi } = near[place] as Near;
        const sum = sums.get(place);
        if (sum) {
          sum.minutes += minutes;
          sum.rssi += rssi;
        } else sums.set(place, { minutes, rssi });
      }
    const home = new Map<string, Usual>();
    for (const [place, sum] of sums) {
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
   * the next one.
   */
  hasInherited(place: string, home: Home, { day, hour }: { readonly day: number; readonly hour: number }): boolean {
    const own = this.homeOf(place);
    for (const other of home.keys()) {
      if (!own || !isOften(own, other) || !isOften(home, other) || !this.homeOf(other)?.size) continue;
      const heard = this.day(other, day)?.hours[hour];
      if (heard?.phones === undefined && heard?.gateways === undefined) return true;
    }
    return false;
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

  /** Whether hardly any beacon is usually heard at both places: then one beacon cannot be. */
  areFar(a: string, b: string): boolean {
    const { places } = this.fleet;
    if ((apart(places.get(a), places.get(b)) ?? 0) >= anotherVenue) return true;
    const [ofA, ofB] = [this.#visitorsOf(a), this.#visitorsOf(b)];
    if (ofA.size === 0 || ofB.size === 0 || ofA.has(b) || ofB.has(a)) return false;
    const [allA, allB] = [ofA, ofB].map((of) => of.values().reduce((sum, one) => sum + one, 0)) as [number, number];
    let common = 0;
    for (const [beaconId, minutes] of ofA) common += Math.min(minutes / allA, (ofB.get(beaconId) ?? 0) / allB);
    return common < maxCommon;
  }

  #visitorsOf(place: string): ReadonlyMap<string, number> {
    if (!this.#visitors) {
      this.#visitors = new Map();
      for (const { beaconId } of this.fleet.beacons)
        for (const [near, { minutes, rate }] of this.homeOf(beaconId) ?? [])
          if (rate >= minRate)
            this.#visitors.set(near, (this.#visitors.get(near) ?? new Map<string, number>()).set(beaconId, minutes));
    }
    return this.#visitors.get(place) ?? new Map<string, number>();
  }
}

/** Whether a beacon is heard near a place for a good part of its minutes, those by phones or by gateways. */
export function isOften(home: Home, place: string): boolean {
  const usual = home.get(place);
  let all = 0;
  for (const { minutes, isGateway } of home.values()) if (isGateway === usual?.isGateway) all += minutes;
  return usual !== undefined && usual.minutes >= homeShare * all;
}

const anotherVenue = 10_000;
const maxCommon = 0.2;
/** The least rate that counts; rarer contacts come from sensitive phones or open doors. */
const minRate = 0.05;

/** The share of a beacon's minutes from which a place is home. */
const homeShare = 0.02;
