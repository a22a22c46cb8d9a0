import { setTimeout as delay } from 'node:timers/promises';

/** Shorter rests are saved up: a timer is no more exact. */
const shortestMs = 5;
/** So that a stop does not wait for long. */
const maxMs = 1_000;

/** For sweeps, which have an hour. */
export const sweepRest = 4;

/** Work that is over sooner has no rests: where there are few apps, nobody notices it. */
const freeMs = 250;

export interface PaceOptions {
  /** How many times as long as a step of the work took nobody works on it. */
  readonly rest: number;
  /** The whole work is to take no longer than this (ms): the fewer it leaves, the shorter are the rests. */
  readonly withinMs?: number;
}

/**
 * Rests between the steps of work that nobody waits for, so that however many steps there are, it takes only a part of a connection and of
 * this process.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #end: number;
  #began = performance.now();
  #worked = 0;
  #owed = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#end = this.#began + (options.withinMs ?? Number.POSITIVE_INFINITY);
  }

  /**
   * To be awaited after each step.
   *
   * @param left how many steps there are still; after the last one there is no rest
   */
  async rest(left = 1): Promise<void> {
    const now = performance.now();
    const took = now - this.#began;
    this.#worked += took;
    const own = this.#worked < freeMs ? 0 : this.#options.rest * took;
    this.#owed += Math.min(own, Math.max(0, this.#end - now) / Math.max(1, left));
    if (left > 0 && this.#owed >= shortestMs) {
      const ms = Math.min(maxMs, this.#owed);
      this.#owed = 0;
      await delay(ms);
    }
    this.#began = performance.now();
  }
}
