import { type BeaconDay, dayMs } from '../days/day.ts';
import {
  apart,
  daysBetween,
  type Finding,
  type Fleet,
  type FleetBeacon,
  loudness,
  median,
  sumOfNear,
} from './fleet.ts';

/** Beacons whose power or interval is unlike that of nearly all others of their venue. */

const usedDays = 14;
const minPeers = 5;
/** The share of the others that must agree. */
const agreeing = 0.6;
const powerStep = 6;
const intervalFactor = 3;
/** How much louder or quieter than the others it is where it is heard, dB. */
const loudnessStep = 25;
/** Receivers farther away than this are not compared, m. */
const maxMetres = 12;
const minPlaces = 2;

interface Known {
  readonly beacon: FleetBeacon;
  readonly power: number | undefined;
  readonly interval: number | undefined;
  /** How much louder it is than a beacon at these distances should be, dB. */
  readonly excess: number | undefined;
  readonly since: number;
}

export function findMisset(fleet: Fleet): readonly Finding[] {
  const groups = Map.groupBy(fleet.beacons, ({ venueId }) => venueId ?? '');
  return [...groups.values()].flatMap((group) => {
    const all = group.map((beacon) => knownOf(fleet, beacon));
    return all.flatMap(
      (one) =>
        findingOf(
          one,
          all.filter((other) => other !== one),
        ) ?? [],
    );
  });
}

function knownOf(fleet: Fleet, beacon: FleetBeacon): Known {
  const days = daysBetween(fleet, beacon.beaconId, fleet.now - usedDays * dayMs, fleet.now);
  const power = medianIn(days, 'txPower');
  const interval = medianIn(days, 'interval');
  const excesses = [...sumOfNear(days)].flatMap(([place, sum]) => {
    const metres = apart(beacon, fleet.places.get(place));
    if (metres === undefined || metres > maxMetres || sum.minutes < 10) return [];
    return loudness(sum) + 59 + 22 * Math.log10(Math.max(1, metres));
  });
  const excess = excesses.length < minPlaces || days.length < 3 ? undefined : median(excesses);
  return { beacon, power, interval, excess, since: days[0]?.[0] ?? fleet.now };
}

function medianIn(days: readonly (readonly [number, BeaconDay])[], name: 'txPower' | 'interval'): number | undefined {
  const values = days.flatMap(([, { hours }]) =>
    Object.values(hours).flatMap(({ telemetry }) => telemetry?.[name] ?? []),
  );
  return values.length === 0 ? undefined : median(values);
}

function findingOf({ beacon, power, interval, excess, since }: Known, others: readonly Known[]): Finding | undefined {
  const { beaconId } = beacon;
  const findingAbout = (what: string, own: number, usual: number): Finding => ({
    kind: 'setting',
    beaconId,
    since,
    facts: { what, own: Math.round(own), usual: Math.round(usual) },
  });
  const usualPower = agreedOn(
    others.flatMap((one) => one.power ?? []),
    (a, b) => Math.abs(a - b) <= 2,
  );
  if (power !== undefined && usualPower !== undefined && Math.abs(power - usualPower) >= powerStep)
    return findingAbout('power', power, usualPower);
  const usualInterval = agreedOn(
    others.flatMap((one) => one.interval ?? []),
    (a, b) => Math.max(a, b) <= 1.5 * Math.min(a, b),
  );
  if (interval !== undefined && usualInterval !== undefined && isFactor(interval, usualInterval))
    return findingAbout('interval', interval, usualInterval);
  const excesses = others.flatMap((one) => one.excess ?? []);
  if (excess === undefined || excesses.length < minPeers) return undefined;
  const usual = median(excesses);
  const spread = 1.48 * median(excesses.map((one) => Math.abs(one - usual)));
  return Math.abs(excess - usual) > Math.max(loudnessStep, 5 * spread)
    ? findingAbout('loudness', excess - usual, 0)
    : undefined;
}

const isFactor = (a: number, b: number) => Math.max(a, b) >= intervalFactor * Math.min(a, b) && Math.min(a, b) > 0;

/** The value that most of them have; undefined: none. */
function agreedOn(values: readonly number[], isSame: (a: number, b: number) => boolean): number | undefined {
  if (values.length < minPeers) return undefined;
  const usual = median(values);
  return values.filter((one) => isSame(one, usual)).length >= values.length * agreeing ? usual : undefined;
}
