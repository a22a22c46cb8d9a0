import type { Evidence, Learned } from '../presence/types.ts';

/**
 * What ordinary traffic says about a beacon's radio. Each step of a position leaves, for each beacon that was heard, how much
 * its path loss differed from what the model expects at that distance. From the sums follows a correction of the measured
 * power and of the exponent; it is applied only if it would have improved the prediction of data from which it was not learned.
 */

export const noEvidence: Evidence = { n: 0, l: 0, ll: 0, r: 0, rl: 0, rr: 0 };

/** Of more steps the older ones count half: a beacon that was moved is learned again within days. */
const MAX_STEPS = 20_000;
/** Consecutive seconds are nearly redundant: ten of them count as one. */
const INDEPENDENT = 0.1;
/** Variance of a residual, dB². */
const RESIDUAL_VARIANCE = 36;
/** How far beacons of one site differ: power in dB², exponent squared. */
const POWER_VARIANCE = 9;
const EXPONENT_VARIANCE = 0.09;
/** Fewer steps do not show whether a correction holds. */
const LEAST_STEPS = 120;
/** A power that is off by more is not learned but wrongly configured, dB. */
const MAX_POWER = 10;
const MAX_EXPONENT = 1;

export function addEvidence(a: Evidence, b: Evidence): Evidence {
  const sum = { n: a.n + b.n, l: a.l + b.l, ll: a.ll + b.ll, r: a.r + b.r, rl: a.rl + b.rl, rr: a.rr + b.rr };
  return sum.n > MAX_STEPS ? scaled(sum, 0.5) : sum;
}

function scaled({ n, l, ll, r, rl, rr }: Evidence, by: number): Evidence {
  return { n: n * by, l: l * by, ll: ll * by, r: r * by, rl: rl * by, rr: rr * by };
}

/** One step: `decades` is 10·log10 of the distance in metres, `residual` the path loss beyond what was expected, dB. */
export function stepEvidence(decades: number, residual: number): Evidence {
  return {
    n: 1,
    l: decades,
    ll: decades * decades,
    r: residual,
    rl: residual * decades,
    rr: residual * residual,
  };
}

/**
 * The correction by ridge regression (a normal prior around "none"): loss is `loss` dB and exponent × 10·log10 d more than
 * expected.
 */
function fitEvidence(evidence: Evidence): Learned {
  const { n, l, ll, r, rl } = scaled(evidence, INDEPENDENT / RESIDUAL_VARIANCE);
  const a = n + 1 / POWER_VARIANCE;
  const d = ll + 1 / EXPONENT_VARIANCE;
  const determinant = a * d - l * l;
  const loss = (d * r - l * rl) / determinant;
  const exponent = (a * rl - l * r) / determinant;
  return { loss: clamp(loss, MAX_POWER), exponent: clamp(exponent, MAX_EXPONENT) };
}

const clamp = (value: number, most: number) => Math.min(most, Math.max(-most, value));

/** Mean square of what a correction leaves, dB². */
function remainder({ n, l, ll, r, rl, rr }: Evidence, { loss, exponent }: Learned): number {
  if (n === 0) return 0;
  const cross = r * loss + rl * exponent;
  return (rr - 2 * cross + n * loss * loss + 2 * l * loss * exponent + ll * exponent * exponent) / n;
}

/**
 * The correction that two halves of the evidence agree on, or null: each half's own has to predict the other half better than
 * none does.
 */
export function learnedFrom(halves: readonly [Evidence, Evidence]): Learned | null {
  const [a, b] = halves;
  if (a.n + b.n < LEAST_STEPS) return null;
  const helps = (learn: Evidence, test: Evidence) => remainder(test, fitEvidence(learn)) < remainder(test, NONE);
  return helps(a, b) && helps(b, a) ? fitEvidence(addEvidence(a, b)) : null;
}

const NONE: Learned = { loss: 0, exponent: 0 };
