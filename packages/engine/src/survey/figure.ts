import { createRandom } from '../simulation/random.ts';

/** What a survey that was played as a visit shows, with intervals. */

/** A share, with the interval that holds it in 95 of 100 repetitions. */
export interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** Metres, with their interval. */
export interface Metres {
  readonly metres: number;
  readonly low: number;
  readonly high: number;
}

export interface Figure {
  readonly seconds: number;
  /** Seconds in which the reported zone was right, including none. */
  readonly zone: Share;
  /** Seconds in which the nearest beacon was reported. */
  readonly nearest: Share;
  /** Median and 90 % quantile of the error of the position; null without any position. */
  readonly error: { readonly p50: Metres; readonly p90: Metres } | null;
}

/** One second of a survey. */
export interface Second {
  readonly x: number;
  readonly y: number;
  readonly isZoneRight: boolean;
  readonly isNearestRight: boolean;
  /** Metres; null without a position. */
  readonly error: number | null;
  /** The nearest located beacon of the floor: metres, and whether it was heard in this second; null: there is none. */
  readonly nearest: { readonly distance: number; readonly isHeard: boolean } | null;
}

/** Neighbouring seconds say nearly the same, so they are drawn together (a block bootstrap: Künsch, 1989). */
const BLOCK_SECONDS = 20;
const REPETITIONS = 500;
/** Errors are counted in classes of this width, m. */
const CLASS = 0.05;
const CLASSES = 1_000;

/** What some seconds count. */
interface Counted {
  readonly seconds: number;
  readonly zone: number;
  readonly nearest: number;
  readonly errors: readonly number[];
}

/** In steps, between which others can work. */
export function* figureSteps(played: readonly (readonly Second[])[]): Generator<void, Figure> {
  const blocks = played.flatMap((one) =>
    Array.from({ length: Math.ceil(one.length / BLOCK_SECONDS) }, (_, block) =>
      countsOf(one.slice(block * BLOCK_SECONDS, (block + 1) * BLOCK_SECONDS)),
    ),
  );
  const all = valuesOf(blocks);
  const random = createRandom('survey');
  const drawn: Values[] = [];
  for (let repetition = 0; blocks.length > 0 && repetition < REPETITIONS; repetition++) {
    drawn.push(valuesOf(blocks.map(() => random.pick(blocks))));
    yield;
  }
  const bounds = (value: (of: Values) => number) => {
    const sorted = drawn.map(value).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    return { low: at(0.025), high: at(0.975) };
  };
  return {
    seconds: all.seconds,
    zone: noNarrower({ share: all.zone, ...bounds(({ zone }) => zone) }, blocks.length),
    nearest: noNarrower({ share: all.nearest, ...bounds(({ nearest }) => nearest) }, blocks.length),
    error: blocks.some(({ errors }) => errors.length > 0)
      ? {
          p50: { metres: all.p50, ...bounds(({ p50 }) => p50) },
          p90: { metres: all.p90, ...bounds(({ p90 }) => p90) },
        }
      : null,
  };
}

/** Standard deviations that hold 95 of 100. */
const Z = 1.96;

/** Blocks that are all alike say nothing about the others: at least Wilson's interval of as many trials (Wilson, 1927). */
function noNarrower({ share, low, high }: Share, trials: number): Share {
  if (trials === 0) return { share, low: 0, high: 1 };
  const middle = (share + (Z * Z) / (2 * trials)) / (1 + (Z * Z) / trials);
  const half = (Z / (1 + (Z * Z) / trials)) * Math.sqrt((share * (1 - share)) / trials + (Z / (2 * trials)) ** 2);
  return { share, low: Math.min(low, Math.max(0, middle - half)), high: Math.max(high, Math.min(1, middle + half)) };
}

const countsOf = (seconds: readonly Second[]): Counted => ({
  seconds: seconds.length,
  zone: seconds.filter(({ isZoneRight }) => isZoneRight).length,
  nearest: seconds.filter(({ isNearestRight }) => isNearestRight).length,
  errors: seconds.flatMap(({ error }) => (error === null ? [] : Math.min(CLASSES - 1, Math.round(error / CLASS)))),
});

interface Values {
  readonly seconds: number;
  readonly zone: number;
  readonly nearest: number;
  readonly p50: number;
  readonly p90: number;
}

function valuesOf(blocks: readonly Counted[]): Values {
  const classes = new Uint32Array(CLASSES);
  let [seconds, zone, nearest, errors] = [0, 0, 0, 0];
  for (const block of blocks) {
    seconds += block.seconds;
    zone += block.zone;
    nearest += block.nearest;
    errors += block.errors.length;
    for (const error of block.errors) classes[error] = (classes[error] as number) + 1;
  }
  const quantile = (share: number) => {
    let left = share * errors;
    const found = classes.findIndex((count) => {
      left -= count;
      return left <= 0 && count > 0;
    });
    return Math.max(0, found) * CLASS;
  };
  const part = (count: number) => (seconds === 0 ? 0 : count / seconds);
  return { seconds, zone: part(zone), nearest: part(nearest), p50: quantile(0.5), p90: quantile(0.9) };
}

/** A place where the wrong zone is reported, m; `advice` is what most likely helps there. */
export interface BadSpot {
  readonly x: number;
  readonly y: number;
  readonly seconds: number;
  /** The share of these in which the zone was right. */
  readonly share: number;
  /** beacon: hang another one there; power: let the nearest one send more loudly or more often; survey: walk there. */
  readonly advice: 'beacon' | 'power' | 'survey';
}

/** Seconds within a square of this edge are one spot, m. */
const SPOT = 3;
const LEAST_SECONDS = 5;
/** Below this share of right zones a place needs attention. */
const BAD_SHARE = 0.7;
const MAX_SPOTS = 5;
/** A beacon that is farther away tells little, m. */
const FAR = 5;
/** Of the seconds: a beacon that is heard less often is too quiet. */
const HEARD_SHARE = 0.5;
/** Surveys needed at a spot, so that each is judged with the map of another one. */
const ENOUGH_SURVEYS = 2;

/** Where it goes wrong most, of seconds by survey. */
export function badSpotsOf(played: readonly (readonly Second[])[]): BadSpot[] {
  const spots = new Map<string, { readonly seconds: Second[]; readonly surveys: Set<number> }>();
  for (const [survey, seconds] of played.entries())
    for (const second of seconds) {
      const key = `${Math.floor(second.x / SPOT)} ${Math.floor(second.y / SPOT)}`;
      const spot = spots.get(key) ?? { seconds: [], surveys: new Set() };
      spots.set(key, spot);
      spot.seconds.push(second);
      spot.surveys.add(survey);
    }
  return [...spots.values()]
    .map(({ seconds, surveys }) => ({ ...spotOf(seconds), advice: adviceFor(seconds, surveys.size) }))
    .filter(({ seconds, share }) => seconds >= LEAST_SECONDS && share < BAD_SHARE)
    .sort((a, b) => b.seconds * (1 - b.share) - a.seconds * (1 - a.share))
    .slice(0, MAX_SPOTS);
}

function spotOf(seconds: readonly Second[]) {
  const mean = (value: (of: Second) => number) => seconds.reduce((sum, one) => sum + value(one), 0) / seconds.length;
  return {
    x: mean(({ x }) => x),
    y: mean(({ y }) => y),
    seconds: seconds.length,
    share: mean(({ isZoneRight }) => (isZoneRight ? 1 : 0)),
  };
}

function adviceFor(seconds: readonly Second[], surveys: number): BadSpot['advice'] {
  const near = seconds.flatMap(({ nearest }) => nearest ?? []);
  const distance = near.reduce((sum, one) => sum + one.distance, 0) / near.length;
  if (near.length === 0 || distance > FAR) return 'beacon';
  if (near.filter(({ isHeard }) => isHeard).length < HEARD_SHARE * near.length) return 'power';
  return surveys < ENOUGH_SURVEYS ? 'survey' : 'beacon';
}
