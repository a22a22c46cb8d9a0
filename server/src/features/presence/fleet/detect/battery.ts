import { type BeaconDay, dayMs } from '../days/day.ts';
import { type Finding, type Fleet, median } from './fleet.ts';

/**
 * When a battery will be empty: the straight line of least squares through its charge of the last weeks, without the values that are far
 * from it. The interval has the error of the line, and that of a charge that follows the temperature.
 */

/** Days whose charge counts. */
const usedDays = 60;
const minPoints = 6;
const minSpanDays = 9;
/** A charge that rises by more than this is a new battery, per cent. */
const replaced = 15;
/** So much above the line, a single charge may already be one: nothing is said until more is known. */
const maybeReplaced = 50;
/** Days before it is empty from which on it is reported. */
const reportedDays = 30;
/** The least ratio of a slope to its error. */
const minSure = 2;
/** The error of a charge that lasts for weeks, because of the temperature and since cells differ, per cent. */
const drift = 1;
/** Standard deviations within which nine of ten values of a normal distribution lie. */
const ninetyPercent = 1.645;

export interface Forecast {
  /** Per cent, by the trend. */
  readonly charge: number;
  /** When it is empty, ms; and between which times in nine of ten cases. */
  readonly emptyAt: number;
  readonly earliest: number;
  readonly latest: number;
}

interface Point {
  /** Days. */
  readonly at: number;
  readonly charge: number;
}

export function findBatteries(fleet: Fleet): readonly Finding[] {
  return fleet.beacons.flatMap(({ beaconId }) => {
    const forecast = forecastBattery(fleet.days.get(beaconId), fleet.now);
    if (!forecast || forecast.emptyAt > fleet.now + reportedDays * dayMs) return [];
    const { charge, ...times } = forecast;
    return [{ kind: 'battery' as const, beaconId, since: fleet.now, facts: { charge: Math.round(charge), ...times } }];
  });
}

/** Undefined where too little is known, or the charge does not fall. */
export function forecastBattery(days: ReadonlyMap<number, BeaconDay> | undefined, now: number): Forecast | undefined {
  for (const points of pointsOf(days, now)) {
    const forecast = forecastFrom(points, now);
    if (forecast) return forecast;
  }
  return undefined;
}

function forecastFrom(points: readonly Point[], now: number): Forecast | undefined {
  const last = points.at(-1);
  if (!last || !areEnough(points)) return undefined;
  const line = lineThrough(withoutOutliers(points));
  if (line.slope >= 0 || -line.slope < minSure * line.slopeError) return undefined;
  const today = now / dayMs;
  const charge = line.mean + line.slope * (today - line.middle);
  if (last.charge - charge > maybeReplaced) return undefined;
  const left = charge / -line.slope;
  // Of where the line meets zero, by the errors of its height and of its slope, which do not depend on each other.
  const away = today + left - line.middle;
  const error = Math.hypot(line.meanError, drift, line.slopeError * away) / -line.slope;
  const at = (days: number) => now + days * dayMs;
  return {
    charge: Math.max(0, charge),
    ...{ emptyAt: at(left), earliest: at(left - ninetyPercent * error), latest: at(left + ninetyPercent * error) },
  };
}

const spanOf = (points: readonly Point[]) => (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0);
const areEnough = (points: readonly Point[]) => points.length >= minPoints && spanOf(points) >= minSpanDays;

interface Line {
  /** The middle of the days, and the charge then. */
  readonly middle: number;
  readonly mean: number;
  readonly meanError: number;
  /** Per cent a day. */
  readonly slope: number;
  readonly slopeError: number;
}

const meanOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

function lineThrough(points: readonly Point[]): Line {
  const middle = meanOf(points.map(({ at }) => at));
  const mean = meanOf(points.map(({ charge }) => charge));
  const squares = points.reduce((sum, { at }) => sum + (at - middle) ** 2, 0);
  const slope = points.reduce((sum, { at, charge }) => sum + (at - middle) * (charge - mean), 0) / squares;
  const rest = points.reduce((sum, { at, charge }) => sum + (charge - mean - slope * (at - middle)) ** 2, 0);
  const spread = Math.sqrt(rest / (points.length - 2));
  const slopeError = Math.hypot(spread / Math.sqrt(squares), drift / spanOf(points));
  return { middle, mean, slope, meanError: spread / Math.sqrt(points.length), slopeError };
}

/**
 * Charges far from the line are those of another beacon, or errors. It is the line through the medians of the first and the last third (J.
 * W. Tukey's resistant line, 1977), which they do not bend.
 */
function withoutOutliers(points: readonly Point[]): readonly Point[] {
  const third = Math.ceil(points.length / 3);
  const [first, last] = [points.slice(0, third), points.slice(-third)].map((part) => ({
    at: median(part.map(({ at }) => at)),
    charge: median(part.map(({ charge }) => charge)),
  })) as [Point, Point];
  const slope = (last.charge - first.charge) / (last.at - first.at);
  const level = median(points.map(({ at, charge }) => charge - slope * at));
  const off = points.map(({ at, charge }) => Math.abs(charge - slope * at - level));
  const limit = Math.max(3, 4 * 1.48 * median(off));
  const near = points.filter((_, index) => (off[index] as number) <= limit);
  return near.length < minPoints ? points : near;
}

/**
 * The points since the last new battery, after which nearly all charges are higher than nearly all before. A few higher ones are none,
 * since receivers differ.
 */
function sinceReplaced(points: readonly Point[]): readonly Point[] {
  const charges = points.map(({ charge }) => charge);
  for (let index = points.length - minAfter; index > 0; index--) {
    const before = quantile(charges.slice(Math.max(0, index - aroundPoints), index), 0.75);
    const after = quantile(charges.slice(index, index + aroundPoints), 0.25);
    if (after - before >= replaced) return points.slice(index);
  }
  return points;
}

/** Above this charge the voltage of a cell hardly changes and says little, per cent. */
const plateau = 22;

/** The points since the voltage left its plateau, if they are enough. */
function sincePlateau(points: readonly Point[]): readonly Point[] {
  const left = points.findIndex(
    (_, index) => median(points.slice(index, index + 3).map(({ charge }) => charge)) < plateau,
  );
  const since = left < 0 ? [] : points.slice(left);
  return areEnough(since) ? since : points;
}

/** Points that are compared before and after a change. */
const aroundPoints = 8;
const minAfter = 3;

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.round((values.length - 1) * part)] as number;

type Charges = { readonly battery?: number; readonly voltage?: number };

/**
 * One point a day since the last new battery, the median of its hours. Per cent and volts describe one battery, so only one of them counts:
 * the one read on more days, which comes first, or else the other one.
 */
function pointsOf(days: ReadonlyMap<number, BeaconDay> | undefined, now: number): readonly (readonly Point[])[] {
  const used = [...(days ?? [])].filter(([day]) => day > now - usedDays * dayMs && day <= now);
  const points = (charge: (charges: Charges) => number | undefined) =>
    used
      .flatMap(([day, { hours }]): readonly Point[] => {
        const charges = Object.values(hours).flatMap(({ telemetry = {} }) => charge(telemetry) ?? []);
        return charges.length === 0 ? [] : [{ at: day / dayMs + 0.5, charge: median(charges) }];
      })
      .sort((a, b) => a.at - b.at);
  const [percent, volts] = [points(({ battery }) => battery), points(({ voltage }) => chargeAt(voltage))];
  const both = [sinceReplaced(percent), sincePlateau(sinceReplaced(volts))];
  return volts.length > percent.length ? both.reverse() : both;
}

/** The charge of a lithium coin cell by its voltage under a small load. Cells differ by some per cent. */
const coinCell: readonly (readonly [volts: number, charge: number])[] = [
  [3.05, 100],
  [2.98, 92],
  [2.87, 24],
  [2.65, 6],
  [2.1, 0],
];

function chargeAt(voltage: number | undefined): number | undefined {
  // Two cells, or mains.
  if (voltage === undefined || voltage > 3.4 || voltage < 1.8) return undefined;
  const below = coinCell.findIndex(([volts]) => volts <= voltage);
  const [upper, lower] = [coinCell[below - 1], coinCell[below]];
  if (!lower) return 0;
  if (!upper) return 100;
  return lower[1] + ((upper[1] - lower[1]) * (voltage - lower[0])) / (upper[0] - lower[0]);
}
