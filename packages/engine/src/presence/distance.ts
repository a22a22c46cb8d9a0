import type { Observation, PresenceSettings } from './types.ts';

/** RSSI at one metre of a beacon nobody has calibrated, in dBm: what Apple's iBeacon sample code and most tags start from. */
export const DEFAULT_MEASURED_POWER = -59;
/** Path-loss exponent n if none was learned: 2 is free space (Friis). Indoors it is 1.6–3.3. */
export const PATH_LOSS_EXPONENT = 2;

/** Outside this range a stated power is no RSSI at one metre: positive values are the radio's transmit power. */
const PLAUSIBLE_POWER = { min: -100, max: -20 };

/**
 * Measured power P1m in dBm: the RSSI expected at one metre. The beacon's own calibration, else what the packet states
 * (where plausible), else −59; plus the receiver's offset in dB.
 */
export function measuredPower(observation: Observation, settings: PresenceSettings): number {
  const stated = observation.txPower;
  const plausible = stated !== undefined && stated >= PLAUSIBLE_POWER.min && stated <= PLAUSIBLE_POWER.max;
  const power = settings.measuredPower ?? (plausible ? stated : DEFAULT_MEASURED_POWER);
  return power + offsetOf(settings, observation.receiver);
}

/** The receiver's name is a text of the sender's, such as `constructor`. */
function offsetOf({ receiverOffsets }: PresenceSettings, receiver = ''): number {
  if (receiverOffsets === undefined || !Object.hasOwn(receiverOffsets, receiver)) return 0;
  return receiverOffsets[receiver] ?? 0;
}

/**
 * Distance in metres from path loss in dB beyond one metre: d = 10^((P1m − rssi) / (10 n)).
 * Source: the log-distance path-loss model (Rappaport, Wireless Communications, chapter 4) with d0 = 1 m.
 */
export function distanceFromLoss(loss: number, exponent = PATH_LOSS_EXPONENT): number {
  return 10 ** (loss / (10 * exponent));
}

/** The inverse: path loss in dB beyond one metre at a distance in metres (not below 1 cm, where the model is meaningless). */
export function lossFromDistance(distance: number): number {
  return 10 * PATH_LOSS_EXPONENT * Math.log10(Math.max(distance, 0.01));
}

/**
 * Path loss P1m − rssi in dB of one sample: what the filter smooths. Loss and not RSSI, so that a packet which states
 * another power does not look like a step. The sender's own distance stands in where there is no rssi, or where the sender
 * has smoothed it and nobody has calibrated the beacon here. Null where the observation holds no measurement.
 */
export function pathLoss(observation: Observation, settings: PresenceSettings): number | null {
  const { rssi, distance, smoothed } = observation;
  const trusted = rssi === undefined || (smoothed === true && settings.measuredPower === undefined);
  if (distance !== undefined && trusted) return lossFromDistance(distance);
  return rssi === undefined ? null : measuredPower(observation, settings) - rssi;
}

/** Nothing with a greater loss is still heard, dB; beyond it the power would no longer be a number. */
const FAINTEST = 200;

/**
 * The received power that a path loss (dB) leaves, as a share of what is received at one metre. Of several samples of a second the mean
 * power counts and not the mean of the decibels: waves that cancel each other make deep, short dips, and hardly any peaks.
 */
export const powerShare = (loss: number): number => 10 ** (-Math.min(FAINTEST, loss) / 10);

/** The path loss (dB) of the mean of `count` powers, from their sum. */
export const lossFromPowers = (sum: number, count: number): number => -10 * Math.log10(sum / count);

/** What a calibration needs at least: 30 s at one advertisement in 3 s is 10 samples. */
const CALIBRATION_SAMPLES = 10;

/**
 * "Stand at one metre for 30 seconds": the beacon's measured power in whole dBm from the RSSI samples taken there, and
 * their spread. The median, because one reflected packet shifts a mean by several dB. Null with fewer than
 * CALIBRATION_SAMPLES usable samples, or a spread above 10 dB (somebody walked about; try again).
 */
export function calibrate(samples: readonly number[]): { measuredPower: number; spread: number } | null {
  const sorted = samples.filter((rssi) => rssi < 0 && rssi >= -120).sort((a, b) => a - b);
  if (sorted.length < CALIBRATION_SAMPLES) return null;
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const spread = at(0.84) - at(0.16);
  return spread > 20 ? null : { measuredPower: Math.round(at(0.5)), spread: spread / 2 };
}
