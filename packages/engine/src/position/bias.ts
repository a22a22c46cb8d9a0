import type { Bias } from '../presence/types.ts';

/**
 * How much quieter than expected an installation hears one beacon: a wall, a shelf, the visitor's own body. It lasts for many
 * seconds, so averaging over time does not remove it; but it affects only one beacon, and the others show where the visitor
 * is. A scalar Kalman filter beside the position, with a memory of three minutes.
 */

/** Beacons of one site differ by 3 dB, dB². */
const VARIANCE = 9;
/** After this long a visitor is elsewhere, and another wall is in the way, s. */
const MEMORY_SECONDS = 180;
/** Consecutive seconds are nearly redundant: six of them count as one. */
const DEPENDENT = 6;
/** Residuals follow Student's t with this many degrees of freedom; see fix.ts. */
const FREEDOM = 4;

/** What is believed at a moment (ms), before anything is heard then. */
export function biasAt(bias: Bias | null, at: number): Bias {
  if (bias === null) return { loss: 0, variance: VARIANCE, at };
  const keep = Math.exp((bias.at - at) / (1000 * MEMORY_SECONDS));
  return { loss: bias.loss * keep, variance: VARIANCE + (bias.variance - VARIANCE) * keep * keep, at };
}

export interface BiasStep {
  /** Path loss beyond what is expected where the visitor is, without any bias, dB. */
  readonly residual: number;
  /** Variance of what was heard, dB². */
  readonly noise: number;
  /** Variance of what is expected, because the position is uncertain, dB². */
  readonly doubt: number;
}

export function learnBias(before: Bias, { residual, noise, doubt }: BiasStep): Bias {
  const innovation = residual - before.loss;
  const variance = DEPENDENT * noise + doubt;
  const strange = (FREEDOM + innovation ** 2 / (before.variance + variance)) / (FREEDOM + 1);
  const gain = before.variance / (before.variance + variance * strange);
  return { loss: before.loss + gain * innovation, variance: (1 - gain) * before.variance, at: before.at };
}
