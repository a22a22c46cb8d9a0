import { distance, type FloorPlan, type Spot, type Waypoint } from './plan.ts';
import type { Random } from './random.ts';
import type { Routes } from './routes.ts';

/**
 * Free walking on level ground: 1.34 m/s, deviation 0.26. Source: U. Weidmann, "Transporttechnik der Fussgänger", 1993.
 */
export const meanSpeed = 1.34;
const speedDeviation = 0.26;
/** How many things a visitor looks at before leaving, and how many seconds pass before the next visit. */
const stops = [3, 8] as const;
const absence = [60, 300] as const;
export const stairsSeconds = 20;

/** How fast one visitor walks, m/s. */
export const speedOf = (random: Random): number => Math.max(0.6, meanSpeed + speedDeviation * random.normal());

type Doing =
  | { readonly kind: 'away' | 'standing'; until: number }
  | { readonly kind: 'walking'; readonly way: Waypoint[] };

export interface Pose extends Spot {
  readonly heading: number;
}

/**
 * A visitor who enters, walks from one thing to another, looks at some of them, leaves, and returns. The position
 * depends only on the plan, the random numbers and the elapsed time.
 */
export class Walker {
  readonly #plan: FloorPlan;
  readonly #routes: Routes;
  readonly #random: Random;
  readonly #speed: number;
  #doing: Doing;
  #stopsLeft = 0;
  #at: Waypoint;
  #x: number;
  #y: number;
  #heading = 0;
  #time = 0;

  /** Comes in after `delay` seconds. */
  constructor(plan: FloorPlan, routes: Routes, random: Random, delay: number) {
    this.#plan = plan;
    this.#routes = routes;
    this.#random = random;
    this.#speed = speedOf(random);
    this.#at = plan.waypoints[0] as Waypoint;
    this.#x = this.#at.x;
    this.#y = this.#at.y;
    this.#doing = { kind: 'away', until: delay };
  }

  /** The position; undefined while the visitor is away. */
  get position(): Pose | undefined {
    if (this.#doing.kind === 'away') return undefined;
    return { x: this.#x, y: this.#y, floor: this.#at.floor, heading: this.#heading };
  }

  /** Lets seconds pass. */
  pass(seconds: number): void {
    const until = this.#time + seconds;
    while (this.#time < until) {
      if (this.#doing.kind === 'walking') this.#walk(this.#doing.way, until);
      else if (this.#doing.until > until) this.#time = until;
      else {
        this.#time = Math.max(this.#time, this.#doing.until);
        this.#goOn(this.#doing.kind);
      }
    }
  }

  #goOn(after: 'away' | 'standing'): void {
    const [entrance] = this.#plan.waypoints;
    if (after === 'away') this.#stopsLeft = Math.round(this.#random.between(...stops));
    else if (this.#at === entrance && this.#stopsLeft <= 0) {
      this.#doing = { kind: 'away', until: this.#time + this.#random.between(...absence) };
      return;
    }
    const target = this.#stopsLeft-- > 0 ? this.#nextStop() : (entrance as Waypoint);
    this.#doing = { kind: 'walking', way: [...(this.#routes.between(this.#at, target) ?? [])] };
  }

  #nextStop(): Waypoint {
    const stops = this.#plan.waypoints.filter((one) => one !== this.#at && one.stay !== undefined);
    return stops.length > 0 ? this.#random.pick(stops) : (this.#plan.waypoints.at(-1) as Waypoint);
  }

  #walk(way: Waypoint[], until: number): void {
    const [next] = way;
    if (!next) {
      this.#stand();
      return;
    }
    const metres = distance({ x: this.#x, y: this.#y, floor: 0 }, next);
    const possible = (until - this.#time) * this.#speed;
    if (metres > 0) this.#heading = Math.atan2(next.y - this.#y, next.x - this.#x);
    if (possible < metres) {
      this.#x += Math.cos(this.#heading) * possible;
      this.#y += Math.sin(this.#heading) * possible;
      this.#time = until;
      return;
    }
    this.#time += metres / this.#speed;
    if (next.floor !== this.#at.floor) this.#time += stairsSeconds;
    this.#x = next.x;
    this.#y = next.y;
    this.#at = next;
    way.shift();
  }

  #stand(): void {
    const { stay = [0, 0], faces } = this.#at;
    if (faces) this.#heading = Math.atan2(faces.y - this.#y, faces.x - this.#x);
    this.#doing = { kind: 'standing', until: this.#time + this.#random.between(...stay) };
  }
}
