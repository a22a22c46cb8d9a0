import type { Bias, Fix, ReceiverOffset } from '../presence/types.ts';
import { type Expected, LEAST_SHARE, reserve, work } from './belief.ts';
import { learnBias } from './bias.ts';
import { growthAt, type Layout } from './layout.ts';
import { foundIn, type Moved, move, velocityAfter } from './motion.ts';

/**
 * A Bayesian filter for the position of one installation, in steps of about a second.
 *
 * A step moves the normal distribution of the step before (motion.ts), weighs each cell of the layout with the likelihood of
 * what was heard, and keeps the moments of the result (assumed-density filtering: Maybeck, Stochastic Models, Estimation and
 * Control, volume 2, chapter 12). The loss of the installation's own receiver (`receiverOffset`) is estimated together with the
 * position: given a cell it is a linear-Gaussian unknown that is integrated out exactly (a Rao-Blackwellised grid), so that a
 * phone that hears 18 dB less than another is in the same place. Between steps the two are taken for independent. Deterministic;
 * no random numbers.
 */

/** What was heard of an anchor since the step before: mean path loss in dB over `count` samples, and what is known of its bias. */
export interface HeardAnchor {
  readonly anchor: number;
  readonly loss: number;
  readonly count: number;
  readonly bias: Bias;
}

/** Share of the belief that is spread over the whole layout at each step: whoever was taken for somewhere else is found again. */
const LOST = 0.01;
/** Variance of one sample around the mean of some seconds, dB². */
export const FAST_VARIANCE = 20;
/** Residuals follow Student's t with 4 degrees of freedom and this scale (dB²): a wall or a body is no miracle. */
export const FREEDOM = 4;
const SCALE = 36;
/** A receiver offset about which nothing has been learned: phones differ by 17 to 18 dB at the same points, and a pocket adds to it. */
export const OFFSET_VARIANCE = 100;
/** Residuals stay for seconds, so the receiver offset learns from a tenth of what is heard. */
const OFFSET_SHARE = 0.1;
/** A phone may be put into a bag: what is known of its receiver offset is never surer than this, dB². */
const LEAST_OFFSET_VARIANCE = 0.5;

export const newReceiverOffset = (): ReceiverOffset => ({ loss: 0, variance: OFFSET_VARIANCE });

export interface FixInput {
  readonly fix: Fix | null;
  readonly receiverOffset: ReceiverOffset;
  readonly layout: Layout;
  readonly heard: readonly HeardAnchor[];
  readonly at: number;
  /** dB²; see `Thresholds`. */
  readonly slowVariance: number;
}

/** The position after a step; belief.ts can be asked about it until the next step is made. */
export function stepFix({ fix, receiverOffset, layout, heard, at, slowVariance }: FixInput): {
  readonly fix: Fix;
  readonly receiverOffset: ReceiverOffset;
} {
  reserve(layout.cells);
  const moved = fix === null ? null : move(fix, (at - fix.at) / 1000);
  predict(layout, fix, moved);
  const before = { ...receiverOffset, variance: Math.max(LEAST_OFFSET_VARIANCE, receiverOffset.variance) };
  for (const one of heard) weigh(layout, one, { receiverOffset: before, slowVariance });
  return condense(layout, { receiverOffset: before, moved, at });
}

/** Fills in what was believed before anything was heard. */
function predict(layout: Layout, fix: Fix | null, moved: Moved | null): void {
  const { cells, x, y } = layout;
  const { belief, carried } = work;
  if (fix === null || moved === null) {
    belief.fill(1 / cells, 0, cells);
    return;
  }
  const { xx, xy, yy } = moved;
  const determinant = xx * yy - xy * xy;
  const [a, b, c] = [yy / determinant, -xy / determinant, xx / determinant];
  const floors = floorPrior(layout, fix);
  let total = 0;
  for (let cell = 0; cell < cells; cell++) {
    const dx = (x[cell] as number) - moved.x;
    const dy = (y[cell] as number) - moved.y;
    const density = Math.exp(-0.5 * (a * dx * dx + 2 * b * dx * dy + c * dy * dy));
    const share = density * (floors[layout.floor[cell] as number] as number);
    belief[cell] = share;
    total += share;
  }
  const scale = total > 0 ? (1 - LOST) / total : 0;
  const spread = (total > 0 ? LOST : 1) / cells;
  for (let cell = 0; cell < cells; cell++) {
    const kept = (belief[cell] as number) * scale;
    belief[cell] = kept + spread;
    carried[cell] = kept / (kept + spread);
  }
}

/** A floor that was not in the layout before begins with a small share. */
function floorPrior({ floors }: Layout, { floors: before }: Fix): number[] {
  return floors.map((floor) => before.find(([known]) => known === floor)?.[1] ?? LOST);
}

interface Noise {
  readonly receiverOffset: ReceiverOffset;
  readonly slowVariance: number;
}

/** Variance of what was heard of an anchor beside it, dB². */
const noiseOf = ({ count }: HeardAnchor, slowVariance: number): number => FAST_VARIANCE / count + slowVariance;

/** Takes what was heard of one anchor into the likelihood of each cell. */
function weigh(layout: Layout, heard: HeardAnchor, { receiverOffset, slowVariance }: Noise): void {
  const { anchor, bias } = heard;
  const { likelihood, weights, weighted } = work;
  const expected = layout.loss[anchor] as Float64Array;
  const precision = layout.precision[anchor] as Float64Array;
  const blur = layout.blur[anchor] as Float64Array;
  const loss = heard.loss - bias.loss - receiverOffset.loss;
  const certainty = (FREEDOM + 1) / (noiseOf(heard, slowVariance) + bias.variance);
  const scale = 1 / (SCALE + receiverOffset.variance);
  for (let cell = 0; cell < layout.cells; cell++) {
    const residual = loss - (expected[cell] as number);
    const square = residual * residual;
    const weight = (certainty * (precision[cell] as number)) / (FREEDOM + square * scale);
    likelihood[cell] = (likelihood[cell] as number) - 0.5 * weight * square - (blur[cell] as number);
    weights[cell] = (weights[cell] as number) + weight;
    weighted[cell] = (weighted[cell] as number) + weight * residual;
  }
}

interface Step {
  readonly receiverOffset: ReceiverOffset;
  readonly moved: Moved | null;
  readonly at: number;
}

/** Multiplies belief and likelihood, with the receiver offset integrated out, and keeps the moments. */
function condense(
  layout: Layout,
  { receiverOffset, moved, at }: Step,
): { readonly fix: Fix; readonly receiverOffset: ReceiverOffset } {
  const { cells, x, y, floors } = layout;
  const { belief, carried, likelihood, weights, weighted, likely } = work;
  const { variance: offsetVariance } = receiverOffset;
  let most = Number.NEGATIVE_INFINITY;
  for (let cell = 0; cell < cells; cell++) {
    const sum = weights[cell] as number;
    const lean = weighted[cell] as number;
    const gain = 1 + sum * offsetVariance;
    const value = (likelihood[cell] as number) + (0.5 * lean * lean * offsetVariance) / gain - 0.5 * Math.log(gain);
    likelihood[cell] = value;
    if (value > most) most = value;
  }
  let total = 0;
  for (let cell = 0; cell < cells; cell++) {
    const share = (belief[cell] as number) * Math.exp((likelihood[cell] as number) - most);
    belief[cell] = share;
    total += share;
  }
  const byFloor = new Array<number>(floors.length).fill(0);
  let [meanX, meanY, loss, square, variance] = [0, 0, 0, 0, 0];
  for (let cell = 0; cell < cells; cell++) {
    const share = (belief[cell] as number) / total;
    belief[cell] = share;
    byFloor[layout.floor[cell] as number] = (byFloor[layout.floor[cell] as number] as number) + share;
    meanX += share * (x[cell] as number);
    meanY += share * (y[cell] as number);
    const learned = (weights[cell] as number) * OFFSET_SHARE;
    const gain = offsetVariance / (1 + learned * offsetVariance);
    const more = OFFSET_SHARE * (weighted[cell] as number) * gain;
    loss += share * more;
    square += share * more * more;
    variance += share * gain;
  }
  let [xx, xy, yy] = [0, 0, 0];
  let likelyCount = 0;
  for (let cell = 0; cell < cells; cell++) {
    const share = belief[cell] as number;
    if (share > LEAST_SHARE) likely[likelyCount++] = cell;
    const dx = (x[cell] as number) - meanX;
    const dy = (y[cell] as number) - meanY;
    xx += share * dx * dx;
    xy += share * dx * dy;
    yy += share * dy * dy;
  }
  work.likelyCount = likelyCount;
  // A cell is a square and no point.
  const within = (layout.size * layout.size) / 12;
  const fix: Fix = {
    at,
    x: meanX,
    y: meanY,
    xx: xx + within,
    xy,
    yy: yy + within,
    floors: floors.map((floor, index) => [floor, byFloor[index] as number] as const),
    velocity: velocityAfter(moved, foundIn(layout, { x: meanX, y: meanY, belief, carried })),
  };
  return {
    fix,
    receiverOffset: { loss: receiverOffset.loss + loss, variance: variance + square - loss * loss },
  };
}

/** By how much one anchor is heard quieter than expected, after the newest step. `distance`: expected, m. */
export function biasOf(
  heard: HeardAnchor,
  { expected, receiverOffset, distance, slowVariance, isSurveyed }: Residual,
): Bias {
  const residual = heard.loss - expected.loss - receiverOffset.loss;
  const noise = noiseOf(heard, slowVariance) * growthAt(distance, isSurveyed);
  return learnBias(heard.bias, { residual, noise, doubt: expected.doubt });
}

interface Residual {
  readonly expected: Expected;
  readonly receiverOffset: ReceiverOffset;
  readonly distance: number;
  readonly slowVariance: number;
  readonly isSurveyed: boolean;
}

/** How far the true position is from the estimate in 68 of 100 cases, m, for a circular normal distribution: √(−ln 0.32 · (σx² + σy²)). */
export function errorRadius({ xx, yy }: Pick<Fix, 'xx' | 'yy'>): number {
  return Math.sqrt(-Math.log(0.32) * (xx + yy));
}

export function floorOf({ floors }: Fix): number {
  let [best, most] = [0, -1];
  for (const [floor, probability] of floors) if (probability > most) [best, most] = [floor, probability];
  return best;
}
