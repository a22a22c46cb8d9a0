import type { Fix } from '../presence/types.ts';
import { anyVelocity, keepAfter, move, reachAfter } from './motion.ts';
import { FORGET_MS } from './reckoning.ts';

/**
 * Positions that may look back: what was heard later corrects what was believed before. The Rauch–Tung–Striebel smoother (Maximum
 * likelihood estimates of linear dynamic systems, 1965) over the normal distributions that the steps of a position leave, with the
 * motion of motion.ts. It needs the fixes only, some 300 bytes for a second, and none of the samples.
 */

/** Place and velocity: x, y, their speeds. */
interface Normal {
  readonly mean: readonly number[];
  readonly spread: readonly (readonly number[])[];
}

/** The fixes of one installation in order of time, each corrected by the later ones; floors and ear stay as they were. */
export function smoothFixes(fixes: readonly Fix[]): Fix[] {
  const smoothed = [...fixes];
  let later: Normal | null = null;
  for (let index = fixes.length - 1; index >= 0; index--) {
    const fix = fixes[index] as Fix;
    const next = fixes[index + 1];
    const here = normalOf(fix);
    const isOver: boolean = later === null || next === undefined || next.at - fix.at >= FORGET_MS;
    later = isOver
      ? here
      : corrected(here, { fix, seconds: ((next as Fix).at - fix.at) / 1000, later: later as Normal });
    const [[xx, xy], [, yy]] = later.spread as [[number, number], [number, number]];
    const [x, y] = later.mean as [number, number];
    smoothed[index] = { ...fix, x, y, xx, xy, yy };
  }
  return smoothed;
}

function normalOf({
  x,
  y,
  xx,
  xy,
  yy,
  velocity = anyVelocity(),
}: Pick<Fix, 'x' | 'y' | 'xx' | 'xy' | 'yy' | 'velocity'>): Normal {
  const { placeX, placeY } = velocity;
  return {
    mean: [x, y, velocity.x, velocity.y],
    spread: [
      [xx, xy, placeX[0], placeX[1]],
      [xy, yy, placeY[0], placeY[1]],
      [placeX[0], placeY[0], velocity.xx, velocity.xy],
      [placeX[1], placeY[1], velocity.xy, velocity.yy],
    ],
  };
}

interface Later {
  readonly fix: Fix;
  /** Until the next step. */
  readonly seconds: number;
  /** What is believed of that, by all that was heard later. */
  readonly later: Normal;
}

function corrected(here: Normal, { fix, seconds, later }: Later): Normal {
  const expected = normalOf(move(fix, seconds));
  const [keep, reach] = [keepAfter(seconds), reachAfter(seconds)];
  // The covariance of now with the moment of the next step, by rows.
  const both = here.spread.map((row) => {
    const [x, y, speedX, speedY] = row as [number, number, number, number];
    return [x + reach * speedX, y + reach * speedY, keep * speedX, keep * speedY];
  });
  const gain = both.map((row) => solve(expected.spread, row));
  const missed = later.mean.map((value, index) => value - (expected.mean[index] as number));
  const change = later.spread.map((row, a) => row.map((value, b) => value - (expected.spread[a]?.[b] as number)));
  const changed = gain.map((row) => change.map((column) => dot(row, column)));
  return {
    mean: here.mean.map((value, index) => value + dot(gain[index] as number[], missed)),
    spread: here.spread.map((row, a) =>
      row.map((value, b) => value + dot(changed[a] as number[], gain[b] as number[])),
    ),
  };
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] as number), 0);

/** x of A·x = b by Gaussian elimination; A is symmetric and positive definite, so that no pivot has to be looked for. */
function solve(matrix: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, b[index] as number]);
  for (const [index, pivot] of rows.entries()) {
    for (const [other, row] of rows.entries()) {
      if (other === index) continue;
      const times = (row[index] as number) / (pivot[index] as number);
      for (let column = index; column < row.length; column++)
        row[column] = (row[column] as number) - times * (pivot[column] as number);
    }
  }
  return rows.map((row, index) => (row[row.length - 1] as number) / (row[index] as number));
}
