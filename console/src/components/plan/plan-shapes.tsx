import type { Floor } from '@pharos/sdk';
import type { Point } from '../../lib/plan/floor-geometry.ts';

/** What is drawn on the plan of a floor, each as a group of SVG. `px` is the metres of a pixel on the screen. */

export interface DrawnZone {
  readonly id: string;
  readonly name: string;
  readonly polygon: readonly Point[];
  /** Below the name. */
  readonly said?: string;
  /** How much of its colour it has, 0 to 1. */
  readonly strength: number;
  readonly isAlarm?: boolean;
}

interface Px {
  readonly px: number;
}

interface Chosen extends Px {
  readonly selected?: string | undefined;
}

export const chosenColour = '#c2410c';
const pointsOf = (points: readonly Point[]) => points.map(({ x, y }) => `${x},${y}`).join(' ');

export function ZoneShapes({ zones, selected, px }: { readonly zones: readonly DrawnZone[] } & Chosen) {
  return zones.map(({ id, polygon, strength, isAlarm }) => {
    const colour = isAlarm ? '#c92a2a' : id === selected ? chosenColour : undefined;
    return (
      <polygon
        key={id}
        data-id={id}
        points={pointsOf(polygon)}
        fill={colour ?? '#1c7ed6'}
        fillOpacity={isAlarm ? 0.35 : 0.04 + 0.4 * strength}
        stroke={colour ?? '#2f82c4'}
        strokeWidth={(colour ? 3 : 1.2) * px}
      />
    );
  });
}

export function Walls({ walls, selected, px }: { readonly walls: NonNullable<Floor['walls']> } & Chosen) {
  return walls.map(({ points }, at) => {
    const id = `wall ${at}`;
    const isSelected = id === selected;
    const line = { points: pointsOf(points), fill: 'none', strokeLinecap: 'square' } as const;
    return (
      <g key={id} data-id={id}>
        <polyline {...line} stroke={isSelected ? chosenColour : '#3b4656'} strokeWidth={(isSelected ? 5 : 2.5) * px} />
        {/* As wide as a finger. */}
        <polyline {...line} stroke="transparent" strokeWidth={12 * px} />
      </g>
    );
  });
}

/** Of an ordinary letter, in its size. */
const letterWidth = 0.62;
/** Pixels: smaller ones could not be read, and are in a list beside the plan. */
const smallestLetter = 5;

const halo = (px: number) =>
  ({ stroke: '#fff', strokeWidth: 3 * px, paintOrder: 'stroke', strokeLinejoin: 'round' }) as const;

/** Below the upper side; where the zone is narrow on several lines, and smaller if a word would not fit. */
export function ZoneLabel({ zone: { name, polygon, said }, px }: { readonly zone: DrawnZone } & Px) {
  const xs = polygon.map(({ x }) => x);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const top = Math.min(...polygon.map(({ y }) => y));
  const words = name.split(' ');
  const size = Math.min(12, (right - left) / px / (letterWidth * Math.max(...words.map(({ length }) => length))));
  const room = (right - left) / px / (letterWidth * size);
  const lines = words.slice(1).reduce(
    ([line = '', ...before], word) => {
      const longer = `${line} ${word}`;
      return longer.length <= room ? [longer, ...before] : [word, `${line} `, ...before];
    },
    words.slice(0, 1),
  );
  const shown = size < smallestLetter ? [] : lines.toReversed();
  const x = (left + right) / 2;
  return (
    <g textAnchor="middle" fontFamily="sans-serif" fill="#1c2430" pointerEvents="none" {...halo(px)}>
      <text fontSize={size * px} y={top}>
        {shown.map((line, at) => (
          <tspan key={line} x={x} dy={(at === 0 ? 1.3 : 1.15) * size * px}>
            {line}
          </tspan>
        ))}
      </text>
      {said && (
        <text x={x} y={top + (1.3 + 1.15 * shown.length) * size * px} fontSize={12 * px} fontWeight={700}>
          {said}
        </text>
      )}
    </g>
  );
}

interface MarkShape {
  /** It stands for a gateway, and looks like one. */
  readonly isGateway?: boolean;
  readonly isSelected?: boolean;
  /** There is something to do there. */
  readonly isWrong?: boolean;
}

/** A beacon, or a gateway as a square, in pixels. */
export function MarkShape({ isGateway = false, isSelected = false, isWrong = false }: MarkShape) {
  const usual = isGateway ? '#5b21b6' : isWrong ? '#fab005' : '#145a93';
  const colours = { fill: isSelected ? chosenColour : usual, stroke: '#fff', strokeWidth: 2 };
  return isGateway ? <rect x={-7} y={-7} width={14} height={14} rx={3} {...colours} /> : <circle r={7} {...colours} />;
}

interface MarkProps extends MarkShape, Px {
  readonly id: string;
  readonly name: string;
  readonly at: Point;
}

export function Mark({ id, name, at, px, ...shape }: MarkProps) {
  return (
    <g data-id={id} transform={`translate(${at.x} ${at.y}) scale(${px})`}>
      <title>{name}</title>
      <MarkShape {...shape} />
    </g>
  );
}

interface LineProps extends Px {
  readonly points: readonly Point[];
  readonly isDashed?: boolean;
}

/** A line that somebody draws, with its corners. */
export function DrawnLine({ points, isDashed = false, px }: LineProps) {
  const style = { stroke: chosenColour, strokeWidth: 2 * px, pointerEvents: 'none' } as const;
  return (
    <>
      <polyline
        points={pointsOf(points)}
        fill="none"
        strokeDasharray={isDashed ? `${6 * px} ${4 * px}` : undefined}
        {...style}
      />
      {points.map((point, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a corner has no other identity
        <circle key={at} cx={point.x} cy={point.y} r={5 * px} fill={chosenColour} fillOpacity={0.2} {...style} />
      ))}
    </>
  );
}

interface DotProps extends Px {
  readonly at: Point;
  /** A ring is where somebody is believed to be, a filled dot where they are. */
  readonly isRing?: boolean;
  /** What finds it in the page. */
  readonly mark: Readonly<Record<`data-${string}`, string | number>>;
}

/** A visitor: a dot at the position. */
export function Dot({ at, px, isRing = false, mark }: DotProps) {
  return (
    <circle
      {...mark}
      cx={at.x}
      cy={at.y}
      r={5 * px}
      fill={isRing ? '#fff' : '#0c8599'}
      stroke={isRing ? '#e8590c' : '#fff'}
      strokeWidth={(isRing ? 2.4 : 1.4) * px}
    />
  );
}

/** The circle of its uncertainty: `accuracy` in metres. */
export function Reach({
  at,
  accuracy,
  isRing = false,
}: Pick<DotProps, 'at' | 'isRing'> & { readonly accuracy: number }) {
  return <circle cx={at.x} cy={at.y} r={accuracy} fill={isRing ? '#e8590c' : '#0c8599'} fillOpacity={0.12} />;
}
