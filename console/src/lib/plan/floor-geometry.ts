import type { Beacon, Floor } from '@pharos/sdk';
import { tenths } from '../words/words.ts';

/** Between the metres of a floor, x to the right and y downwards, and the pixels of its plan. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where the picture of a plan lies, metres. */
export interface PlanFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Until somebody says how large a plan is, it is this wide, metres. */
export const guessedWidth = 40;

type Scaled = Pick<Floor, 'plan' | 'scale' | 'origin'>;

/** How many metres a pixel of the plan has. */
export function metresPerPixel({ plan, scale }: Scaled): number {
  if (scale) return scale.metres / Math.hypot(scale.to.x - scale.from.x, scale.to.y - scale.from.y);
  return guessedWidth / (plan?.width ?? guessedWidth);
}

export function frameOf(floor: Scaled): PlanFrame | undefined {
  const { plan, origin = { x: 0, y: 0 } } = floor;
  if (!plan) return undefined;
  const metres = metresPerPixel(floor);
  return {
    left: -origin.x * metres,
    top: -origin.y * metres,
    width: plan.width * metres,
    height: plan.height * metres,
  };
}

type Picture = Pick<NonNullable<Floor['plan']>, 'width' | 'height'>;

/**
 * The scale and origin with which another picture lies where the one before did, as wide in metres: zones and beacons have metres, and
 * the same plan with more pixels must not lie beneath them twice as large.
 */
export function inItsPlace(floor: Scaled, picture: Picture): Pick<Floor, 'scale' | 'origin'> {
  const { plan, scale, origin } = floor;
  if (!plan || plan.width === picture.width) return {};
  const ratio = picture.width / plan.width;
  const moved = ({ x, y }: Point): Point => ({ x: round(x * ratio), y: round(y * ratio) });
  const whole = { from: { x: 0, y: 0 }, to: { x: picture.width, y: 0 }, metres: plan.width * metresPerPixel(floor) };
  const measured = scale && { ...scale, from: moved(scale.from), to: moved(scale.to) };
  // What was measured close together may be one pixel of a small picture.
  const isFar = measured && Math.hypot(measured.to.x - measured.from.x, measured.to.y - measured.from.y) >= leastPixels;
  return { ...(measured && { scale: isFar ? measured : whole }), ...(origin && { origin: moved(origin) }) };
}

/** The same limit as in the service. */
const leastPixels = 5;

/** Whether another picture cannot show the same part of the building: it is higher or lower by more than a hundredth. */
export function hasOtherShape({ plan }: Scaled, { width, height }: Picture): boolean {
  return plan !== undefined && Math.abs((height / width) * (plan.width / plan.height) - 1) > 0.01;
}

export function pixelAt(floor: Scaled, { x, y }: Point): Point {
  const { origin = { x: 0, y: 0 } } = floor;
  const metres = metresPerPixel(floor);
  return { x: round(origin.x + x / metres), y: round(origin.y + y / metres) };
}

/** To the centimetre: nobody measures better. */
export const round = (value: number) => Math.round(value * 100) / 100;
export const roundPoint = ({ x, y }: Point): Point => ({ x: round(x), y: round(y) });

/** Whether the service takes a location to be on a floor; a beacon without one is on none. */
export function isOnFloor(
  { location }: Pick<Beacon, 'location'>,
  { level, name }: Pick<Floor, 'level' | 'name'>,
): boolean {
  if (!location) return false;
  const { floor } = location as { readonly floor?: unknown };
  if (floor === undefined || floor === null || floor === '') return level === 0;
  if (typeof floor === 'number') return floor === level;
  if (typeof floor !== 'string') return false;
  const text = floor.trim();
  return Number(text) === level || text.toLowerCase() === name.toLowerCase();
}

/** The nearest of some points within reach, else the point on a grid of ten centimetres. */
export function snapTo(point: Point, others: readonly Point[], reach: number): Point {
  let [best, least] = [undefined as Point | undefined, reach];
  for (const other of others) {
    const distance = Math.hypot(other.x - point.x, other.y - point.y);
    if (distance < least) [best, least] = [other, distance];
  }
  return best ?? { x: Math.round(point.x * 10) / 10, y: Math.round(point.y * 10) / 10 };
}

/** A rectangle around a point, for those who draw with the keyboard. */
export const rectangleAt = ({ x, y }: Point, width = 4, height = 3): readonly Point[] =>
  [
    { x: x - width / 2, y: y - height / 2 },
    { x: x + width / 2, y: y - height / 2 },
    { x: x + width / 2, y: y + height / 2 },
    { x: x - width / 2, y: y + height / 2 },
  ].map(roundPoint);

/** A line around a point, for those who draw with the keyboard. */
export const lineAt = ({ x, y }: Point, length = 4): readonly Point[] =>
  [
    { x: x - length / 2, y },
    { x: x + length / 2, y },
  ].map(roundPoint);

/** Whether a point is in a polygon: a ray to the right crosses its sides an odd number of times. */
export function isInside(polygon: readonly Point[], { x, y }: Point): boolean {
  return polygon.reduce((inside, a, index) => {
    const b = polygon[(index + 1) % polygon.length] as Point;
    const isCrossed = a.y > y !== b.y > y && x < a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x);
    return isCrossed ? !inside : inside;
  }, false);
}

export function areaText(points: readonly Point[]): string {
  const twice = points.reduce((sum, { x, y }, index) => {
    const next = points[(index + 1) % points.length] as Point;
    return sum + x * next.y - next.x * y;
  }, 0);
  return `${tenths(Math.abs(twice) / 2)} m²`;
}
