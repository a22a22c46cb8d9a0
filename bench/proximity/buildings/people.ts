import type { Point } from '../recordings.ts';
import type { Plan } from './plan.ts';
import type { Pose } from './radio.ts';
import type { Random } from './random.ts';

/** How visitors and robots move: a pose for any moment. */

export type Route = (at: number) => Pose;

interface Leg {
  readonly from: number;
  readonly to: number;
  readonly a: Point;
  readonly b: Point;
  readonly heading: number;
}

/** A visitor: from place to place, most of them beside a beacon, and a stop at each. */
export function walkerRoute(random: Random, plan: Plan, seconds: number): Route {
  const height = random.between(0.8, 1.4);
  const speed = random.between(0.4, 1.4);
  const patience = random.scaled(3, 40);
  const legs: Leg[] = [];
  let here = somewhere(random, plan, height);
  for (let at = 0; at < seconds; ) {
    const there = random.chance(0.6) ? beside(random, plan, height) : somewhere(random, plan, height);
    const move = legOf(at, here, there, speed);
    const stop = { from: move.to, to: move.to + random.between(0, 2 * patience), a: there, b: there };
    legs.push(move, { ...stop, heading: random.between(0, 2 * Math.PI) });
    at = stop.to;
    here = there;
  }
  return routeOf(legs);
}

/** A robot: lanes to and fro at one speed. */
export function robotRoute(random: Random, plan: Plan, seconds: number): Route {
  const height = random.between(0.3, 1.8);
  const speed = random.between(0.2, 0.8);
  const lane = random.between(1.5, 4);
  const corners: Point[] = [];
  const isAlong = random.chance(0.5);
  const [length, width] = isAlong ? [plan.width, plan.depth] : [plan.depth, plan.width];
  for (let across = random.between(0.5, lane); across < width; across += lane) {
    const ends = corners.length % 4 === 0 ? [0.5, length - 0.5] : [length - 0.5, 0.5];
    for (const end of ends) corners.push(isAlong ? { x: end, y: across, z: height } : { x: across, y: end, z: height });
  }
  const legs: Leg[] = [];
  for (let [at, index] = [0, 0]; at < seconds; index++) {
    const a = corners[index % corners.length] as Point;
    const b = corners[(index + 1) % corners.length] as Point;
    const leg = legOf(at, a, b, speed);
    legs.push(leg);
    at = leg.to + 0.01;
  }
  return routeOf(legs);
}

/** Somebody who stands, half of them within four metres of a beacon. */
export function standingRoute(random: Random, plan: Plan): Route {
  const height = random.between(0.8, 1.4);
  const place = random.chance(0.7) ? beside(random, plan, height) : somewhere(random, plan, height);
  const heading = random.between(0, 2 * Math.PI);
  // Nobody stands like a post: weight is shifted, and the head turns.
  const [turn, sway, period] = [random.between(0, 1), random.between(0, 0.03), random.scaled(3, 60)];
  return (at) => {
    const phase = (2 * Math.PI * at) / period;
    const moved = { ...place, x: place.x + sway * Math.sin(phase), y: place.y + sway * Math.cos(0.7 * phase) };
    return { at, place: moved, heading: heading + turn * Math.sin(0.4 * phase) };
  };
}

const somewhere = (random: Random, { width, depth }: Plan, z: number): Point => ({
  x: random.between(0.3, width - 0.3),
  y: random.between(0.3, depth - 0.3),
  z,
});

function beside(random: Random, { beacons, width, depth }: Plan, z: number): Point {
  const { x, y } = random.pick(beacons);
  const [metres, angle] = [random.between(0.3, 4), random.between(0, 2 * Math.PI)];
  const within = (value: number, most: number) => Math.min(most - 0.2, Math.max(0.2, value));
  return { x: within(x + metres * Math.cos(angle), width), y: within(y + metres * Math.sin(angle), depth), z };
}

const legOf = (from: number, a: Point, b: Point, speed: number): Leg => ({
  from,
  to: from + Math.hypot(b.x - a.x, b.y - a.y) / speed,
  a,
  b,
  heading: Math.atan2(b.y - a.y, b.x - a.x),
});

function routeOf(legs: readonly Leg[]): Route {
  let index = 0;
  return (at) => {
    while (index > 0 && at < (legs[index] as Leg).from) index--;
    while (index < legs.length - 1 && at > (legs[index] as Leg).to) index++;
    const { from, to, a, b, heading } = legs[index] as Leg;
    const share = to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 0;
    return { at, place: { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y), z: a.z }, heading };
  };
}
