import { ActionIcon } from '@mantine/core';
import { useElementSize, useMediaQuery, useMergedRef } from '@mantine/hooks';
import type { Floor } from '@pharos/sdk';
import type { ReactNode, Ref } from 'react';
import { Icon } from '../../../components/page/icon.tsx';
import type { PlanFrame, Point } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import { Dot, Reach, Receiver } from './dot.tsx';
import classes from './plan.module.css';
import { useZoom } from './use-zoom.ts';

/** The plan of a floor with what is drawn on it. Metres are its units, x to the right and y downwards. */

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

interface Props {
  readonly label: string;
  readonly plan: { readonly url: string; readonly frame: PlanFrame } | undefined;
  readonly zones: readonly DrawnZone[];
  readonly walls?: Floor['walls'];
  /** Receivers, shown so that missing visitors can be explained. */
  readonly gateways?: Floor['gateways'];
  readonly spots?: readonly DrawnSpot[];
  readonly arrows?: readonly DrawnArrow[];
  readonly visitors?: readonly DrawnVisitor[];
  readonly drawing?: Ref<SVGSVGElement>;
  /** False: spots only say how large a floor without a picture is. */
  readonly hasHeat?: boolean;
  /** On top of everything; `px` is the metres of a pixel on the screen. */
  readonly over?: (px: number, frame: PlanFrame) => ReactNode;
}

/** Metres across the largest spot of heat. */
const spotRadius = 4;

/** On a phone, names and arrows could not be read on a plan as wide as the screen: it is pushed sideways. Pixels. */
const narrowest = 704;

export function PlanDrawing(props: Props) {
  const {
    label,
    plan,
    zones,
    walls = [],
    gateways = [],
    spots = [],
    arrows = [],
    visitors = [],
    drawing,
    hasHeat = true,
    over,
  } = props;
  const { ref, width: measured } = useElementSize<HTMLDivElement>();
  const isNarrow = useMediaQuery('(max-width: 48rem)', false, { getInitialValueInEffect: false });
  const { box, zoom, zoomIn, zoomOut } = useZoom(isNarrow && measured > 0 ? measured / narrowest : 1);
  const boxRef = useMergedRef(ref, box);
  const { left, top, width, height } =
    plan?.frame ?? frameAround(zones, walls, [...spots.map((spot) => spot.at), ...gateways]);
  // Metres of a pixel on the screen, so that texts and lines keep their size.
  const across = Math.max(measured, isNarrow ? narrowest : 280);
  const px = width / (zoom * across);
  const isScrolled = zoom > 1 || isNarrow;
  const svg = (
    <svg
      ref={drawing}
      style={isScrolled ? { width: `${zoom * across}px` } : {}}
      viewBox={`${left} ${top} ${width} ${height}`}
      role="img"
      aria-label={label}
      xmlns="http://www.w3.org/2000/svg"
    >
      <title>{label}</title>
      <Patterns />
      {plan && <image href={plan.url} x={left} y={top} width={width} height={height} preserveAspectRatio="none" />}
      <ZoneShapes zones={zones} px={px} />
      <Walls walls={walls} px={px} />
      {gateways.map((gateway) => (
        <Receiver key={gateway.name} {...gateway} px={px} />
      ))}
      {hasHeat && <Heat spots={spots} />}
      <Arrows arrows={arrows} px={px} />
      {visitors.map(({ id, at, accuracy }) => (
        <g key={id}>
          <Reach at={at} accuracy={accuracy} />
          <Dot at={at} px={px} mark={{ 'data-visitor': id }} />
        </g>
      ))}
      {zones.map((zone) => (
        <ZoneLabel key={zone.id} zone={zone} px={px} />
      ))}
      {over?.(px, { left, top, width, height })}
    </svg>
  );
  return (
    <div className={classes.sheet}>
      {/* Scrolled with the keyboard, too; its height stays what it was. */}
      <section
        ref={boxRef}
        className={classes.box}
        aria-label={t('{label}: the part that is shown', { label })}
        {...(isScrolled ? { tabIndex: 0 } : {})}
        style={zoom > 1 ? { maxHeight: `${(across * height) / width}px` } : {}}
      >
        {svg}
      </section>
      <div className={classes.zoom}>
        <ZoomButton label={t('Zoom in')} icon="plus" onClick={zoomIn} />
        <ZoomButton label={t('Zoom out')} icon="minus" onClick={zoomOut} />
      </div>
    </div>
  );
}

/** What shapes refer to: the colours of heat, and the tip of an arrow. */
function Patterns() {
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

type Layers = Required<Pick<Props, 'zones' | 'walls' | 'spots' | 'arrows'>>;
interface Px {
  /** Metres of a pixel on the screen. */
  readonly px: number;
}

function ZoneShapes({ zones, px }: Pick<Layers, 'zones'> & Px) {
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

function Walls({ walls, px }: Pick<Layers, 'walls'> & Px) {
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

function Heat({ spots }: Pick<Layers, 'spots'>) {
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

function Arrows({ arrows, px }: Pick<Layers, 'arrows'> & Px) {
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

interface ZoomProps {
  readonly label: string;
  readonly icon: 'plus' | 'minus';
  /** Absent: it cannot be larger, or smaller. */
  readonly onClick: (() => void) | undefined;
}

function ZoomButton({ label, icon, onClick }: ZoomProps) {
  return (
    <ActionIcon variant="default" aria-label={label} disabled={!onClick} onClick={onClick}>
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}

function ZoneLabel({ zone: { name, polygon, said }, px }: { readonly zone: DrawnZone; readonly px: number }) {
  const [left, right] = [Math.min(...polygon.map(({ x }) => x)), Math.max(...polygon.map(({ x }) => x))];
  const top = Math.min(...polygon.map(({ y }) => y));
  const size = px * (right - left > 80 * px ? 12 : 10);
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

export function middleOf(polygon: readonly Point[]): Point {
  const sum = polygon.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }), { x: 0, y: 0 });
  return { x: sum.x / polygon.length, y: sum.y / polygon.length };
}

/** Two ways between the same zones do not lie on each other. */
function bow(from: Point, to: Point): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const middle = { x: (from.x + to.x) / 2 - dy * 0.14, y: (from.y + to.y) / 2 + dx * 0.14 };
  return `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${to.x} ${to.y}`;
}

/** A floor with a beacon or two is a room at least, metres. */
const leastSide = 16;

function around(values: readonly number[]): readonly [first: number, length: number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const length = Math.max(leastSide, most - least + 4);
  return [(least + most - length) / 2, length];
}

/** Of a floor without a picture. */
function frameAround(zones: readonly DrawnZone[], walls: Floor['walls'] & {}, others: readonly Point[]): PlanFrame {
  const corners = [...zones.flatMap(({ polygon }) => polygon), ...walls.flatMap(({ points }) => points)];
  const points = [...corners, ...others];
  if (points.length === 0) return { left: 0, top: 0, width: 30, height: 20 };
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, width] = around(xs);
  const [top, height] = around(ys);
  return { left, top, width, height };
}
