import type { Floor, Zone } from '@pharos/sdk';
import { frameOf } from '../../../lib/plan/floor-geometry.ts';
import type { Point, Position } from './earth.ts';

/** How far a floor reaches: its plan, its size, or what is drawn on it. Undefined: nobody has said. */
export function outlineOf(floor: Floor, zones: readonly Zone[]): readonly Point[] | undefined {
  const { size } = floor;
  const frame = frameOf(floor) ?? (size && { left: 0, top: 0, ...size });
  const corners = frame
    ? [
        { x: frame.left, y: frame.top },
        { x: frame.left + frame.width, y: frame.top + frame.height },
      ]
    : zones.flatMap(({ polygon }) => polygon);
  if (corners.length < 2) return undefined;
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
}

const turn = (a: Position, b: Position, c: Position) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/** A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979; counterclockwise. */
export function hullOf(points: readonly Position[]): readonly Position[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (ordered: readonly Position[]) => {
    const chain: Position[] = [];
    for (const point of ordered) {
      while (chain.length > 1 && turn(chain.at(-2) ?? point, chain.at(-1) ?? point, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

/** As RFC 7946, 3.1.6 has it: closed, and counterclockwise. */
export function polygonOf(corners: readonly Position[]) {
  const twice = corners.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = corners[(index + 1) % corners.length] ?? [0, 0];
    return sum + x * nextY - nextX * y;
  }, 0);
  const ring = twice < 0 ? corners.toReversed() : corners;
  return { type: 'Polygon', coordinates: [[...ring, ...ring.slice(0, 1)]] };
}
