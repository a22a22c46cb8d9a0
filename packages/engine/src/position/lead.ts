import { lossFromDistance } from '../presence/distance.ts';
import type { PresenceState, TrackState } from '../presence/types.ts';
import { levelDistance, type Reception } from './levels.ts';

/**
 * What levels alone say when beacons are compared: how far one leads the others.
 *
 * How loudly a phone hears and how strongly beacons really send shifts all levels by 10 to 20 dB, so a level alone says little.
 * By how much one beacon is louder than the next does not depend on that: a phone that hears one 9 dB louder is, where beacons
 * hang six metres apart, within three metres of it (d2 ≤ d1 + 6 m and d2 ≈ 2.8 · d1). So a decibel of lead counts as a
 * decibel of level. Where a single beacon is in reach there is nothing to compare it with, and a phone on a body is likelier than a
 * bare antenna. Distances that a client has measured itself cannot be improved.
 *
 * Where a position is known, the lead makes it likelier that the radius of the loudest beacon holds the visitor. The position takes
 * every beacon for equally free of obstacles; through walls and past shelves the one that leads by far is the near one more
 * often than the position says (ADR 98).
 */

/** What is measured around an installation at a moment: distances in metres by levels alone. */
export interface Surroundings {
  readonly nearest: number;
  /** Infinite where no other one was measured lately. */
  readonly next: number;
  /** How many beacons are in contact. */
  readonly count: number;
  /** Whether it is known how loudly the installation hears. */
  readonly isKnown: boolean;
}

/** Lead that does not count, dB: somebody passing between two beacons has hardly any. */
const USUAL_LEAD = 4;
/** The most that counts, dB: a greater lead means a wall in front of the other beacon. */
const MAX_LEAD = 15;
/**
 * By how much the signal of a beacon heard alone is treated as louder, dB, if nothing is known about the phone. Phones on bodies hear
 * 10 to 18 dB less than a bare one, others as much; this may at most double the radius. A calibration says nothing about the phone.
 */
const ALONE_GAIN = 6;
/** Where a position is known: what a decibel of lead adds to the logarithm of the odds (10 dB beyond the usual lead: 3.3 times). */
const LOG_ODDS_PER_DECIBEL = 0.12;

export function fieldOf({ beacons, receiverOffset }: TrackState, at: number, reception: Reception): Surroundings {
  let [nearest, next, count] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  for (const beaconId of Object.keys(beacons)) {
    const state = beacons[beaconId] as PresenceState;
    if (!state.inContact) continue;
    count++;
    const distance = levelDistance(state, at, reception);
    if (distance === null) continue;
    if (distance < nearest) [nearest, next] = [distance, nearest];
    else if (distance < next) next = distance;
  }
  return { nearest, next, count, isKnown: receiverOffset !== null };
}

/**
 * The assumed distance of a beacon in metres, from the one that its level gives. A visitor with a visit there does not lose it
 * merely because another beacon gets louder.
 */
export function distanceInField(state: PresenceState, distance: number, field: Surroundings): number {
  const gain = gainOf(distance, field);
  const held = state.visit?.source === 'samples' ? Math.max(0, gain) : gain;
  return distance * 10 ** (-held / 20);
}

function gainOf(distance: number, { nearest, next, count, isKnown }: Surroundings): number {
  if (count < 2) return isKnown ? 0 : ALONE_GAIN;
  if (distance > nearest) return -USUAL_LEAD;
  // The others are in contact, but none was measured lately.
  if (next === Number.POSITIVE_INFINITY) return 0;
  return Math.min(MAX_LEAD, lossFromDistance(next) - lossFromDistance(distance)) - USUAL_LEAD;
}

/** By how much a beacon of several leads all others beyond the usual lead, dB; 0 for all but the loudest. */
export const leadOf = (distance: number | null, field: Surroundings): number =>
  distance === null ? 0 : Math.max(0, gainOf(distance, field));

/** How likely a radius holds the visitor, by the share of the position's belief in it and the beacon's lead (dB). */
export function likelyWith(share: number, lead: number): number {
  const times = Math.exp(LOG_ODDS_PER_DECIBEL * lead);
  return (share * times) / (1 + share * (times - 1));
}
