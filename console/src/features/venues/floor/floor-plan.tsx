import { type Ref, useState } from 'react';
import { Handle } from '../../../components/plan/handle.tsx';
import { PlanDrawing } from '../../../components/plan/plan-drawing.tsx';
import { chosenColour, DrawnLine, Mark, MarkShape } from '../../../components/plan/plan-shapes.tsx';
import { type PlanFrame, type Point, roundPoint, snapTo } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import { markOf, roomAround, zoneOf } from './floor-tap.tsx';
import type { Drawing } from './use-drawing.ts';
import type { Known } from './use-floor.ts';

interface Props {
  readonly label: string;
  readonly plan: { readonly url: string; readonly frame: PlanFrame } | undefined;
  readonly known: Known;
  readonly drawing: Drawing;
  /** Where surveys found the wrong zone reported. */
  readonly spots: readonly Point[];
  readonly svg: Ref<SVGSVGElement>;
  /** Zones, walls and gateways; and beacons: an editor draws, and installers place. */
  readonly mayEdit: boolean;
  readonly mayPlace: boolean;
}

interface Outline {
  readonly id: string;
  readonly name: string;
  readonly points: readonly Point[];
  readonly isZone: boolean;
  readonly change: (points: readonly Point[]) => void;
}

/** More are dots; the chosen one alone can be dragged then. */
const maxHandles = 300;
/** Pixels. */
const snapReach = 12;
/** Metres; as large as the squares of which the service says that they are bad. */
const spotRadius = 1.5;

/** The plan of a floor, on which zones and walls are drawn, and beacons and gateways moved. */
export function FloorPlan({ label, plan, known, drawing, spots, svg, mayEdit, mayPlace }: Props) {
  const { mode, points, selected, setSelected, addPoint, snaps } = drawing;
  /** A zone or wall while a corner of it is dragged. */
  const [draft, setDraft] = useState<readonly Point[]>();
  const outlines = outlinesOf(known);
  const chosen = mayEdit && mode === 'move' ? outlines.find(({ id }) => id === selected) : undefined;
  const drawn = (id: string, points: readonly Point[]) => [...(id === chosen?.id && draft ? draft : points)];
  const snapped = (point: Point, px: number, except?: string) => {
    const others = outlines.flatMap(({ id, points }) => (id === except ? [] : points));
    return roundPoint(snaps ? snapTo(point, others, snapReach * px) : point);
  };
  const marks = marksOf(known, mode === 'move', { mayEdit, mayPlace });
  const isCrowded = marks.length > maxHandles;
  return (
    <PlanDrawing
      label={label}
      plan={plan}
      zones={known.zones.map(zoneOf).map((zone) => ({ ...zone, polygon: drawn(zone.id, zone.polygon) }))}
      walls={known.walls.map((wall) => ({ points: drawn(wall.id, wall.points) }))}
      around={marks.map(({ at }) => at)}
      margin={mayEdit ? roomAround : undefined}
      selected={selected}
      isPointing={mode !== 'move'}
      drawing={svg}
      onTap={(at, id, px) => {
        if (mode === 'move') setSelected(id);
        else addPoint(mode === 'scale' ? roundPoint(at) : snapped(at, px));
      }}
    >
      {(px) => (
        <>
          {spots.map(({ x, y }) => (
            <circle
              key={`${x} ${y}`}
              cx={x}
              cy={y}
              r={spotRadius}
              fill={chosenColour}
              fillOpacity={0.2}
              stroke={chosenColour}
              strokeWidth={2 * px}
              strokeDasharray={4 * px}
              pointerEvents="none"
            />
          ))}
          {/* What is chosen can be dragged, whatever else is at its place. */}
          {marks
            .toSorted((a, b) => Number(a.id === selected) - Number(b.id === selected))
            .map(({ id, name, at, isGateway, onMove }) => {
              const isSelected = id === selected;
              if (isCrowded && !isSelected)
                return <Mark key={id} id={id} name={name} at={at} px={px} isGateway={isGateway} />;
              return (
                <Handle key={id} id={id} label={name} at={at} px={px} onMove={onMove}>
                  <title>{name}</title>
                  <MarkShape isGateway={isGateway} isSelected={isSelected} />
                  {isSelected && (
                    <text
                      y={-13}
                      fontSize={12}
                      textAnchor="middle"
                      fontFamily="sans-serif"
                      stroke="#fff"
                      strokeWidth={4}
                      paintOrder="stroke"
                    >
                      {name}
                    </text>
                  )}
                </Handle>
              );
            })}
          {chosen && (
            <Corners outline={chosen} px={px} snap={(point) => snapped(point, px, chosen.id)} onDraft={setDraft} />
          )}
          <DrawnLine points={points} isDashed={mode !== 'scale'} px={px} />
        </>
      )}
    </PlanDrawing>
  );
}

const outlinesOf = ({ zones, walls, changeZone, changeWall }: Known): readonly Outline[] => [
  ...zones.map((zone) => ({
    id: zone.objectId,
    name: zone.name,
    points: zone.polygon,
    isZone: true,
    change: (points: readonly Point[]) => changeZone(zone, { polygon: [...points] }),
  })),
  ...walls.map((wall) => ({
    ...wall,
    isZone: false,
    change: (points: readonly Point[]) => changeWall(wall, points),
  })),
];

function marksOf(known: Known, isMovable: boolean, { mayEdit, mayPlace }: Pick<Props, 'mayEdit' | 'mayPlace'>) {
  return [
    ...known.beacons.map((beacon) => ({
      ...markOf(beacon),
      onMove: isMovable && mayPlace ? (to: Point) => known.placeBeacon(beacon, to) : undefined,
    })),
    ...known.gateways.map((gateway) => ({
      id: gateway.id,
      name: gateway.name,
      at: { x: gateway.x, y: gateway.y },
      isGateway: true,
      onMove: isMovable && mayEdit ? (to: Point) => known.changeGateway(gateway, to) : undefined,
    })),
  ];
}

interface CornersProps {
  readonly outline: Outline;
  readonly px: number;
  readonly snap: (point: Point) => Point;
  readonly onDraft: (points: readonly Point[] | undefined) => void;
}

/** A handle at each corner, and a paler one in the middle of each side that makes a new corner. */
function Corners({ outline: { id, name, points, isZone, change }, px, snap, onDraft }: CornersProps) {
  const handle = (changed: (to: Point) => readonly Point[]) => ({
    id,
    px,
    snap,
    onDrag: (to: Point | undefined) => onDraft(to && changed(to)),
    onMove: (to: Point) => change(changed(to)),
  });
  const look = { fill: '#fff', stroke: chosenColour, strokeWidth: 2 };
  const sides = points.flatMap((corner, index) => {
    const next = points[index + 1] ?? (isZone ? points[0] : undefined);
    return next ? [{ x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 }] : [];
  });
  return (
    <>
      {sides.map((middle, index) => (
        <Handle
          // biome-ignore lint/suspicious/noArrayIndexKey: a side has no other identity
          key={index}
          {...handle((to) => points.toSpliced(index + 1, 0, to))}
          at={middle}
          label={t('Side {index} of {name}: moving it makes a corner', { index: index + 1, name })}
        >
          <circle r={7} opacity={0.6} {...look} />
        </Handle>
      ))}
      {points.map((corner, index) => (
        <Handle
          // biome-ignore lint/suspicious/noArrayIndexKey: a corner has no other identity
          key={index}
          {...handle((to) => points.with(index, to))}
          at={corner}
          label={t('Corner {index} of {name}', { index: index + 1, name })}
          onRemove={() => points.length > (isZone ? 3 : 2) && change(points.toSpliced(index, 1))}
        >
          <rect x={-7} y={-7} width={14} height={14} {...look} />
        </Handle>
      ))}
    </>
  );
}
