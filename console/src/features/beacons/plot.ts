import type { Beacon, Floor } from '@pharos/sdk';
import { isOnFloor } from '../../lib/plan/floor-geometry.ts';

export interface Spot {
  readonly beacon: Beacon;
  readonly x: number;
  readonly y: number;
  readonly floor: string;
}

export function spotsOf(beacons: readonly Beacon[]): Spot[] {
  return beacons.flatMap((beacon) => {
    const { x, y, floor } = (beacon.location ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof x !== 'number' || typeof y !== 'number') return [];
    return [{ beacon, x, y, floor: floor === undefined || floor === null ? '' : String(floor) }];
  });
}

/** What is on one map: a floor of a venue, or the beacons of none with the same floor. */
export interface Area {
  readonly key: string;
  readonly floor: Floor | undefined;
  /** What the beacons say where there is no floor. */
  readonly name: string;
  readonly spots: readonly Spot[];
}

/** The floors with beacons in the order given, then by name what is on none. */
export function areasOf(spots: readonly Spot[], floors: readonly Floor[]): readonly Area[] {
  const floorOf = ({ beacon }: Spot) =>
    floors.find((floor) => floor.venueId.objectId === beacon.venueId?.objectId && isOnFloor(beacon, floor));
  const byKey = new Map<string, Area & { readonly spots: Spot[] }>(
    floors.map((floor) => [floor.objectId, { key: floor.objectId, floor, name: floor.name, spots: [] }]),
  );
  for (const spot of spots) {
    const key = floorOf(spot)?.objectId ?? `none ${spot.floor}`;
    const area = byKey.get(key) ?? { key, floor: undefined, name: spot.floor, spots: [] };
    area.spots.push(spot);
    byKey.set(key, area);
  }
  const areas = [...byKey.values()].filter((area) => area.spots.length > 0);
  const others = areas.filter(({ floor }) => !floor);
  return [
    ...areas.filter(({ floor }) => floor),
    ...others.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })),
  ];
}

/** A visitor on the map, in metres. In 68 of 100 cases the truth is no farther away than `accuracy`. */
export interface Visitor {
  readonly objectId: string;
  readonly x: number;
  readonly y: number;
  readonly accuracy: number;
  /** Since the visitor was sensed there. */
  readonly seconds: number;
}

type Sensed = Pick<Visitor, 'objectId' | 'seconds'> &
  Partial<Visitor> & { readonly beaconId: { readonly objectId: string } };

export function visitorsAt(spots: readonly Spot[], sensed: readonly Sensed[]): Visitor[] {
  const here = new Set(spots.map(({ beacon }) => beacon.objectId));
  return sensed.flatMap(({ objectId, beaconId, x, y, accuracy = 0, seconds }) =>
    x === undefined || y === undefined || !here.has(beaconId.objectId) ? [] : [{ objectId, x, y, accuracy, seconds }],
  );
}

/** Where the name of a spot is drawn. */
export interface LabelPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'end' | 'middle';
}

export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly name: string;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Drawing {
  /** In pixels, like the dots. */
  readonly width: number;
  readonly fontSize: number;
  readonly widthOf: (name: string) => number;
}

/**
 * Places each name beside, above or below its dot: the first place inside the drawing that overlaps no dot and no earlier
 * name. Undefined if there is none; the dot still has a tooltip.
 */
export function placeLabels(dots: readonly Dot[], drawing: Drawing): (LabelPlace | undefined)[] {
  const { width, fontSize, widthOf } = drawing;
  const taken: Box[] = dots.map(({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 }));
  return dots.map(({ x, y, name }) => {
    const boxOf = (place: LabelPlace) => labelBox(place, widthOf(name), fontSize);
    const place = placesAround(x, y, fontSize).find((one) => {
      const box = boxOf(one);
      return box.left >= 0 && box.right <= width && !taken.some((other) => overlap(box, other));
    });
    if (place) taken.push(boxOf(place));
    return place;
  });
}

function placesAround(x: number, y: number, fontSize: number): readonly LabelPlace[] {
  const [above, level, below] = [y - 11, y + 0.3 * fontSize, y + 9 + fontSize];
  return [
    { x: x + 10, y: level, anchor: 'start' },
    { x: x - 10, y: level, anchor: 'end' },
    { x, y: above, anchor: 'middle' },
    { x, y: below, anchor: 'middle' },
    { x: x + 6, y: above, anchor: 'end' },
    { x: x + 6, y: below, anchor: 'end' },
    { x: x - 6, y: above, anchor: 'start' },
    { x: x - 6, y: below, anchor: 'start' },
  ];
}

function labelBox({ x, y, anchor }: LabelPlace, width: number, fontSize: number): Box {
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - 0.8 * fontSize, bottom: y + 0.25 * fontSize };
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
