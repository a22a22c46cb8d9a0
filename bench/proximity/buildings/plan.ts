import type { Point } from '../recordings.ts';
import type { Random } from './random.ts';

/** A random building: rooms in a grid, walls that take some of the signal away, beacons on walls and ceilings. */

export interface Beacon extends Point {
  readonly id: string;
  /** What arrives at one metre at an ear of 0 dB, dBm. */
  readonly power: number;
  /** Seconds between two of its packets. */
  readonly interval: number;
}

export interface Plan {
  readonly width: number;
  readonly depth: number;
  /** Where walls stand, from x or y = 0. */
  readonly wallsX: readonly number[];
  readonly wallsY: readonly number[];
  /** What a wall takes away, dB. */
  readonly wallLoss: number;
  /** Path-loss exponent without walls. */
  readonly exponent: number;
  readonly beacons: readonly Beacon[];
}

const MOST_BEACONS = 14;
/** m. */
const LEAST_SIDE = 4;
const MOST_SIDE = 45;

export function drawPlan(random: Random): Plan {
  const isHall = random.chance(0.3);
  const density = random.scaled(0.02, 0.2);
  const [wallsX, width] = drawWalls(random, isHall, MOST_SIDE);
  const [wallsY, depth] = drawWalls(random, isHall, Math.max(LEAST_SIDE, MOST_BEACONS / (density * width)));
  const height = random.scaled(1, 6);
  const sitePower = random.between(-66, -46);
  const interval = random.scaled(0.2, 2);
  const isSingle = random.chance(0.15);
  const count = isSingle ? 1 : Math.min(MOST_BEACONS, Math.max(1, Math.round(density * width * depth)));
  const spread = random.between(0, 3);
  const beacons: Beacon[] = [];
  for (let index = 0; index < count; index++) {
    const place = placeAmong(random, beacons, { width, depth });
    const z = Math.min(6, Math.max(0.6, height + random.between(-0.4, 0.4)));
    const power = sitePower + Math.max(-6, Math.min(6, spread * random.normal()));
    beacons.push({ id: `beacon${index}`, ...place, z, power, interval });
  }
  const wallLoss = random.between(2, 9);
  return { width, depth, wallsX, wallsY, wallLoss, exponent: random.between(1.6, isHall ? 2.6 : 3.2), beacons };
}

/** Inner walls of one to four rooms in a row, and the length of all. */
function drawWalls(random: Random, isHall: boolean, most: number): [number[], number] {
  const rooms = isHall ? 1 : 1 + Math.floor(random.between(0, 4));
  const walls: number[] = [];
  let end = 0;
  for (let room = 0; room < rooms; room++) {
    end += random.scaled(isHall ? 10 : 4, 20);
    if (room < rooms - 1 && end < most) walls.push(end);
  }
  return [walls, Math.min(end, most)];
}

/** Of some random places the one that is farthest from the others: owners spread beacons out. */
function placeAmong(random: Random, others: readonly Point[], { width, depth }: Pick<Plan, 'width' | 'depth'>) {
  let [best, most] = [{ x: 0, y: 0 }, -1];
  for (let attempt = 0; attempt < 4; attempt++) {
    const place = { x: random.between(0.3, width - 0.3), y: random.between(0.3, depth - 0.3) };
    const nearest = Math.min(...others.map(({ x, y }) => Math.hypot(x - place.x, y - place.y)), 1000);
    if (nearest > most) [best, most] = [place, nearest];
  }
  return best;
}

/** How many walls are between two places. */
export function wallsBetween({ wallsX, wallsY }: Plan, a: Point, b: Point): number {
  const crossed = (walls: readonly number[], from: number, to: number) =>
    walls.filter((wall) => from < wall !== to < wall).length;
  return crossed(wallsX, a.x, b.x) + crossed(wallsY, a.y, b.y);
}
