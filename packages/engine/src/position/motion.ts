import type { Fix, Velocity } from '../presence/types.ts';
import type { Layout } from './layout.ts';

/**
 * How a visitor moves. The velocity is an Ornstein–Uhlenbeck process in each direction (friction, and a random force): whoever walks
 * keeps walking for some seconds, and nobody walks faster and faster. It is never measured; what a step says about the position
 * says something about the velocity too, by regression (the update of a Kalman filter, with the moments of the grid in place of
 * a measurement). Place in metres, time in seconds.
 */

/** Variance of the velocity in each direction, m²/s²: half of all are slower than 0.8 m/s. */
const SPEED_VARIANCE = 0.5;
/** How long a visitor keeps to a velocity, s. */
const PERSISTENCE = 5;
/** What is added to the place each second without any velocity, m²/s: an arm moves, a body turns, a reflection comes and goes. */
const RESTLESSNESS = 0.2;

/** A place with a velocity, as expected before anything is heard. */
export interface Moved extends Place {
  readonly velocity: Velocity;
}

type Place = Pick<Fix, 'x' | 'y' | 'xx' | 'xy' | 'yy'>;

/** Nothing is known: states of older versions have no velocity either. */
export const anyVelocity = (): Velocity => ({
  x: 0,
  y: 0,
  xx: SPEED_VARIANCE,
  xy: 0,
  yy: SPEED_VARIANCE,
  placeX: [0, 0],
  placeY: [0, 0],
});

/** The share of a velocity that is left after some seconds, and how far it has led by then, s. */
export const keepAfter = (seconds: number): number => Math.exp(-seconds / PERSISTENCE);
export const reachAfter = (seconds: number): number => PERSISTENCE * (1 - keepAfter(seconds));

/** The place and the velocity some seconds later. */
export function move(fix: Place & Pick<Fix, 'velocity'>, seconds: number): Moved {
  const velocity = fix.velocity ?? anyVelocity();
  const { placeX, placeY } = velocity;
  const [keep, reach] = [keepAfter(seconds), reachAfter(seconds)];
  const added = SPEED_VARIANCE * (1 - keep * keep);
  const both = SPEED_VARIANCE * PERSISTENCE * (1 - keep) ** 2;
  const wandered = SPEED_VARIANCE * PERSISTENCE ** 2 * ((2 * seconds) / PERSISTENCE - 3 + 4 * keep - keep * keep);
  const spread = wandered + RESTLESSNESS * seconds;
  return {
    x: fix.x + reach * velocity.x,
    y: fix.y + reach * velocity.y,
    xx: fix.xx + 2 * reach * placeX[0] + reach * reach * velocity.xx + spread,
    xy: fix.xy + reach * (placeX[1] + placeY[0]) + reach * reach * velocity.xy,
    yy: fix.yy + 2 * reach * placeY[1] + reach * reach * velocity.yy + spread,
    velocity: {
      x: keep * velocity.x,
      y: keep * velocity.y,
      xx: keep * keep * velocity.xx + added,
      xy: keep * keep * velocity.xy,
      yy: keep * keep * velocity.yy + added,
      placeX: [keep * (placeX[0] + reach * velocity.xx) + both, keep * (placeX[1] + reach * velocity.xy)],
      placeY: [keep * (placeY[0] + reach * velocity.xy), keep * (placeY[1] + reach * velocity.yy) + both],
    },
  };
}

/** Where the visitor is found after a step. */
export interface Found extends Pick<Fix, 'x' | 'y'> {
  /** The share of the belief that goes back to what was expected; the rest was lost and has any velocity. */
  readonly share: number;
  /** Its first and second moments about `x` and `y`. */
  readonly sx: number;
  readonly sy: number;
  readonly sxx: number;
  readonly sxy: number;
  readonly syy: number;
}

interface Belief extends Pick<Fix, 'x' | 'y'> {
  /** By cell, 1 in all. */
  readonly belief: Float64Array;
  /** The share of it that goes back to what was expected, by cell. */
  readonly carried: Float64Array;
}

/** What a step has found around a mean place. */
export function foundIn(layout: Layout, { x, y, belief, carried }: Belief): Found {
  let [share, sx, sy, sxx, sxy, syy] = [0, 0, 0, 0, 0, 0];
  for (let cell = 0; cell < layout.cells; cell++) {
    const kept = (belief[cell] as number) * (carried[cell] as number);
    const dx = (layout.x[cell] as number) - x;
    const dy = (layout.y[cell] as number) - y;
    share += kept;
    sx += kept * dx;
    sy += kept * dy;
    sxx += kept * dx * dx;
    sxy += kept * dx * dy;
    syy += kept * dy * dy;
  }
  return { x, y, share, sx, sy, sxx, sxy, syy };
}

/** The velocity after a step. */
export function velocityAfter(moved: Moved | null, found: Found): Velocity {
  if (moved === null) return anyVelocity();
  const { x, y, xx, xy, yy, velocity } = moved;
  const { share, sx, sy, sxx, sxy, syy } = found;
  const determinant = xx * yy - xy * xy;
  // The regression of each velocity on the place.
  const slope = ([byX, byY]: readonly [number, number]) =>
    [(yy * byX - xy * byY) / determinant, (xx * byY - xy * byX) / determinant] as const;
  const byX = [velocity.placeX[0], velocity.placeY[0]] as const;
  const byY = [velocity.placeX[1], velocity.placeY[1]] as const;
  const [ax, ay] = slope(byX);
  const [bx, by] = slope(byY);
  // The velocity of those who are at `x`, `y`, and what the place says nothing about.
  const [u, v] = [
    velocity.x + ax * (found.x - x) + ay * (found.y - y),
    velocity.y + bx * (found.x - x) + by * (found.y - y),
  ];
  const uu = velocity.xx - ax * byX[0] - ay * byX[1];
  const uv = velocity.xy - ax * byY[0] - ay * byY[1];
  const vv = velocity.yy - bx * byY[0] - by * byY[1];
  const [leanX, leanY] = [ax * sx + ay * sy, bx * sx + by * sy];
  const [meanX, meanY] = [share * u + leanX, share * v + leanY];
  const square = (px: number, py: number, qx: number, qy: number) =>
    px * (qx * sxx + qy * sxy) + py * (qx * sxy + qy * syy);
  const lost = (1 - share) * SPEED_VARIANCE;
  return {
    x: meanX,
    y: meanY,
    xx: share * (uu + u * u) + 2 * u * leanX + square(ax, ay, ax, ay) + lost - meanX * meanX,
    xy: share * (uv + u * v) + u * leanY + v * leanX + square(ax, ay, bx, by) - meanX * meanY,
    yy: share * (vv + v * v) + 2 * v * leanY + square(bx, by, bx, by) + lost - meanY * meanY,
    placeX: [sx * u + ax * sxx + ay * sxy, sx * v + bx * sxx + by * sxy],
    placeY: [sy * u + ax * sxy + ay * syy, sy * v + bx * sxy + by * syy],
  };
}
