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
  #row: object | undefined;
  /** What the database knows of its failure; null: it is well. */
  noted: string | null = null;

  constructor(maxWaitMs: number) {
    this.#queue = new FairQueue(concurrency, maxWaitMs);
  }

  /** Each time it is used: the row as it was read last, and what that says of its failure. */
  know(row: object, noted: string | null): this {
    if (this.#row === row) return this;
    this.#row = row;
    this.noted = noted;
    return this;
  }

  /**
   * Undefined: it is left alone, or too many wait. Rejects if its turn does not come in time.
   *
   * @param now a clock that only goes forward, ms
   */
  async run<T>(now: () => number, call: () => Promise<T>): Promise<T | undefined> {
    if (this.#queue.waiting >= maxWaiting || this.#isLeftAlone(now())) return undefined;
    return this.#queue.run('', async () => {
      const at = now();
      // Others have found out meanwhile.
      if (this.#isLeftAlone(at)) return undefined;
      if (this.#failures >= failuresToRest) this.#restsUntil = at + restMs;
      return call();
    });
  }

  #isLeftAlone(at: number): boolean {
    return this.#failures >= failuresToRest && at < this.#restsUntil;
  }

  end(at: number, isAnswered: boolean): void {
    this.#failures = isAnswered ? 0 : this.#failures + 1;
    if (!isAnswered) this.#restsUntil = at + restMs;
  }
}
