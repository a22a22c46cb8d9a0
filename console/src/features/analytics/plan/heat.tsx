import type { Point } from '../../../lib/plan/floor-geometry.ts';

/** What analytics draw on the plan of a floor: heat around beacons, and ways between zones. */

interface DrawnSpot {
  readonly id: string;
  readonly at: Point;
  readonly said: string;
  /** 0 to 1 of the largest. */
  readonly strength: number;
}

interface DrawnArrow {
  readonly id: string;
  readonly from: Point;
  readonly to: Point;
  readonly said: string;
  readonly strength: number;
}

/** Metres across the largest spot of heat. */
const spotRadius = 4;

export function Heat({ spots }: { readonly spots: readonly DrawnSpot[] }) {
  return (
    <>
      <radialGradient id="heat">
        <stop offset="0" stopColor="#e8590c" stopOpacity="0.85" />
        <stop offset="0.5" stopColor="#f08c00" stopOpacity="0.45" />
        <stop offset="1" stopColor="#f08c00" stopOpacity="0" />
      </radialGradient>
      {spots.map(({ id, at, said, strength }) => (
        <circle
          key={id}
          cx={at.x}
          cy={at.y}
          r={spotRadius * (0.35 + 0.65 * Math.sqrt(strength))}
          fill="url(#heat)"
          opacity={0.15 + 0.85 * strength}
        >
          <title>{said}</title>
        </circle>
      ))}
    </>
  );
}

export function Arrows({ arrows, px }: { readonly arrows: readonly DrawnArrow[]; readonly px: number }) {
  return (
    <>
      <marker id="tip" viewBox="0 0 6 6" refX="4.5" refY="3" markerWidth="3" markerHeight="3" orient="auto">
        <path d="M0 0 6 3 0 6z" fill="#c2410c" />
      </marker>
      {arrows.map(({ id, from, to, said, strength }) => (
        <path
          key={id}
          d={bow(from, to)}
          fill="none"
          stroke="#c2410c"
          strokeOpacity={0.4 + 0.5 * strength}
          strokeWidth={(1 + 7 * strength) * px}
          markerEnd="url(#tip)"
        >
          <title>{said}</title>
        </path>
      ))}
    </>
  );
}

/** Two ways between the same zones do not lie on each other. */
function bow(from: Point, to: Point): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const middle = { x: (from.x + to.x) / 2 - dy * 0.14, y: (from.y + to.y) / 2 + dx * 0.14 };
  return `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${to.x} ${to.y}`;
}
