import type { Floor } from '@pharos/sdk';
import type { Point } from '../../../lib/plan/floor-geometry.ts';

/** What is drawn on the plan of a floor, each as a group of SVG: zones with their names, walls, heat, and ways between zones. */

export interface DrawnZone {
  readonly id: string;
  readonly name: string;
  readonly polygon: readonly Point[];
  /** Below the name. */
  readonly said: string;
  /** How much of its colour it has, 0 to 1. */
  readonly strength: number;
  readonly isAlarm?: boolean;
}

export interface DrawnSpot {
  readonly id: string;
  readonly at: Point;
  readonly said: string;
  /** 0 to 1 of the largest. */
  readonly strength: number;
}

export interface DrawnArrow {
  readonly id: string;
  readonly from: Point;
  readonly to: Point;
  readonly said: string;
  readonly strength: number;
}

export interface DrawnVisitor {
  readonly id: string;
  readonly at: Point;
  /** Metres. */
  readonly accuracy: number;
}

/** Metres across the largest spot of heat. */
const spotRadius = 4;

/** What shapes refer to: the colours of heat, and the tip of an arrow. */
export function Patterns() {
  return (
    <defs>
      <radialGradient id="heat">
        <stop offset="0" stopColor="#e8590c" stopOpacity="0.85" />
        <stop offset="0.5" stopColor="#f08c00" stopOpacity="0.45" />
        <stop offset="1" stopColor="#f08c00" stopOpacity="0" />
      </radialGradient>
      <marker id="tip" viewBox="0 0 6 6" refX="4.5" refY="3" markerWidth="3" markerHeight="3" orient="auto">
        <path d="M0 0 6 3 0 6z" fill="#c2410c" />
      </marker>
    </defs>
  );
}

interface Px {
  /** Metres of a pixel on the screen. */
  readonly px: number;
}

export function ZoneShapes({ zones, px }: { readonly zones: readonly DrawnZone[] } & Px) {
  return (
    <>
      {zones.map(({ id, polygon, strength, isAlarm }) => (
        <polygon
          key={id}
          points={polygon.map(({ x, y }) => `${x},${y}`).join(' ')}
          fill={isAlarm ? '#c92a2a' : '#1c7ed6'}
          fillOpacity={isAlarm ? 0.35 : 0.04 + 0.4 * strength}
          stroke={isAlarm ? '#c92a2a' : '#2f82c4'}
          strokeWidth={(isAlarm ? 3 : 1.2) * px}
        />
      ))}
    </>
  );
}

export function Walls({ walls, px }: { readonly walls: NonNullable<Floor['walls']> } & Px) {
  return (
    <>
      {walls.map(({ points }, at) => (
        <polyline
          // biome-ignore lint/suspicious/noArrayIndexKey: a wall has no other identity
          key={at}
          data-wall={at}
          points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
          fill="none"
          stroke="#3b4656"
          strokeWidth={2.5 * px}
          strokeLinecap="square"
        />
      ))}
    </>
  );
}

export function Heat({ spots }: { readonly spots: readonly DrawnSpot[] }) {
  return (
    <>
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

export function Arrows({ arrows, px }: { readonly arrows: readonly DrawnArrow[] } & Px) {
  return (
    <>
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

export function ZoneLabel({ zone: { name, polygon, said }, px }: { readonly zone: DrawnZone; readonly px: number }) {
  const [left, right] = [Math.min(...polygon.map(({ x }) => x)), Math.max(...polygon.map(({ x }) => x))];
  const top = Math.min(...polygon.map(({ y }) => y));
  const size = px * (right - left > 0.62 * 12 * px * name.length ? 12 : 10);
  const room = Math.floor((right - left) / (0.62 * size));
  const x = (left + right) / 2;
  const halo = { stroke: '#fff', strokeWidth: 3 * px, paintOrder: 'stroke', strokeLinejoin: 'round' } as const;
  // A name that has no room is in the table below.
  const short = name.length <= room ? name : room > 5 ? `${name.slice(0, room - 1)}…` : '';
  return (
    <g textAnchor="middle" fontFamily="sans-serif" fill="#1c2430">
      {short !== '' && (
        <text x={x} y={top + 1.3 * size} fontSize={size} {...halo}>
          {short}
        </text>
      )}
      <text x={x} y={top + 2.5 * size} fontSize={size} fontWeight={700} {...halo}>
        {said}
      </text>
    </g>
  );
}

/** Two ways between the same zones do not lie on each other. */
function bow(from: Point, to: Point): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const middle = { x: (from.x + to.x) / 2 - dy * 0.14, y: (from.y + to.y) / 2 + dx * 0.14 };
  return `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${to.x} ${to.y}`;
}
