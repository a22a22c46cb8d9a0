import type { BeaconLocation } from '../presence/types.ts';

/** Distances between a visitor and a beacon, and what ceilings between them cost. */

/** Height above the floor of a phone, and of a beacon whose height is unknown, m. */
const VISITOR_HEIGHT = 1.3;
const BEACON_HEIGHT = 2;
const FLOOR_HEIGHT = 3.5;
/** The attenuation of a ceiling, dB; ITU-R P.1238 has 9 to 15 dB for one floor of an office or a shop at 1.8–2.4 GHz. */
const FLOOR_LOSS = 15;
/** Nearer than this the log-distance model is meaningless, m. */
const NEAREST = 0.5;

/** Metres in space from a beacon to a visitor so many storeys above it. */
export function distanceAt(
  { x, y, z = BEACON_HEIGHT }: BeaconLocation,
  visitor: { readonly x: number; readonly y: number },
  storeys: number,
): number {
  return Math.hypot(visitor.x - x, visitor.y - y, VISITOR_HEIGHT - z + storeys * FLOOR_HEIGHT);
}

/** 10·log10 of a distance in metres. */
export const decadesOf = (metres: number): number => 10 * Math.log10(Math.max(metres, NEAREST));

/** What the ceilings of so many storeys take away, dB. */
export const storeyLoss = (storeys: number): number => Math.abs(storeys) * FLOOR_LOSS;
