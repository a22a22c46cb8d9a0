import { decadesOf, distanceAt, storeyLoss } from '../position/geometry.ts';
import { PATH_LOSS_EXPONENT } from '../presence/distance.ts';
import type { BeaconLocation, PresenceSettings } from '../presence/types.ts';
import { krige, type Measured } from './kriging.ts';
import { type Heard, heardIn, type Survey } from './survey.ts';

/** What surveys say about the signal of each beacon, over each floor. Plain JSON, of bounded size. */
export type SignalMap = Readonly<Record<string, BeaconMap>>;

/** One beacon's part. It is used only while the beacon hangs where it hung, with the measured power that it had. */
export interface BeaconMap {
  readonly location: BeaconLocation;
  readonly measuredPower?: number;
  readonly floors: readonly FloorMap[];
}

/** Cells of `size` metres in rows, from `x` and `y` on: what is lost beyond the path-loss model, dB. */
interface FloorMap {
  readonly floor: number;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly columns: number;
  readonly residual: readonly number[];
  /** Beyond the cells. */
  readonly beyond: number;
}

/** What lies nearer together counts as one place, m; where there are more places than `MAX_PLACES`, farther apart. */
const PLACE_SIZE = 0.7;
const MAX_PLACES = 150;
/** Beyond what was surveyed, m: the reach of a place. */
const MARGIN = 3;
const FINEST_CELL = 1;
/** So that phones can have the map of a large venue. */
const MAX_CELLS = 350;

export type SettingsOf = (beaconId: string) => PresenceSettings;

/** Makes the map. Beacons without a location have no part in it. */
export const mapSignals = (surveys: readonly Survey[], settingsOf: SettingsOf): SignalMap =>
  allOf(signalMapSteps(surveys, settingsOf));

/** `mapSignals` in steps of some milliseconds, between which other work can run. */
export function* signalMapSteps(surveys: readonly Survey[], settingsOf: SettingsOf): Generator<void, SignalMap> {
  const found = new Map<string, (Residual & { readonly survey: string })[]>();
  for (const survey of surveys) {
    const heard = heardIn(survey, settingsOf).flatMap((one) => residualOf(one, settingsOf(one.beaconId)) ?? []);
    const receiverOffset = offsetOf(heard);
    for (const one of heard) {
      const own = found.get(one.beaconId) ?? [];
      found.set(one.beaconId, own);
      own.push({ ...one, residual: one.residual - receiverOffset, survey: survey.id });
    }
    yield;
  }
  const map: Record<string, BeaconMap> = {};
  for (const [beaconId, residuals] of found) {
    const { location, measuredPower } = settingsOf(beaconId);
    const floors = [...new Set(residuals.map(({ floor }) => floor))].sort((a, b) => a - b);
    map[beaconId] = {
      location: location as BeaconLocation,
      ...(measuredPower === undefined ? {} : { measuredPower }),
      floors: floors.map((floor) =>
        mapFloor(
          floor,
          residuals.filter((one) => one.floor === floor),
        ),
      ),
    };
    yield;
  }
  return map;
}

export function allOf<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

interface Residual extends Heard {
  readonly residual: number;
}

/** How far a beacon's mean differs from what all have in common, over how far phones differ (both dB²). */
const OFFSET_SHRINKAGE = 0.5;

/**
 * How loudly the surveyor's phone hears, dB: what all beacons have in common, each counting once. What is left is what beacons and places
 * differ by; of a spot where few are heard most is left.
 */
function offsetOf(heard: readonly Residual[]): number {
  const beacons = new Map<string, { sum: number; n: number }>();
  for (const { beaconId, residual } of heard) {
    const own = beacons.get(beaconId) ?? { sum: 0, n: 0 };
    beacons.set(beaconId, { sum: own.sum + residual, n: own.n + 1 });
  }
  const sum = [...beacons.values()].reduce((total, own) => total + own.sum / own.n, 0);
  return sum / (beacons.size + OFFSET_SHRINKAGE);
}

function residualOf(heard: Heard, { location }: PresenceSettings): Residual | null {
  if (location === undefined) return null;
  const storeys = heard.floor - (location.floor ?? 0);
  const expected = PATH_LOSS_EXPONENT * decadesOf(distanceAt(location, heard, storeys)) + storeyLoss(storeys);
  return { ...heard, residual: heard.loss - expected };
}

function mapFloor(floor: number, residuals: readonly (Residual & { readonly survey: string })[]): FloorMap {
  const measured = placesOf(residuals);
  const expect = krige(measured);
  const [xs, ys] = [measured.map(({ x }) => x), measured.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs) - MARGIN, Math.min(...ys) - MARGIN];
  const [width, height] = [Math.max(...xs) + MARGIN - left, Math.max(...ys) + MARGIN - top];
  let size = FINEST_CELL;
  const along = (length: number) => Math.floor(length / size) + 2;
  while (along(width) * along(height) > MAX_CELLS) size *= 1.1;
  const columns = along(width);
  const cells = Array.from({ length: columns * along(height) }, (_, cell) =>
    rounded(expect(left + (cell % columns) * size, top + Math.floor(cell / columns) * size)),
  );
  return {
    floor,
    x: left,
    y: top,
    size,
    columns,
    residual: cells,
    beyond: rounded(expect(left - 1e6, top - 1e6)),
  };
}

const rounded = (residual: number): number => Math.round(residual * 2) / 2;

/** Means of what was heard near together. */
function placesOf(residuals: readonly (Residual & { readonly survey: string })[]): Measured[] {
  for (let size = PLACE_SIZE; ; size *= 1.4) {
    const places = new Map<string, { x: number; y: number; sum: number; n: number; surveys: Set<string> }>();
    for (const { x, y, residual, survey } of residuals) {
      const key = `${Math.round(x / size)} ${Math.round(y / size)}`;
      const place = places.get(key) ?? { x: 0, y: 0, sum: 0, n: 0, surveys: new Set() };
      places.set(key, place);
      place.x += x;
      place.y += y;
      place.sum += residual;
      place.n++;
      place.surveys.add(survey);
    }
    if (places.size > MAX_PLACES) continue;
    return [...places.values()].map(({ x, y, sum, n, surveys }) => ({
      x: x / n,
      y: y / n,
      residual: sum / n,
      seconds: n,
      surveys: surveys.size,
    }));
  }
}

/** A beacon's part, if it still holds: a beacon that was moved or calibrated anew has none. */
export function partFor(part: BeaconMap | undefined, { location, measuredPower }: PresenceSettings): BeaconMap | null {
  if (part === undefined || location === undefined || part.measuredPower !== measuredPower) return null;
  const { x, y, z, floor = 0 } = part.location;
  return location.x === x && location.y === y && location.z === z && (location.floor ?? 0) === floor ? part : null;
}

/** What a beacon's part says about a place (dB), between the cells by bilinear interpolation. */
export function expectedAt({ floors }: BeaconMap, x: number, y: number, floor: number): number {
  const own = floors.find((one) => one.floor === floor);
  if (own === undefined) return 0;
  const [across, down] = [(x - own.x) / own.size, (y - own.y) / own.size];
  const [column, row] = [Math.floor(across), Math.floor(down)];
  const rows = own.residual.length / own.columns;
  if (column < 0 || row < 0 || column + 1 >= own.columns || row + 1 >= rows) return own.beyond;
  const [right, below] = [across - column, down - row];
  const cell = row * own.columns + column;
  const above = (1 - right) * (own.residual[cell] as number) + right * (own.residual[cell + 1] as number);
  const next = cell + own.columns;
  const under = (1 - right) * (own.residual[next] as number) + right * (own.residual[next + 1] as number);
  return (1 - below) * above + below * under;
}
