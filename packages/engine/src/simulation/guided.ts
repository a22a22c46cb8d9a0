import { distance, type Spot } from './plan.ts';
import type { Random } from './random.ts';
import { type Pose, speedOf, stairsSeconds } from './walker.ts';

/** A point of a way that somebody has drawn, and how many seconds a visitor stays there. */
export interface Stop extends Spot {
  readonly stay: number;
}

/**
 * A visitor who goes from one point to the next, stays as long as specified, and leaves after the last one. To a point on another
 * floor the way is walked on the floor where it begins, and then the stairs are taken.
 */
export class Guided {
  readonly #way: readonly Stop[];
  readonly #speed: number;
  /** Seconds that have passed; negative before the visitor comes. */
  #time: number;
  /** The point that was left, or is being stayed at, and when it was reached. */
  #at = 0;
  #reached = 0;
  #heading: number;

  /** Comes in after `delay` seconds. @param way at least one point */
  constructor(way: readonly Stop[], random: Random, delay: number) {
    this.#way = way;
    this.#speed = speedOf(random);
    this.#time = -delay;
    this.#heading = this.#headingTo(1) ?? 0;
  }

  get position(): Pose | undefined {
    const from = this.#way[this.#at];
    if (this.#time < 0 || !from) return undefined;
    const to = this.#way[this.#at + 1] ?? from;
    const seconds = Math.max(0, this.#time - this.#reached - from.stay);
    const length = distance(from, to);
    const part = length === 0 ? 0 : Math.min(1, (seconds * this.#speed) / length);
    const isUp = seconds > length / this.#speed + stairsSeconds / 2;
    return {
      x: from.x + part * (to.x - from.x),
      y: from.y + part * (to.y - from.y),
      floor: isUp ? to.floor : from.floor,
      heading: this.#heading,
    };
  }

  /** Lets seconds pass. */
  pass(seconds: number): void {
    this.#time += seconds;
    for (;;) {
      const from = this.#way[this.#at];
      if (!from || this.#time <= this.#reached + from.stay) return;
      const to = this.#way[this.#at + 1];
      const next = this.#reached + from.stay + (to ? secondsBetween(from, to, this.#speed) : 0);
      this.#heading = this.#headingTo(this.#at + 1) ?? this.#heading;
      if (this.#time < next) return;
      this.#at++;
      this.#reached = next;
    }
  }

  #headingTo(index: number): number | undefined {
    const [from, to] = [this.#way[index - 1], this.#way[index]];
    return from && to && distance(from, to) > 0 ? Math.atan2(to.y - from.y, to.x - from.x) : undefined;
  }
}

const secondsBetween = (from: Spot, to: Spot, speed: number) =>
  distance(from, to) / speed + (from.floor === to.floor ? 0 : stairsSeconds);

/** How long the way takes somebody who walks at this speed (m/s), seconds. */
export function secondsOf(way: readonly Stop[], speed: number): number {
  const steps = way.map((stop, index) => secondsBetween(way[index - 1] ?? stop, stop, speed) + stop.stay);
  return steps.reduce((sum, seconds) => sum + seconds, 0);
}
