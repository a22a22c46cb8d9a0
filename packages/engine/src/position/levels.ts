import { nearestDistance } from '../presence/presence.ts';
import type { PresenceSettings, PresenceState, TrackState } from '../presence/types.ts';

/** What a beacon's level alone says, where beacons are compared: with the receiver offset, and with powers as far as they are believed. */

/**
 * How far measured powers of a site differ near the beacons, of how far they are measured to differ: most of what a
 * calibration on one spot or over a whole room finds is that spot's or that room's.
 */
const TRUE_SPREAD = 0.3;

/** What all levels of an installation have in common. */
export interface Reception {
  /** By how much it hears too little, dB. */
  readonly receiverOffset: number;
  /** The mean measured power of the beacons in contact, dBm; null where none is calibrated. */
  readonly power: number | null;
}

export function receptionOf({ beacons, receiverOffset }: TrackState): Reception {
  let [sum, count] = [0, 0];
  for (const beaconId of Object.keys(beacons)) {
    const { inContact, settings } = beacons[beaconId] as PresenceState;
    if (!inContact || settings.measuredPower === undefined) continue;
    sum += settings.measuredPower;
    count++;
  }
  return { receiverOffset: receiverOffset?.loss ?? 0, power: count === 0 ? null : sum / count };
}

/** What is added to a beacon's path loss, dB: its measured power is shrunk towards the mean. */
export const correctionOf = ({ measuredPower }: PresenceSettings, { power }: Reception): number =>
  measuredPower === undefined || power === null ? 0 : (1 - TRUE_SPREAD) * (power - measuredPower);

/** The distance (m) that a beacon's level gives; null where it was not measured lately. */
export function levelDistance(state: PresenceState, at: number, reception: Reception): number | null {
  return nearestDistance(state, at, reception.receiverOffset - correctionOf(state.settings, reception));
}
