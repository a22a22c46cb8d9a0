import type { Floor } from '@pharos/sdk';
import { Handle } from '../../../components/plan/handle.tsx';
import { PlanDrawing } from '../../../components/plan/plan-drawing.tsx';
import { Dot, type DrawnZone, Reach } from '../../../components/plan/plan-shapes.tsx';
import { type PlanFrame, type Point, roundPoint } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
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
  return (
    <PlanDrawing
      label={label}
      plan={plan}
      walls={walls}
      zones={zones}
      around={beacons.map(({ at }) => at)}
      isPointing
      // A click on a point of the way chooses it, and adds none.
      onTap={(at, id) => id?.startsWith('point ') || onAdd(roundPoint(at))}
    >
      {(px, frame) => (
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
          <Way points={points} floorId={floor.objectId} px={px} onMove={onMove} />
          {entrance && <WayHandle index={0} at={entrance} name={t('Entrance')} label="→" px={px} onMove={onMove} />}
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
    </PlanDrawing>
  );
}

interface WayProps {
  readonly points: readonly WayPoint[];
  /** The floor that is shown: the way to another one is walked where it begins. */
  readonly floorId: string;
  readonly px: number;
  readonly onMove: Props['onMove'];
}

function Way({ points, floorId, px, onMove }: WayProps) {
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
            <WayHandle
              // biome-ignore lint/suspicious/noArrayIndexKey: a point is known by its place in the way
              key={index}
              index={index}
              at={point}
              name={t('Point {index}', { index: index + 1 })}
              label={String(index + 1)}
              px={px}
              onMove={onMove}
            />
          ),
      )}
    </>
  );
}

interface HandleProps {
  readonly index: number;
  readonly at: Point;
  readonly name: string;
  readonly label: string;
  readonly px: number;
  readonly onMove: Props['onMove'];
}

function WayHandle({ index, at, name, label, px, onMove }: HandleProps) {
  return (
    <Handle id={`point ${index}`} at={at} label={name} px={px} onMove={(to) => onMove(index, to)}>
      <circle r={8} fill="#862e9c" stroke="#fff" strokeWidth={1.5} />
      <text y={3.4} fontSize={9.5} fontWeight={700} textAnchor="middle" fontFamily="sans-serif" fill="#fff">
        {label}
      </text>
    </Handle>
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
