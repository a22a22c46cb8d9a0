import type { PlanFrame, Point } from './floor-geometry.ts';

/** Where things lie on a floor, and how large it is. Metres. */

export function middleOf(polygon: readonly Point[]): Point {
  const sum = polygon.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }), { x: 0, y: 0 });
  return { x: sum.x / polygon.length, y: sum.y / polygon.length };
}

/** A floor with a beacon or two is a room at least. */
const leastSide = 16;

/** Around a picture and what lies beside it; without a picture around everything, with a margin. */
export function frameAround(picture: PlanFrame | undefined, points: readonly Point[], margin = 2): PlanFrame {
  if (!picture && points.length === 0) return { left: 0, top: 0, width: 30, height: 20 };
  const { left = 0, top = 0, width = 0, height = 0 } = picture ?? {};
  const side = (values: readonly number[], first: number, length: number): readonly [number, number] => {
    const known = picture ? [first, first + length] : [];
    const [least, most] = [Math.min(...values, ...known), Math.max(...values, ...known)];
    const all = picture ? most - least : Math.max(leastSide, most - least + 2 * margin);
    return [(least + most - all) / 2, all];
  };
  const [x, across] = side(
    points.map((point) => point.x),
    left,
    width,
  );
  const [y, down] = side(
    points.map((point) => point.y),
    top,
    height,
  );
  return { left: x, top: y, width: across, height: down };
}
