import type { Telemetry } from '@pharos/gateways';

/**
 * What was heard of a beacon on one day (UTC), with its readings by the hour. Joining two states of a day gives the same result in any
 * order, however often.
 */
export interface BeaconDay {
  /** By the hour, 0 to 23. */
  readonly hours: Readonly<Record<string, BeaconHour>>;
  /** By the beacon where it was heard, by the gateway there or by a phone that heard both; at most `maxNear`. */
  readonly near: Readonly<Record<string, Near>>;
}

/** Minutes of an hour as 60 bits in hexadecimal digits; the first minute is the lowest bit. */
export type Minutes = string;

export interface BeaconHour {
  readonly phones?: Minutes;
  readonly gateways?: Minutes;
  /** The minutes in which its own gateway reported anything. */
  readonly on?: Minutes;
  readonly moved?: Minutes;
  readonly pressed?: Minutes;
  /** Its newest telemetry in this hour. */
  readonly telemetry?: HourTelemetry;
}

/** Telemetry in the units of `Telemetry`. */
export interface HourTelemetry {
  /** Milliseconds since the beginning of the hour. */
  readonly at: number;
  readonly battery?: number;
  readonly voltage?: number;
  readonly temperature?: number;
  readonly humidity?: number;
  readonly uptime?: number;
  readonly firmware?: string;
  /** dBm at one metre, as it advertises it. */
  readonly txPower?: number;
  /** Between two advertisements, ms. */
  readonly interval?: number;
}

export interface Near {
  /** Minutes of the day in which it was heard there. */
  readonly minutes: number;
  /** dBm, summed over these minutes. */
  readonly rssi: number;
  /** The last hour in which it was heard there, 0 to 23, and the minutes of it: known of the last two hours of the day. */
  readonly hour?: number;
  readonly last?: Minutes;
}

type StoredHour = Omit<BeaconHour, 'telemetry'> & { readonly told?: HourTelemetry };

const mapHours = <A, B>(hours: Readonly<Record<string, A>>, map: (hour: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(hours).map(([hour, one]) => [hour, map(one)]));

/** From a stored summary, where telemetry has the name that it was given first. */
export function parseDay(summary: string): BeaconDay {
  const { hours, near } = JSON.parse(summary) as Pick<BeaconDay, 'near'> & { hours: Record<string, StoredHour> };
  return { hours: mapHours(hours, ({ told, ...hour }) => (told ? { ...hour, telemetry: told } : hour)), near };
}

export const summaryOf = ({ hours, near }: BeaconDay): string =>
  JSON.stringify({
    hours: mapHours(hours, ({ telemetry, ...hour }) => (telemetry ? { ...hour, told: telemetry } : hour)),
    near,
  });

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
const minuteMs = 60_000;
/** Places at which it was heard longest, and those of the last hours besides: so that what is new is not lost beside what is usual. */
const maxNear = 40;
const maxNearLast = 8;

export const noDay: BeaconDay = { hours: {}, near: {} };
export const dayOf = (at: number): number => Math.floor(at / dayMs) * dayMs;
export const hourOf = (at: number): number => Math.floor((at % dayMs) / hourMs);

const bits = (minutes: Minutes | undefined) => BigInt(`0x${minutes ?? 0}`);
const minuteAt = (at: number): Minutes => (1n << BigInt(Math.floor((at % hourMs) / minuteMs))).toString(16);
export const unionOf = (a: Minutes | undefined, b: Minutes | undefined): Minutes => (bits(a) | bits(b)).toString(16);
export const commonOf = (a: Minutes | undefined, b: Minutes | undefined): Minutes => (bits(a) & bits(b)).toString(16);

/** How many bits each hexadecimal digit has. */
const ones: Readonly<Record<string, number>> = Object.fromEntries(
  Array.from({ length: 16 }, (_, digit) => [digit.toString(16), digit.toString(2).replaceAll('0', '').length]),
);

export function countOf(minutes: Minutes | undefined): number {
  let count = 0;
  for (const digit of minutes ?? '') count += ones[digit] ?? 0;
  return count;
}

type Heard = 'phones' | 'gateways';

/** One thing that is known of a beacon at a time. */
export interface Note {
  readonly at: number;
  readonly by?: Heard | undefined;
  /** The beacon near which it was heard, and how loud it was, dBm. */
  readonly near?: { readonly beaconId: string; readonly rssi: number } | undefined;
  /** Its gateway reported something. */
  readonly isOn?: true;
  readonly telemetry?: Telemetry | undefined;
  readonly txPower?: number | undefined;
  readonly interval?: number | undefined;
}

/** The day of one observation. */
export function dayWith({ at, by, near, isOn, telemetry = {}, txPower, interval }: Note): BeaconDay {
  const minute = minuteAt(at);
  const { movement, button, ...measured } = telemetry;
  const values = {
    ...measured,
    ...(txPower === undefined ? {} : { txPower }),
    ...(interval === undefined ? {} : { interval }),
  };
  const hour: BeaconHour = {
    ...(by === undefined ? {} : { [by]: minute }),
    ...(isOn ? { on: minute } : {}),
    ...(isNow(movement) ? { moved: minute } : {}),
    ...(isNow(button) ? { pressed: minute } : {}),
    ...(Object.keys(values).length === 0 ? {} : { telemetry: { at: at % hourMs, ...values } }),
  };
  return {
    hours: { [hourOf(at)]: hour },
    near: near ? { [near.beaconId]: { minutes: 1, rssi: near.rssi, hour: hourOf(at), last: minute } } : {},
  };
}

/** Whether it moves now. Counters say nothing without the message before. */
const isNow = (activity: Telemetry['movement']): boolean =>
  activity?.isActive === true || (activity?.secondsAgo ?? Number.POSITIVE_INFINITY) < 60;

export function joinDays(a: BeaconDay, b: BeaconDay): BeaconDay {
  const near = joinRecords(a.near, b.near, joinNear);
  return { hours: joinRecords(a.hours, b.hours, joinHours), near: limitNear(near) };
}

function limitNear(near: BeaconDay['near']): BeaconDay['near'] {
  const all = Object.entries(near);
  const before = Math.max(...all.map(([, { hour = 0 }]) => hour)) - 1;
  const isLast = ({ hour = -1 }: Near) => hour >= before;
  if (all.length > maxNear) {
    all.sort(([, one], [, other]) => other.minutes - one.minutes);
    all.push(
      ...all
        .splice(maxNear)
        .filter(([, one]) => isLast(one))
        .slice(0, maxNearLast),
    );
  }
  return Object.fromEntries(
    all.map(([place, one]) => [place, isLast(one) ? one : { minutes: one.minutes, rssi: one.rssi }]),
  );
}

function joinRecords<T>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
  join: (a: T, b: T) => T,
): Readonly<Record<string, T>> {
  const joined: Record<string, T> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = joined[key];
    joined[key] = known === undefined ? value : join(known, value);
  }
  return joined;
}

const sets = ['phones', 'gateways', 'on', 'moved', 'pressed'] as const;

function joinHours(a: BeaconHour, b: BeaconHour): BeaconHour {
  const minutes = sets
    .filter((name) => a[name] !== undefined || b[name] !== undefined)
    .map((name) => [name, unionOf(a[name], b[name])]);
  const telemetry = a.telemetry && b.telemetry ? joinTelemetry(a.telemetry, b.telemetry) : (a.telemetry ?? b.telemetry);
  return { ...Object.fromEntries(minutes), ...(telemetry ? { telemetry } : {}) };
}

const joinTelemetry = (a: HourTelemetry, b: HourTelemetry): HourTelemetry =>
  a.at <= b.at ? { ...a, ...b } : { ...b, ...a };

function joinNear(a: Near, b: Near): Near {
  const sum = { minutes: a.minutes + b.minutes, rssi: a.rssi + b.rssi };
  if (a.hour !== b.hour) return { ...((a.hour ?? -1) > (b.hour ?? -1) ? a : b), ...sum };
  return { ...a, ...sum, ...(a.last === undefined ? {} : { last: unionOf(a.last, b.last) }) };
}
