import { FairQueue } from '../../../../base/fair-queue.ts';

/** At once, of one webhook. So a hook that writes to its own bucket is asked no deeper than this. */
const concurrency = 8;
const maxWaiting = 64;
const failuresToRest = 5;
const restMs = 10_000;

/**
 * The calls of one webhook that is asked. A few run at once, and some wait. After five without an answer in a row it is left alone for
 * ten seconds, and then one call at a time finds out whether it answers again: nobody else waits for one that is away.
 */
export class HookLine {
  readonly #queue: FairQueue;
  #failures = 0;
  #restsUntil = 0;
  /** What the database knows of its failure; null: it is well. */
  noted: string | null;

  constructor(maxWaitMs: number, noted: string | null) {
    this.#queue = new FairQueue(concurrency, maxWaitMs);
    this.noted = noted;
  }

  /**
   * Undefined: it is left alone, or too many wait. Rejects if its turn does not come in time.
   *
   * @param at by a clock that only goes forward, ms
   */
  run<T>(at: number, call: () => Promise<T>): Promise<T> | undefined {
    if (this.#queue.waiting >= maxWaiting) return undefined;
    if (this.#failures >= failuresToRest) {
      if (at < this.#restsUntil) return undefined;
      this.#restsUntil = at + restMs;
    }
    return this.#queue.run('', call);
  }

  end(at: number, isAnswered: boolean): void {
    this.#failures = isAnswered ? 0 : this.#failures + 1;
    if (!isAnswered) this.#restsUntil = at + restMs;
  }
}
