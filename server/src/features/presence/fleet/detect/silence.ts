import { dayMs, hourMs } from '../days/day.ts';
import {
  bitsIn,
  type Finding,
  type Fleet,
  type FleetBeacon,
  hourIndex,
  type Masks,
  masksOf,
  sumOfNear,
} from './fleet.ts';

/**
 * A beacon is silent if it is not heard where it normally is. As long as others of its venue are heard by phones, or the gateways that
 * usually hear it are on, it is expected in so many minutes of each hour, as it was in the same hours of the weeks before. A silence is
 * measured in these expected minutes, and compared with the silences that the beacon has had before: on a closed day nothing is expected.
 */

/** Days before the silence from which it is known what is usual. */
const usualDays = 28;
const minHeardHours = 8;
const minHeardDays = 3;
/** How many usual silences one has to be as long as: the chance of it is about e to the minus this. */
const usualSilences = 11.5;
/** A visit counts for so many minutes at most: a beacon that is always heard has few silences to learn from. */
const maxUnit = 6;
/** The factor if all beacons around are silent too: then the room may be closed. */
const togetherFactor = 3;
const minOpenHours = 3;
/** Slots of a week in which a beacon has hours of its own. */
const slotHours = 3;
const slots = (7 * 24) / slotHours;
/** Minutes of traffic for which the usual share counts in each slot. */
const priorMinutes = 90;

const slotOf = (hour: number) => Math.floor(hour / slotHours) % slots;

interface Series {
  /** The first hour; the minutes follow for each hour from it on. */
  readonly first: number;
  readonly heardByPhones: Uint8Array;
  readonly heardByGateways: Uint8Array;
  readonly phones: Float64Array;
  readonly gateways: Uint8Array;
}

export function findSilent(fleet: Fleet): readonly Finding[] {
  const { beacons, now } = fleet;
  const first = hourIndex(Math.floor((now - (usualDays + 14) * dayMs) / dayMs) * dayMs);
  const length = hourIndex(now) - first;
  const groups = Map.groupBy(beacons, ({ venueId }) => venueId ?? '');
  return [...groups.values()].flatMap((group) => {
    const heard = group.map((one) => minutesOf(fleet, { beacons: [one], channel: 'phones', first, length }));
    const sum = Float64Array.from({ length }, (_, hour) => heard.reduce((sum, one) => sum + (one[hour] as number), 0));
    const lastOf = new Map(group.map((one) => [one.beaconId, lastHeard(fleet, one, first, length)]));
    return group.flatMap((one) => silenceOf(fleet, one, { first, length, sum, size: group.length, lastOf }) ?? []);
  });
}

interface Group {
  readonly first: number;
  readonly length: number;
  /** The minutes of each hour in which phones heard its beacons, summed over them. */
  readonly sum: Float64Array;
  readonly size: number;
  /** The last hour, from the first, in which a beacon was heard. */
  readonly lastOf: ReadonlyMap<string, number>;
}

interface Asked {
  readonly beacons: readonly Pick<FleetBeacon, 'beaconId'>[];
  readonly channel: 'phones' | 'gateways' | 'on';
  readonly first: number;
  readonly length: number;
}

/** In how many minutes of each hour any of these beacons was heard. */
function minutesOf({ days }: Fleet, { beacons, channel, first, length }: Asked): Uint8Array {
  const low = new Int32Array(length);
  const high = new Int32Array(length);
  for (const { beaconId } of beacons)
    for (const [day, one] of days.get(beaconId) ?? []) {
      const start = hourIndex(day) - first;
      if (start < 0 || start >= length) continue;
      const masks: Masks = masksOf(one, channel);
      for (let hour = 0; hour < 24 && start + hour < length; hour++) {
        low[start + hour] = (low[start + hour] as number) | (masks.low[hour] as number);
        high[start + hour] = (high[start + hour] as number) | (masks.high[hour] as number);
      }
    }
  const counts = new Uint8Array(length);
  for (let hour = 0; hour < length; hour++) counts[hour] = bitsIn(low[hour] as number) + bitsIn(high[hour] as number);
  return counts;
}

function lastHeard({ days }: Fleet, { beaconId }: FleetBeacon, first: number, length: number): number {
  let last = -1;
  for (const [day, one] of days.get(beaconId) ?? []) {
    const start = hourIndex(day) - first;
    if (start + 23 <= last || start >= length) continue;
    for (const channel of ['phones', 'gateways'] as const) {
      const { low, high } = masksOf(one, channel);
      for (let hour = 23; hour >= 0 && start + hour > last; hour--)
        if (((low[hour] as number) | (high[hour] as number)) !== 0 && start + hour < length) last = start + hour;
    }
  }
  return last;
}

function silenceOf(fleet: Fleet, beacon: FleetBeacon, group: Group): Finding | undefined {
  const { beaconId } = beacon;
  const { first, length, sum, size, lastOf } = group;
  const last = lastOf.get(beaconId) ?? -1;
  if (last < 0 || last >= length - 2) return undefined;
  const from = Math.max(0, last - usualDays * 24);
  const usual = [...(fleet.days.get(beaconId) ?? [])].filter(([day]) => {
    const hour = hourIndex(day) - first;
    return hour >= from - 23 && hour <= last;
  });
  if (usual.length < minHeardDays) return undefined;
  const near = [...sumOfNear(usual).keys()].map((place) => ({ beaconId: place }));
  const own = { beacons: [beacon], first, length };
  const heardByPhones = minutesOf(fleet, { ...own, channel: 'phones' });
  const series: Series = {
    ...{ first, heardByPhones },
    // Of another beacon on average: one person in an empty house makes few.
    phones: sum.map((minutes, hour) => (minutes - (heardByPhones[hour] as number)) / Math.max(1, size - 1)),
    gateways: minutesOf(fleet, { beacons: near, channel: 'on', first, length }),
    heardByGateways: minutesOf(fleet, { ...own, channel: 'gateways' }),
  };
  const before = usualOf(series, from, last);
  if (before.heardHours < minHeardHours) return undefined;
  let openHours = 0;
  const sums = { phones: 0, gateways: 0 };
  for (let hour = last + 1; hour < length; hour++) {
    const phones = before.phones.expected(hour);
    const gateways = before.gateways.expected(hour);
    sums.phones += phones;
    sums.gateways += gateways;
    if (phones + gateways >= 0.5) openHours++;
  }
  const [byPhones, byGateways] = [sums.phones / before.phones.silence, sums.gateways / before.gateways.silence];
  const isTogether = byGateways < byPhones && areSilent(near, beacon, group, last);
  const needed = usualSilences * (isTogether ? togetherFactor : 1);
  if (openHours < minOpenHours || byPhones + byGateways < needed) return undefined;
  const since = (first + last + 1) * hourMs;
  return { kind: 'silent', beaconId, since, facts: { openHours } };
}

/** Whether nearly all beacons around have not been heard since either. */
function areSilent(
  near: readonly { readonly beaconId: string }[],
  { beaconId }: FleetBeacon,
  { lastOf }: Group,
  last: number,
): boolean {
  const others = near.filter((one) => one.beaconId !== beaconId && (lastOf.get(one.beaconId) ?? -1) >= 0);
  const silent = others.filter((one) => (lastOf.get(one.beaconId) as number) <= last + 1);
  return others.length >= 2 && silent.length >= others.length * 0.7;
}

/** What is usual for one channel. */
interface Usual {
  /** In how many minutes of an hour it should be heard. */
  readonly expected: (hour: number) => number;
  /** The length of a usual silence, in expected minutes. */
  readonly silence: number;
}

function usualOf({ first, heardByPhones, heardByGateways, phones, gateways }: Series, from: number, last: number) {
  let heardHours = 0;
  for (let hour = from; hour <= last; hour++)
    if ((heardByPhones[hour] as number) + (heardByGateways[hour] as number) > 0) heardHours++;
  return {
    heardHours,
    phones: usualSilence({ first, heard: heardByPhones, active: phones, from, last }),
    gateways: usualSilence({ first, heard: heardByGateways, active: gateways, from, last }),
  };
}

function usualSilence(given: RateOf): Usual {
  const { heard, active, from, last } = given;
  const rate = rateOf(given);
  const expected = (hour: number) => rate(hour) * (active[hour] as number);
  const silences: number[] = [];
  let [hours, minutes, silence] = [0, 0, 0];
  for (let hour = from; hour <= last; hour++) {
    if (heard[hour] === 0) {
      silence += expected(hour);
      continue;
    }
    hours++;
    minutes += heard[hour] as number;
    if (silence > 0) silences.push(silence);
    silence = 0;
  }
  const longest = Math.max(silence, ...silences);
  const mean = silences.reduce((sum, one) => sum + one, 0) / Math.max(1, silences.length);
  // The longest of n exponential silences is about ln n means long.
  const scale = longest / (Math.log(Math.max(1, silences.length)) + 0.58);
  return { expected, silence: Math.max(mean, scale, Math.min(minutes / Math.max(1, hours), maxUnit), 1) };
}

interface RateOf {
  readonly first: number;
  readonly heard: Uint8Array;
  readonly active: Uint8Array | Float64Array;
  readonly from: number;
  readonly last: number;
}

/** In which share of the minutes with traffic it is heard, in each slot of the week. */
function rateOf({ first, heard, active, from, last }: RateOf): (hour: number) => number {
  const heardIn = new Float64Array(slots);
  const activeIn = new Float64Array(slots);
  let [allHeard, allActive] = [0, 0];
  for (let hour = from; hour <= last; hour++) {
    const slot = slotOf(first + hour);
    const [one, traffic] = [heard[hour] as number, active[hour] as number];
    heardIn[slot] = (heardIn[slot] as number) + one;
    activeIn[slot] = (activeIn[slot] as number) + traffic;
    allHeard += one;
    allActive += traffic;
  }
  const share = allHeard / Math.max(1, allActive);
  return (hour) => {
    const slot = slotOf(first + hour);
    return ((heardIn[slot] as number) + share * priorMinutes) / ((activeIn[slot] as number) + priorMinutes);
  };
}
