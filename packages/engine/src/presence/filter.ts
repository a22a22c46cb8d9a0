import type { FilterState, Sensitivity } from './types.ts';

/** Measurement variance R in dB²: RSSI of a body-worn or moving tag scatters by about 6 dB. */
const MEASUREMENT_VARIANCE = 36;
/** Process variance Q in dB² a second: a walking visitor changes the loss by some 1.4 dB in a second. */
const PROCESS_VARIANCE = 2;
/**
 * Where beacons are compared with each other, fast following does less harm: a beacon that fades for a moment is no longer
 * the nearest.
 */
const PROCESS_VARIANCE_TOGETHER = 4;
/** Time constant of the moving average in seconds. */
const EMA_SECONDS = 3;
/** After this silence the old estimate says nothing about the new sample. */
const RESET_MS = 30_000;

export function newFilter(receiver: string, loss: number, at: number): FilterState {
  return { receiver, mean: loss, variance: MEASUREMENT_VARIANCE, at };
}

/** How fast a filter follows; `together`: that of `stable` if a site decides over all beacons. */
export type FilterPace = Sensitivity | 'together';

/** Takes one sample of path loss (dB) at `at` (ms) into the filter, in place: the hot path makes no garbage. */
export function updateFilter(filter: FilterState, loss: number, at: number, pace: FilterPace): void {
  const elapsed = at - filter.at;
  filter.at = at;
  if (elapsed >= RESET_MS) {
    filter.mean = loss;
    filter.variance = MEASUREMENT_VARIANCE;
  } else if (pace === 'fast') {
    average(filter, loss, elapsed / 1000);
  } else {
    const process = pace === 'together' ? PROCESS_VARIANCE_TOGETHER : PROCESS_VARIANCE;
    kalman(filter, loss, process * (elapsed / 1000));
  }
}

/**
 * Scalar Kalman filter with a random walk as its model, aware of the time between samples:
 * predict P' = P + Q·Δt (the drift); gain K = P' / (P' + R); x = x + K·(z − x); P = (1 − K)·P'. Units dB, dB², seconds.
 * Source: R. E. Kalman, "A New Approach to Linear Filtering and Prediction Problems", 1960, for one state variable.
 */
function kalman(filter: FilterState, loss: number, drift: number): void {
  const predicted = filter.variance + drift;
  const gain = predicted / (predicted + MEASUREMENT_VARIANCE);
  filter.mean += gain * (loss - filter.mean);
  filter.variance = (1 - gain) * predicted;
}

/** Exponential moving average with irregular samples: x = x + (1 − e^(−Δt/τ))·(z − x), τ = 3 s. */
function average(filter: FilterState, loss: number, seconds: number): void {
  filter.mean += (1 - Math.exp(-seconds / EMA_SECONDS)) * (loss - filter.mean);
}
