import type { Floor } from '@pharos/sdk';
import { type RefObject, useEffect, useRef } from 'react';
import { type PlanFrame, type Point, roundPoint } from '../../../lib/plan/floor-geometry.ts';
import { Dot, Reach } from '../plan/dot.tsx';
import { PlanDrawing } from '../plan/plan-drawing.tsx';
import type { DrawnZone } from '../plan/plan-shapes.tsx';
import classes from './stage.module.css';
import type { Pose, WayPoint } from './walk.ts';

/** The plan of a floor with a way that is drawn on it, and with visitors where they are and are believed to be. */

interface DrawnWalker extends Pose {
  readonly number: number;
  /** What the phone has just shown. */
  readonly said?: string | undefined;
}

interface Props {
  readonly label: string;
  readonly plan: { readonly url: string; readonly frame: PlanFrame } | undefined;
  readonly zones: readonly DrawnZone[];
  readonly walls: Floor['walls'];
  readonly beacons: readonly { readonly id: string; readonly name: string; readonly at: Point }[];
  readonly floor: { readonly objectId: string; readonly level: number };
  /** Of all floors. */
  readonly points: readonly WayPoint[];
  readonly entrance: Point | undefined;
  readonly walkers: readonly DrawnWalker[];
  readonly onAdd: (point: Point) => void;
  readonly onMove: (index: number, to: Point) => void;
}

export function StagePlan(props: Props) {
  const { label, plan, zones, walls, beacons, floor, points, entrance, walkers, onAdd, onMove } = props;
  const drawing = useRef<SVGSVGElement>(null);
  usePointer(drawing, { onAdd, onMove });
  return (
    <div className={classes.plan}>
      <PlanDrawing
        label={label}
        plan={plan}
        walls={walls}
        zones={zones}
        spots={beacons.map(({ id, name, at }) => ({ id, at, said: name, strength: 0 }))}
        hasHeat={false}
        drawing={drawing}
        over={(px, frame) => (
          <>
            {beacons.map(({ id, at, name }) => (
              <rect
                key={id}
                x={at.x - 3.5 * px}
                y={at.y - 3.5 * px}
                width={7 * px}
                height={7 * px}
                rx={1.5 * px}
                fill="#145a93"
                stroke="#fff"
                strokeWidth={px}
              >
                <title>{name}</title>
              </rect>
            ))}
            <Way points={points} floorId={floor.objectId} px={px} />
            {entrance && <Handle index={0} at={entrance} label="→" px={px} />}
            {walkers.map((walker) => (
              <Walker
                key={walker.number}
                walker={walker}
                level={floor.level}
                isAlone={walkers.length === 1}
                px={px}
                frame={frame}
              />
            ))}
          </>
        )}
      />
    </div>
  );
}

interface WayProps {
  readonly points: readonly WayPoint[];
  /** The floor that is shown: the way to another one is walked where it begins. */
  readonly floorId: string;
  readonly px: number;
}

function Way({ points, floorId, px }: WayProps) {
  const legs = points.slice(1).map((to, index) => ({ from: points[index] ?? to, to }));
  return (
    <>
      <path
        d={legs
          .filter(({ from }) => from.floorId === floorId)
          .map(({ from, to }) => `M${from.x} ${from.y}L${to.x} ${to.y}`)
          .join('')}
        fill="none"
        stroke="#862e9c"
        strokeWidth={2 * px}
        strokeDasharray={`${6 * px} ${4 * px}`}
      />
      {points.map(
        (point, index) =>
          point.floorId === floorId && (
            // biome-ignore lint/suspicious/noArrayIndexKey: a point is known by its place in the way
            <Handle key={index} index={index} at={point} label={String(index + 1)} px={px} />
          ),
      )}
    </>
  );
}

interface HandleProps {
  readonly index: number;
  readonly at: Point;
  readonly label: string;
  readonly px: number;
}

function Handle({ index, at, label, px }: HandleProps) {
  return (
    <g data-point={index} className={classes.handle}>
      <circle cx={at.x} cy={at.y} r={14 * px} fill="transparent" />
      <circle cx={at.x} cy={at.y} r={8 * px} fill="#862e9c" stroke="#fff" strokeWidth={1.5 * px} />
      <text
        x={at.x}
        y={at.y + 3.4 * px}
        fontSize={9.5 * px}
        fontWeight={700}
        textAnchor="middle"
        fontFamily="sans-serif"
        fill="#fff"
      >
        {label}
      </text>
    </g>
  );
}

interface WalkerProps {
  readonly walker: DrawnWalker;
  /** Of the floor that is shown. */
  readonly level: number;
  readonly isAlone: boolean;
  readonly px: number;
  readonly frame: PlanFrame;
}

function Walker({ walker, level, isAlone, px, frame }: WalkerProps) {
  const { number, believed, said } = walker;
  const at = walker.at?.floor === level ? walker.at : undefined;
  // A text at the edge turns inwards.
  const part = at ? (at.x - frame.left) / frame.width : 0.5;
  const anchor = part < 0.25 ? 'start' : part > 0.75 ? 'end' : 'middle';
  // If the floor of beacons has no number, the visitor's floor is unknown.
  const isHere = believed?.floor === undefined ? at !== undefined : believed.floor === level;
  const { x, y, accuracy = 0 } = believed ?? {};
  const guess = isHere && x !== undefined && y !== undefined ? { x, y } : undefined;
  return (
    <g>
      {guess && (
        <>
          {isAlone && <Reach at={guess} accuracy={accuracy} isRing />}
          {at && <line x1={at.x} y1={at.y} x2={guess.x} y2={guess.y} stroke="#e8590c" strokeWidth={1.2 * px} />}
          <Dot at={guess} px={px} isRing mark={{ 'data-believed': number }} />
        </>
      )}
      {at && <Dot at={at} px={px} mark={{ 'data-walker': number }} />}
      {at && said && (
        <text
          x={at.x}
          y={at.y - 11 * px}
          fontSize={12 * px}
          fontWeight={700}
          textAnchor={anchor}
          fontFamily="sans-serif"
          fill="#1c2430"
          stroke="#fff"
          strokeWidth={4 * px}
          paintOrder="stroke"
        >
          {said.length > 34 ? `${said.slice(0, 33)}…` : said}
        </text>
      )}
    </g>
  );
}

interface PointerEvents {
  readonly onAdd: (point: Point) => void;
  readonly onMove: (index: number, to: Point) => void;
}

/** A click adds a point, a drag moves one. The keyboard has the table of points. */
function usePointer(drawing: RefObject<SVGSVGElement | null>, events: PointerEvents): void {
  const latest = useRef(events);
  latest.current = events;
  useEffect(() => {
    const element = drawing.current;
    if (!element) return;
    let dragged: number | undefined;
    // The click that follows a drag is none on the plan.
    let wasDragged = false;
    const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
      const seen = new DOMPoint(clientX, clientY).matrixTransform(element.getScreenCTM()?.inverse());
      return roundPoint({ x: seen.x, y: seen.y });
    };
    const handleOf = ({ target }: Event) => (target as Element).closest('[data-point]')?.getAttribute('data-point');
    const down = (event: PointerEvent) => {
      wasDragged = false;
      const handle = handleOf(event);
      if (handle === null || handle === undefined) return;
      dragged = Number(handle);
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent) => {
      if (dragged !== undefined) latest.current.onMove(dragged, pointOf(event));
    };
    const up = () => {
      wasDragged = dragged !== undefined;
      dragged = undefined;
    };
    const click = (event: MouseEvent) => {
      if (!wasDragged && handleOf(event) === undefined) latest.current.onAdd(pointOf(event));
      wasDragged = false;
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', up);
    element.addEventListener('click', click);
    return () => {
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', up);
      element.removeEventListener('click', click);
    };
  }, [drawing]);
}
