/**
 * For so long brief queries and what is made of their rows follow one another; then sockets are read and other requests
 * answered.
 */
const turnMs = 4;
/** A brief query that takes longer reads large records, or has not been asked for long. */
const longMicros = 10_000;
/** So many long ones in a row are no accident. */
const longInARow = 3;
const pauseMs = 30_000;
const maxRemembered = 1_000;

/**
 * Runs brief queries on this thread, a few milliseconds of them in one turn of the event loop. Those that find no room
 * wait for a later turn, and shares take turns: a flood from one app neither delays another's answer by more than its
 * turn nor keeps new connections from being accepted.
 */
export class BriefTurns {
  readonly #lines = new Map<string, (() => void)[]>();
  /** Shares whose brief queries are not brief. */
  readonly #long = new Map<string, { inARow: number; pausedUntil: number }>();
  #turnBegan: number | undefined;

  /** Whether the share's queries have been long of late, so that they belong elsewhere. */
  isPaused(share: string): boolean {
    return performance.now() < (this.#long.get(share)?.pausedUntil ?? 0);
  }

  run<T>(share: string, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = () => {
        try {
          resolve(this.#measured(share, work));
        } catch (error) {
          reject(error);
        }
      };
      if (this.#lines.size === 0 && !this.#isSpent()) start();
      else this.#wait(share, start);
    });
  }

  #wait(share: string, start: () => void): void {
    const line = this.#lines.get(share);
    if (line) line.push(start);
    else this.#lines.set(share, [start]);
    setImmediate(() => this.#step());
  }

  /**
   * Runs the next one, or puts it off to the next turn. One immediate each: Node finishes what follows from an answer (its
   * text is made and sent, its rows are let go) before it calls the next.
   */
  #step(): void {
    if (this.#isSpent()) {
      setImmediate(() => this.#step());
      return;
    }
    const first = this.#lines.entries().next().value;
    if (!first) return;
    const [share, line] = first;
    const start = line.shift();
    // The share goes to the end of the round: a map keeps the order of insertion.
    this.#lines.delete(share);
    if (line.length > 0) this.#lines.set(share, line);
    start?.();
  }

  #isSpent(): boolean {
    const now = performance.now();
    if (this.#turnBegan === undefined) {
      this.#turnBegan = now;
      // Stands before all that is put off meanwhile.
      setImmediate(() => {
        this.#turnBegan = undefined;
      });
    }
    return now - this.#turnBegan >= turnMs;
  }

  #measured<T>(share: string, work: () => T): T {
    const before = process.threadCpuUsage();
    try {
      return work();
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      this.#note(share, user + system > longMicros);
    }
  }

  #note(share: string, isLong: boolean): void {
    if (!isLong) {
      this.#long.delete(share);
      return;
    }
    const inARow = (this.#long.get(share)?.inARow ?? 0) + 1;
    if (this.#long.size >= maxRemembered) this.#long.clear();
    this.#long.set(share, { inARow, pausedUntil: inARow >= longInARow ? performance.now() + pauseMs : 0 });
  }
}
