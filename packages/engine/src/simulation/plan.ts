/** Where virtual visitors walk: metres on one or more floors. Plain values; plan-file.ts reads them. */

export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly floor: number;
}

/** An obstacle that weakens radio and stops visitors. */
export interface Wall {
  readonly from: Spot;
  readonly to: Spot;
  /** How much it weakens the signal, in dB. */
  readonly loss: number;
}

export interface Waypoint extends Spot {
  readonly name: string;
  /** The least and most seconds that a visitor stays there; absent: visitors only pass. */
  readonly stay?: readonly [least: number, most: number];
  /** What a visitor looks at from here. */
  readonly faces?: Spot;
}

export interface PlannedBeacon extends Spot {
  /** The beacon as sightings name it: `{beacon: objectId}` or `{uuid, major, minor}`. */
  readonly address: Readonly<Record<string, unknown>>;
  /** RSSI at one metre in dBm. */
  readonly measuredPower: number;
  /** Milliseconds between two of its packets. */
  readonly interval: number;
  /** What traffic has taught: how much more of it is lost (dB), and how much larger its exponent is than the plan's. */
  readonly learned?: { readonly loss: number; readonly exponent: number } | undefined;
}

export interface FloorPlan {
  readonly beacons: readonly PlannedBeacon[];
  readonly walls: readonly Wall[];
  /** The first is the entrance. */
  readonly waypoints: readonly Waypoint[];
  /** Pairs of waypoints with a straight way between them, by name; undefined: all pairs. */
  readonly paths: readonly (readonly [string, string])[] | undefined;
  /** n of the log-distance model. */
  readonly pathLossExponent: number;
  /** Standard deviation of the shadows that things throw, dB; 4 without it. */
  readonly shadowDeviation?: number;
}

export const distance = (a: Spot, b: Spot): number => Math.hypot(a.x - b.x, a.y - b.y);

/** The side of the line from `a` to `b` on which a point lies: positive, negative, or 0 on it. */
const side = (a: Spot, b: Spot, point: Spot) => (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);

/** Whether a straight line on one floor crosses the wall. Touching its end counts. */
export function crosses(wall: Wall, from: Spot, to: Spot): boolean {
  if (wall.from.floor !== from.floor) return false;
  const [w1, w2] = [side(wall.from, wall.to, from), side(wall.from, wall.to, to)];
  const [l1, l2] = [side(from, to, wall.from), side(from, to, wall.to)];
  return w1 * w2 < 0 && l1 * l2 <= 0;
}

export const isOpen = (plan: Pick<FloorPlan, 'walls'>, from: Spot, to: Spot): boolean =>
  plan.walls.every((wall) => !crosses(wall, from, to));
