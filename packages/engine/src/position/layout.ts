import { PATH_LOSS_EXPONENT } from '../presence/distance.ts';
import { DEFAULT_RADIUS, NEAR_RADIUS } from '../presence/presence.ts';
import type { BeaconLocation, PresenceSettings } from '../presence/types.ts';
import { type BeaconMap, expectedAt, partFor } from '../survey/signal-map.ts';
import { decadesOf, distanceAt, storeyLoss } from './geometry.ts';

/** The cells over which a position is computed, with everything about them that does not change from second to second. */

/** A beacon in contact whose location is known. */
export interface Anchor {
  readonly beaconId: string;
  readonly location: BeaconLocation;
  readonly exponent: number;
  readonly radius: number;
  /** What surveys say about its signal; null: nothing. */
  readonly map: BeaconMap | null;
}

export interface Layout {
  readonly cells: number;
  /** Of one floor. */
  readonly columns: number;
  readonly rows: number;
  /** Edge of a cell in metres. */
  readonly size: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Index into `floors`, by cell. */
  readonly floor: Uint8Array;
  readonly floors: readonly number[];
  /** Expected path loss in dB, by anchor and cell. */
  readonly loss: readonly Float64Array[];
  /** The precision relative to that beside the beacon: 1 / growth of the noise, by anchor and cell. */
  readonly precision: readonly Float64Array[];
  /** Half the logarithm of that growth, by anchor and cell. */
  readonly blur: readonly Float64Array[];
  /** 10·log10 of the distance, by anchor and cell. */
  readonly decades: readonly Float64Array[];
  /** Metres in space, by anchor and cell. */
  readonly distance: readonly Float64Array[];
  /** Cells within the radius and on the floor of each anchor. */
  readonly within: readonly Uint16Array[];
  /** Cells within the zone NEAR of each anchor. */
  readonly near: readonly Uint16Array[];
}

/** How far visitors go beyond the outermost beacons that they hear, m. */
const MARGIN = 2;
const FINEST_CELL = 1;
const MAX_CELLS = 900;

/**
 * Each obstacle and reflection on the way adds its share, so that the variance of what is heard grows with the distance; at this
 * distance it is twice as large, m. Otherwise far beacons outvote the near one, and bias the loudness of the phone.
 */
const DOUBLED_AT = 8;
/** The share of the increase that a survey leaves. */
const UNEXPLAINED = 0.3;

const layouts = new Map<string, Layout>();
/** Maps are compared by identity: those of two sites may be equal in everything that a key could name. */
const names = new WeakMap<BeaconMap, number>();
let named = 0;

function nameOf(map: BeaconMap | null): number {
  if (map === null) return 0;
  const known = names.get(map) ?? ++named;
  names.set(map, known);
  return known;
}

/** The layout for anchors in ascending order of their ids. Layouts are kept, since visitors hear the same beacons for long. */
export function layoutOf(anchors: readonly Anchor[]): Layout {
  let key = '';
  for (const { location, exponent, radius, map } of anchors)
    key += `${location.x},${location.y},${location.z},${location.floor},${exponent},${radius},${nameOf(map)};`;
  const known = layouts.get(key);
  if (known !== undefined) return known;
  const layout = makeLayout(anchors);
  if (layouts.size === 128) layouts.clear();
  layouts.set(key, layout);
  return layout;
}

/** Makes a layout without caching it. */
export function makeLayout(anchors: readonly Anchor[]): Layout {
  const floors = [...new Set(anchors.map(floorOf))].sort((a, b) => a - b);
  const { size, columns, rows, left, top } = frameOf(anchors, floors.length);
  const cells = columns * rows * floors.length;
  const x = new Float64Array(cells);
  const y = new Float64Array(cells);
  const floor = new Uint8Array(cells);
  for (let cell = 0; cell < cells; cell++) {
    x[cell] = left + (cell % columns) * size;
    y[cell] = top + (Math.floor(cell / columns) % rows) * size;
    floor[cell] = Math.floor(cell / (columns * rows));
  }
  const storeys = (anchor: Anchor, cell: number) => (floors[floor[cell] as number] as number) - floorOf(anchor);
  const places = Array.from({ length: cells }, (_, cell) => ({ x: x[cell] as number, y: y[cell] as number }));
  const distance = anchors.map((anchor) =>
    eachCell(cells, (cell) => distanceAt(anchor.location, places[cell] as Place, storeys(anchor, cell))),
  );
  const decades = distance.map((metres) => eachCell(cells, (cell) => decadesOf(metres[cell] as number)));
  const growth = distance.map((metres, index) =>
    eachCell(cells, (cell) => growthAt(metres[cell] as number, anchors[index]?.map !== null)),
  );
  const cellsAround = (anchor: Anchor, index: number, radius: number) => {
    const metres = distance[index] as Float64Array;
    const found: number[] = [];
    for (let cell = 0; cell < cells; cell++)
      if (storeys(anchor, cell) === 0 && (metres[cell] as number) < radius) found.push(cell);
    return Uint16Array.from(found);
  };
  return {
    cells,
    columns,
    rows,
    size,
    x,
    y,
    floor,
    floors,
    distance,
    decades,
    precision: growth.map((factors) => eachCell(cells, (cell) => 1 / (factors[cell] as number))),
    blur: growth.map((factors) => eachCell(cells, (cell) => 0.5 * Math.log(factors[cell] as number))),
    loss: anchors.map((anchor, index) => {
      const logs = decades[index] as Float64Array;
      const { map } = anchor;
      return eachCell(cells, (cell) => {
        const { x: atX, y: atY } = places[cell] as Place;
        const residual = map === null ? 0 : expectedAt(map, atX, atY, floors[floor[cell] as number] as number);
        return anchor.exponent * (logs[cell] as number) + storeyLoss(storeys(anchor, cell)) + residual;
      });
    }),
    within: anchors.map((anchor, index) => cellsAround(anchor, index, anchor.radius)),
    near: anchors.map((anchor, index) => cellsAround(anchor, index, NEAR_RADIUS)),
  };
}

type Place = Pick<BeaconLocation, 'x' | 'y'>;

/** A loop: `Float64Array.from` with a function takes longer, and layouts are made while somebody waits. */
function eachCell(cells: number, measure: (cell: number) => number): Float64Array {
  const values = new Float64Array(cells);
  for (let cell = 0; cell < cells; cell++) values[cell] = measure(cell);
  return values;
}

/**
 * How much larger the variance of what is heard is at a distance (m) than beside the beacon. A survey explains most of the increase, and
 * on the whole floor alike: where cells that nobody has surveyed were allowed more, whatever was unexpected was taken for them.
 */
export const growthAt = (metres: number, isSurveyed: boolean): number =>
  1 + (isSurveyed ? UNEXPLAINED : 1) * (metres / DOUBLED_AT);

const floorOf = ({ location }: Anchor): number => location.floor ?? 0;

/** The beacons' rectangle with a margin, in cells that are as small as their number allows. */
function frameOf(anchors: readonly Anchor[], floors: number) {
  const xs = anchors.map(({ location }) => location.x);
  const ys = anchors.map(({ location }) => location.y);
  const left = Math.min(...xs) - MARGIN;
  const top = Math.min(...ys) - MARGIN;
  const width = Math.max(...xs) + MARGIN - left;
  const height = Math.max(...ys) + MARGIN - top;
  let size = FINEST_CELL;
  const count = () => (Math.floor(width / size) + 1) * (Math.floor(height / size) + 1) * floors;
  while (count() > MAX_CELLS) size *= 1.1;
  return { size, left, top, columns: Math.floor(width / size) + 1, rows: Math.floor(height / size) + 1 };
}

/** A beacon's exponent is what traffic has taught, unless it was surveyed: the map says that and more. */
export function anchorOf(
  beaconId: string,
  location: BeaconLocation,
  settings: PresenceSettings,
  part: BeaconMap | undefined,
): Anchor {
  const { learned, radius = DEFAULT_RADIUS } = settings;
  const map = partFor(part, settings);
  const exponent = PATH_LOSS_EXPONENT + (map === null ? (learned?.exponent ?? 0) : 0);
  return { beaconId, location, exponent, radius, map };
}
