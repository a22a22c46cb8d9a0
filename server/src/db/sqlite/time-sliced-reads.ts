import { setImmediate as nextTick } from 'node:timers/promises';
import { BoundedMap } from '../../base/caches/bounded-map.ts';

/**
 * How long brief queries and the handling of their rows run in a row; then sockets are read and other requests
 * answered. Node accepts one new connection per tick, so the last of 500 waits for 500 ticks.
 */
const sliceMs = 1;
/** A brief query that takes longer reads large records, or has not been asked for long. */
const longMicros = 10_000;
/**
 * This many long ones in a row are no accident. The first is only long by the clock, which runs on while other processes
 * have the processor; the others by their processor time.
 */
const longInARow = 3;
const pauseMs = 30_000;
const maxRemembered = 1_000;

/** Settled promises run before callbacks of `nextTick`. */
const afterMicrotasks = () => new Promise<void>((resolve) => process.nextTick(resolve));

/**
 * Runs brief queries on this thread, a millisecond of them in one tick of the event loop. The others wait for a later
 * tick, and tenants take turns: a flood from one app neither delays another's answer by more than its own time slice
 * nor keeps new connections from being accepted.
 */
export class TimeSlicedReads {
  readonly #lines = new Map<string, (() => void)[]>();
  /** Tenants whose brief queries are not brief. */
  readonly #long = new BoundedMap<string, { inARow: number; pausedUntil: number }>(maxRemembered);
  #sliceBegan: number | undefined;
  #isServing = false;

  /** Whether the tenant's queries have recently been long, so that they belong elsewhere. */
  isPaused(tenant: string): boolean {
    return performance.now() < (this.#long.get(tenant)?.pausedUntil ?? 0);
  }

  run<T>(tenant: string, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = () => {
        try {
          resolve(this.#measured(tenant, work));
        } catch (error) {
          reject(error);
        }
      };
      if (this.#lines.size === 0 && !this.#isSpent()) start();
      else this.#wait(tenant, start);
    });
  }

  #wait(tenant: string, start: () => void): void {
    const line = this.#lines.get(tenant);
    if (line) line.push(start);
    else this.#lines.set(tenant, [start]);
    if (this.#isServing) return;
    this.#isServing = true;
    void this.#serve();
  }

  /**
   * Runs the waiting queries one after the other. Before the next one, everything that follows from an answer is done:
   * its text is made and sent, and its rows are released.
   */
  async #serve(): Promise<void> {
    for (let first = this.#first(); first; first = this.#first()) {
      if (this.#isSpent()) {
        await nextTick();
        continue;
      }
      const [tenant, line] = first;
      const start = line.shift();
      // The tenant goes to the end of the round: a map keeps the order of insertion.
      this.#lines.delete(tenant);
      if (line.length > 0) this.#lines.set(tenant, line);
      start?.();
      await afterMicrotasks();
    }
    this.#isServing = false;
  }

  #first(): [string, (() => void)[]] | undefined {
    return this.#lines.entries().next().value;
  }

  #isSpent(): boolean {
    const now = performance.now();
    if (this.#sliceBegan === undefined) {
      this.#sliceBegan = now;
      // Runs before everything that is put off in the meantime.
      setImmediate(() => {
        this.#sliceBegan = undefined;
      });
    }
    return now - this.#sliceBegan >= sliceMs;
  }

  #measured<T>(tenant: string, work: () => T): T {
    // Asking for processor time can take longer than a query, so it is done only after one that was long by the clock.
    const usedBefore = this.#long.has(tenant) ? process.threadCpuUsage() : undefined;
    const began = performance.now();
    try {
      return work();
    } finally {
      const mayBeLong = (performance.now() - began) * 1000 > longMicros;
      this.#note(tenant, mayBeLong && (usedBefore === undefined || microsSince(usedBefore) > longMicros));
    }
  }

  #note(tenant: string, isLong: boolean): void {
    if (!isLong) {
      this.#long.delete(tenant);
      return;
    }
    const inARow = (this.#long.get(tenant)?.inARow ?? 0) + 1;
    this.#long.set(tenant, { inARow, pausedUntil: inARow >= longInARow ? performance.now() + pauseMs : 0 });
  }
}

/** Of processor time. */
function microsSince(usedBefore: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(usedBefore);
  return user + system;
}
