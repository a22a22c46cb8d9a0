/** Polygons in the metres of a floor: x to the right, y downwards, closed by themselves. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Twice the signed area of a triangle; 0 where its corners are in a line. */
const turn = (a: Point, b: Point, c: Point) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

const isBetween = (a: Point, b: Point, p: Point) =>
  Math.min(a.x, b.x) <= p.x && p.x <= Math.max(a.x, b.x) && Math.min(a.y, b.y) <= p.y && p.y <= Math.max(a.y, b.y);

function meet(a: Point, b: Point, c: Point, d: Point): boolean {
  const turns = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)].map(Math.sign);
  const [ofC, ofD, ofA, ofB] = turns;
  if (ofC !== ofD && ofA !== ofB) return true;
  return (
    (ofC === 0 && isBetween(a, b, c)) ||
    (ofD === 0 && isBetween(a, b, d)) ||
    (ofA === 0 && isBetween(c, d, a)) ||
    (ofB === 0 && isBetween(c, d, b))
  );
}

const sidesOf = (points: readonly Point[]) =>
  points.map((point, index) => [point, points[(index + 1) % points.length] as Point] as const);

/** What is wrong with a polygon, as the end of a sentence; undefined if nothing is. */
export function polygonProblem(points: readonly Point[]): string | undefined {
  const sides = sidesOf(points);
  const same = sides.findIndex(([a, b]) => a.x === b.x && a.y === b.y);
  if (same >= 0) return `has the same point twice in a row (point ${same + 1})`;
  const [p, q] = points as readonly [Point, Point];
  if (points.every((point) => turn(p, q, point) === 0)) return 'has no area: its points are in a line';
  for (const [first, [a, b]] of sides.entries()) {
    for (let second = first + 1; second < sides.length; second++) {
      const [c, d] = sides[second] as (typeof sides)[number];
      const isNext = second === first + 1 || (first === 0 && second === sides.length - 1);
      // Sides that share a corner meet there; they must not lie on each other.
      const goesBack =
        isNext && turn(a, b, second === first + 1 ? d : c) === 0 && foldsBack(a, b, c, d, second === first + 1);
      if (goesBack || (!isNext && meet(a, b, c, d)))
        return `crosses itself: side ${first + 1} meets side ${second + 1}`;
    }
  }
  return undefined;
}

/** Two sides in a line, one of which runs back over the other. */
function foldsBack(a: Point, b: Point, c: Point, d: Point, isForward: boolean): boolean {
  const [before, corner, behind] = isForward ? [a, b, d] : [c, a, b];
  return (before.x - corner.x) * (behind.x - corner.x) + (before.y - corner.y) * (behind.y - corner.y) > 0;
}

/** Square metres. */
export function areaOf(points: readonly Point[]): number {
  const twice = sidesOf(points).reduce((sum, [a, b]) => sum + a.x * b.y - b.x * a.y, 0);
  return Math.abs(twice) / 2;
}

/** Whether a point lies in the polygon or on its border. */
export function isInside(points: readonly Point[], point: Point): boolean {
  let inside = false;
  for (const [a, b] of sidesOf(points)) {
    if (turn(a, b, point) === 0 && isBetween(a, b, point)) return true;
    if (a.y > point.y !== b.y > point.y && point.x < ((b.x - a.x) * (point.y - a.y)) / (b.y - a.y) + a.x)
      inside = !inside;
  }
  return inside;
}

export function boxOf(points: readonly Point[]) {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { left_x: Math.min(...xs), right_x: Math.max(...xs), top_y: Math.min(...ys), bottom_y: Math.max(...ys) };
}
