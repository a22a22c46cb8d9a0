import { FairQueue } from '../../../../base/fair-queue.ts';

/** Calls of one webhook at the same time; also the depth to which a hook can call itself by writing to its own bucket. */
const concurrency = 8;
const maxWaiting = 64;
const failuresToRest = 5;
const restMs = 10_000;
const logPauseMs = 1_000;

/**
 * Limits and queues the calls of one webhook that is asked before changes, with a circuit breaker: after five calls in a row without
 * an answer none is made for ten seconds, then one at a time until the receiver answers.
 */
export class HookLine {
  readonly #queue: FairQueue;
  #failures = 0;
  #restsUntil = 0;
  #row: object | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** The failure that is or will be stored; null: none. */
  noted: string | null = null;
  #isStoring = false;

  constructor(maxWaitMs: number) {
    this.#queue = new FairQueue(concurrency, maxWaitMs);
  }

  /** Takes the stored failure from the row, if the row was read again. */
  know(row: object, noted: string | null): this {
    if (this.#row === row) return this;
    this.#row = row;
    this.noted = noted;
    return this;
  }

  /**
   * Undefined while the breaker is open or too many calls wait. Rejects if its turn does not come in time. @param now a monotonic
   * clock, ms
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

  /** Stores the newest failure, one after the other: the last one to be noted is the one that stays. */
  async storeNoted(store: (noted: string | null) => Promise<void>): Promise<void> {
    if (this.#isStoring) return;
    this.#isStoring = true;
    try {
      for (let stored: string | null | undefined; stored !== this.noted; ) {
        stored = this.noted;
        await store(stored);
      }
    } finally {
      this.#isStoring = false;
    }
  }

  /** Once in a second: who sends what is refused cannot fill the database. */
  mayLog(at: number): boolean {
    const may = Math.abs(at - this.#loggedAt) >= logPauseMs;
    if (may) this.#loggedAt = at;
    return may;
  }
}
