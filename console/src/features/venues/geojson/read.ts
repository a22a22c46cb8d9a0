import { readJson } from '../../../lib/text/json-text.ts';
import { t } from '../../../lib/words/words.ts';
/** Reads GeoJSON whose coordinates are metres, as `write.ts` makes it. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Found {
  /** Its place among the features, from 1. */
  readonly line: number;
  readonly id: string | undefined;
  readonly featureType: string;
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Why it cannot be read, as a sentence. */
  readonly problem?: string;
}

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

const maxFeatures = 5_000;

/** @throws Error whose message is a sentence about the whole file */
export function readFeatures(text: string): readonly Found[] {
  const { type, units, features } = membersOf(parsed(text));
  if (type !== 'FeatureCollection' || !Array.isArray(features))
    throw new Error(t('This is no GeoJSON: a FeatureCollection is needed.'));
  if (units !== 'metres')
    throw new Error(
      t(
        'This file does not say that its coordinates are metres. Positions on earth cannot be imported; files with "units": "metres" can.',
      ),
    );
  if (features.length > maxFeatures)
    throw new Error(
      t('The file has {count} features. Split it: {maxFeatures} can be imported at once.', {
        count: features.length,
        maxFeatures,
      }),
    );
  return features.map((feature: unknown, index) => {
    const { id, feature_type, geometry, properties } = membersOf(feature);
    return {
      line: index + 1,
      // RFC 7946 knows numbers, too, and other programs write them.
      id: typeof id === 'string' || typeof id === 'number' ? String(id) || undefined : undefined,
      featureType: String(feature_type ?? ''),
      geometry,
      properties: membersOf(properties),
    };
  });
}

function parsed(text: string): unknown {
  const read = readJson(text.replace(/^\uFEFF/, ''));
  if ('value' in read) return read.value;
  throw new Error(t('The file is not JSON. {problem}', { problem: read.problem.message }));
}

/** A text, or the first of several languages, as IMDF has them. */
export function labelOf(value: unknown): string {
  const text = typeof value === 'string' ? value : Object.values(membersOf(value))[0];
  return typeof text === 'string' ? text.trim().slice(0, 100) : '';
}

function positionOf(value: unknown): Point | undefined {
  if (!Array.isArray(value)) return undefined;
  const [x, y] = value as unknown[];
  if (typeof x !== 'number' || typeof y !== 'number' || !Number.isFinite(x) || !Number.isFinite(y)) return undefined;
  return { x, y: y === 0 ? 0 : -y };
}

export function pointOf(geometry: unknown): Point | undefined {
  const { type, coordinates } = membersOf(geometry);
  return type === 'Point' ? positionOf(coordinates) : undefined;
}

/** The corners of a polygon, or what is wrong with it as a sentence. */
export function polygonOf(geometry: unknown): readonly Point[] | string {
  const { type, coordinates } = membersOf(geometry);
  if (type !== 'Polygon' || !Array.isArray(coordinates)) return t('A zone needs a Polygon.');
  if (coordinates.length !== 1) return t('A zone has no holes: its Polygon needs exactly one ring.');
  const ring = coordinates[0] as unknown;
  const points = Array.isArray(ring) ? ring.map(positionOf) : [];
  if (points.length < 4 || points.includes(undefined))
    return t('Its ring needs at least four positions of two numbers.');
  const corners = points as readonly Point[];
  const [first, last] = [corners[0], corners.at(-1)];
  if (first?.x !== last?.x || first?.y !== last?.y) return t('Its ring has to end where it begins.');
  return corners.slice(0, -1);
}

/** The points of a wall, or what is wrong with it as a sentence. */
export function lineOf(geometry: unknown): readonly Point[] | string {
  const { type, coordinates } = membersOf(geometry);
  if (type !== 'LineString' || !Array.isArray(coordinates)) return t('A wall needs a LineString.');
  const points = coordinates.map(positionOf);
  if (points.length < 2 || points.includes(undefined))
    return t('Its line needs at least two positions of two numbers.');
  return points as readonly Point[];
}

/** Nobody draws finer, metres. */
const asGoodAsEqual = 0.006;

/** Whether two walls have the same corners, in whichever direction they go. */
export function isSameLine(one: readonly Point[], other: readonly Point[]): boolean {
  const isHere = (points: readonly Point[]) =>
    one.every(({ x, y }, at) => Math.hypot(x - (points[at]?.x ?? 0), y - (points[at]?.y ?? 0)) < asGoodAsEqual);
  return one.length === other.length && (isHere(other) || isHere(other.toReversed()));
}

/** Whether two outlines have the same corners, wherever they begin and in whichever direction they go. */
export function isSameOutline(one: readonly Point[], other: readonly Point[]): boolean {
  const count = one.length;
  const isHere = (a: Point | undefined, b: Point | undefined) =>
    a !== undefined && b !== undefined && Math.hypot(a.x - b.x, a.y - b.y) < asGoodAsEqual;
  const isFrom = (start: number, step: 1 | -1) =>
    one.every((corner, index) => isHere(corner, other[(start + step * index + count) % count]));
  return count === other.length && other.some((_, start) => isFrom(start, 1) || isFrom(start, -1));
}
