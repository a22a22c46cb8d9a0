import type { Floor } from '@pharos/sdk';
import type { PlanFrame, Point } from '../../../lib/plan/floor-geometry.ts';

/** Where things lie on a floor, and how large it is where no picture says so. Metres. */

export function middleOf(polygon: readonly Point[]): Point {
  const sum = polygon.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }), { x: 0, y: 0 });
  return { x: sum.x / polygon.length, y: sum.y / polygon.length };
}

/** A floor with a beacon or two is a room at least. */
const leastSide = 16;

function around(values: readonly number[]): readonly [first: number, length: number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const length = Math.max(leastSide, most - least + 4);
  return [(least + most - length) / 2, length];
}

/** Of a floor without a picture. */
export function frameAround(
  zones: readonly { readonly polygon: readonly Point[] }[],
  walls: Floor['walls'] & {},
  others: readonly Point[],
): PlanFrame {
  const corners = [...zones.flatMap(({ polygon }) => polygon), ...walls.flatMap(({ points }) => points)];
  const points = [...corners, ...others];
  if (points.length === 0) return { left: 0, top: 0, width: 30, height: 20 };
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, width] = around(xs);
  const [top, height] = around(ys);
  return { left, top, width, height };
}
