import type { Floor, Zone } from '@pharos/sdk';
import { frameOf } from '../../../lib/plan/floor-geometry.ts';
import type { Point, Position } from './earth.ts';

/** How far a floor reaches: its plan or its size, and what is drawn on it. Undefined: unknown. */
export function outlineOf(floor: Floor, zones: readonly Zone[]): readonly Point[] | undefined {
  const { size } = floor;
  const frame = frameOf(floor) ?? (size && { left: 0, top: 0, ...size });
  const ofFrame = frame
    ? [
        { x: frame.left, y: frame.top },
        { x: frame.left + frame.width, y: frame.top + frame.height },
      ]
    : [];
  // A unit may not reach out of its level.
  const corners = [...ofFrame, ...zones.flatMap(({ polygon }) => polygon)];
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

/**
 * A point inside a polygon, for its name: the middle of its corners, or in a room around a corner the middle of the longest stretch
 * inside, half way up.
 */
export function pointInside(corners: readonly Position[]): Position {
  const count = Math.max(1, corners.length);
  const middle = (at: 0 | 1) => corners.reduce((sum, corner) => sum + corner[at], 0) / count;
  const [x, y] = [middle(0), middle(1)];
  const crossings = crossingsAt(corners, y);
  if (crossings.filter((at) => at < x).length % 2 === 1) return [rounded(x), rounded(y)];
  const heights = [...new Set(corners.map((corner) => corner[1]))].sort((a, b) => a - b);
  const half = Math.max(0, Math.floor(heights.length / 2) - 1);
  const height = ((heights[half] ?? y) + (heights[half + 1] ?? y)) / 2;
  const inside = crossingsAt(corners, height);
  let [from, until] = [x, x];
  for (let at = 0; at + 1 < inside.length; at += 2) {
    const [left = 0, right = 0] = [inside[at], inside[at + 1]];
    if (right - left > until - from) [from, until] = [left, right];
  }
  return [rounded((from + until) / 2), rounded(height)];
}

const rounded = (degrees: number) => Math.round(degrees * 1e9) / 1e9;

/** Where the edges of a polygon are at a height, from the left. */
function crossingsAt(corners: readonly Position[], height: number): number[] {
  return corners
    .flatMap((from, index) => {
      const to = corners[(index + 1) % corners.length] ?? from;
      if (from[1] > height === to[1] > height) return [];
      return [from[0] + ((height - from[1]) / (to[1] - from[1])) * (to[0] - from[0])];
    })
    .sort((a, b) => a - b);
}
