import { type BeaconDay, dayMs, hourMs, type Minutes, type Near } from '../days/day.ts';

/** What the detectors are given, and what they find: plain values, so that a simulated fleet is judged as a real one is. */

export interface FleetBeacon {
  readonly beaconId: string;
  /** Beacons of one venue are judged together. */
  readonly venueId: string | undefined;
  /** Metres on a floor. */
  readonly location: { readonly x: number; readonly y: number; readonly floor: number } | undefined;
}

export interface Fleet {
  /** Those that are judged. */
  readonly beacons: readonly FleetBeacon[];
  /** All beacons of the app, by their ids. */
  readonly places: ReadonlyMap<string, FleetBeacon>;
  /** What was heard, by beacon and day (its beginning, ms). */
  readonly days: ReadonlyMap<string, ReadonlyMap<number, BeaconDay>>;
  readonly now: number;
}

export const findingKinds = ['silent', 'battery', 'moved', 'cloned', 'bleeding', 'setting'] as const;
export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly beaconId: string;
  /** From when on, ms. */
  readonly since: number;
  /** For the explanation: other beacons by their ids, times in ms, other numbers in the units of `BeaconDay`. */
  readonly facts: Readonly<Record<string, string | number>>;
}

/** The minutes of each hour as two words of 30 bits. */
export interface Masks {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

type Channel = 'phones' | 'gateways' | 'on';

const known = new WeakMap<BeaconDay, Readonly<Record<Channel, Masks>>>();
const none: Masks = { low: new Int32Array(24), high: new Int32Array(24) };

/** Read once for each day: detectors go through months of them. */
export function masksOf(day: BeaconDay | undefined, channel: Channel): Masks {
  if (!day) return none;
  let masks = known.get(day);
  if (!masks) {
    masks = { phones: readMasks(day, 'phones'), gateways: readMasks(day, 'gateways'), on: readMasks(day, 'on') };
    known.set(day, masks);
  }
  return masks[channel];
}

function readMasks({ hours }: BeaconDay, channel: Channel): Masks {
  const masks = { low: new Int32Array(24), high: new Int32Array(24) };
  for (const [hour, one] of Object.entries(hours)) {
    const minutes = one[channel];
    if (minutes === undefined) continue;
    [masks.low[Number(hour)], masks.high[Number(hour)]] = wordsOf(minutes);
  }
  return masks;
}

function wordsOf(minutes: Minutes): [number, number] {
  const bits = BigInt(`0x${minutes}`);
  return [Number(bits & 0x3fffffffn), Number((bits >> 30n) & 0x3fffffffn)];
}

export function bitsIn(word: number): number {
  let left = word - ((word >> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >> 2) & 0x33333333);
  return (((left + (left >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
}

/** The number of minutes of a day in which a beacon was heard by this channel, or its gateway was on. */
export function heardMinutes(day: BeaconDay | undefined, channel: Channel): number {
  const { low, high } = masksOf(day, channel);
  let minutes = 0;
  for (let hour = 0; hour < 24; hour++) minutes += bitsIn(low[hour] as number) + bitsIn(high[hour] as number);
  return minutes;
}

/** Whole hours since 1970. */
export const hourIndex = (at: number): number => Math.floor(at / hourMs);

/** The days of a beacon in a period, the earliest first. */
export function daysBetween(
  { days }: Fleet,
  beaconId: string,
  from: number,
  until: number,
): readonly (readonly [number, BeaconDay])[] {
  const all = days.get(beaconId);
  const found: (readonly [number, BeaconDay])[] = [];
  for (let day = Math.ceil(from / dayMs) * dayMs; all && day < until; day += dayMs) {
    const one = all.get(day);
    if (one) found.push([day, one]);
  }
  return found;
}

/** How far two beacons are apart, m: another floor counts as far, another venue as further. Undefined where a place is not known. */
export function apart(a: FleetBeacon | undefined, b: FleetBeacon | undefined): number | undefined {
  if (!a || !b) return undefined;
  if (a.venueId !== undefined && b.venueId !== undefined && a.venueId !== b.venueId) return 10_000;
  if (!a.location || !b.location) return undefined;
  const metres = Math.hypot(a.location.x - b.location.x, a.location.y - b.location.y);
  return a.location.floor === b.location.floor ? metres : Math.hypot(metres, floorMetres);
}

/** A floor dampens as much as this many metres of air. */
const floorMetres = 25;

export function sumOfNear(
  days: readonly (readonly [number, BeaconDay])[],
): Map<string, { minutes: number; rssi: number }> {
  const sums = new Map<string, { minutes: number; rssi: number }>();
  for (const [, { near }] of days)
    for (const place of Object.keys(near)) {
      const { minutes, rssi } = near[place] as Near;
      const sum = sums.get(place);
      if (sum) {
        sum.minutes += minutes;
        sum.rssi += rssi;
      } else sums.set(place, { minutes, rssi });
    }
  return sums;
}

export const loudness = ({ minutes, rssi }: Pick<Near, 'minutes' | 'rssi'>): number => rssi / Math.max(1, minutes);

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};
