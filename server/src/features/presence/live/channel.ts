import { Waiters } from '../../../base/flow/waiters.ts';
import type { Database } from '../../../db/db.ts';
import * as store from './store.ts';

/** How many events one poll numbers and reads. */
const pageSize = 200;
/** Events that are kept for listeners that resume, beyond those in memory. */
const keptEvents = 10_000;
const inMemory = 400;

/** One app's events in this process: reads them once for all who listen here, and keeps the newest in memory. */
export class Channel {
  readonly #db: Database;
  readonly #appId: string;
  readonly #onError: (error: unknown) => void;
  #recent: store.LiveEvent[] = [];
  #seq: number;
  readonly #waiting = new Waiters();
  #polling: Promise<void> | undefined;
  /** There may be something that no read has seen. */
  #isOld = false;
  listeners = 0;

  constructor(db: Database, app: store.LiveApp, onError: (error: unknown) => void) {
    this.#db = db;
    this.#appId = app.app_id;
    this.#seq = app.seq;
    this.#onError = onError;
  }

  /** The number of the newest event that is known here. */
  get seq(): number {
    return this.#seq;
  }

  /** Reads new events; concurrent calls share one read. */
  poll(): Promise<void> {
    this.#isOld = true;
    this.#polling ??= this.#pollWhileOld();
    return this.#polling;
  }

  /** The next events behind a number; none when there is nothing new. */
  async after(seq: number): Promise<readonly store.LiveEvent[]> {
    if (seq >= this.#seq) return [];
    const first = this.#recent[0]?.seq ?? Number.POSITIVE_INFINITY;
    if (seq + 1 >= first) return this.#recent.slice(seq + 1 - first, seq + 1 - first + pageSize);
    return store.readEvents(this.#db, this.#appId, seq, pageSize);
  }

  /** Resolves when there may be something that was not there with `known` as the newest number, after the time, or when the signal aborts. */
  news(known: number, waitMs: number, signal: AbortSignal): Promise<void> {
    return known < this.#seq ? Promise.resolve() : this.#waiting.wait(waitMs, signal);
  }

  async #pollWhileOld(): Promise<void> {
    while (this.#isOld) {
      this.#isOld = false;
      await this.#pollOnce().catch(this.#onError);
    }
    // At once: whoever polls now begins another read.
    this.#polling = undefined;
  }

  async #pollOnce(): Promise<void> {
    let numbered = 0;
    if (await store.hasUnnumbered(this.#db, this.#appId))
      numbered = await this.#db.transaction((db) => store.numberEvents(db, this.#appId, pageSize));
    const found = await store.readEvents(this.#db, this.#appId, this.#seq, pageSize);
    if (numbered === pageSize || found.length === pageSize) this.#isOld = true;
    if (found.length === 0) return;
    const next = found[0]?.seq === this.#seq + 1 ? [...this.#recent, ...found] : found;
    this.#recent = next.slice(-inMemory);
    const before = this.#seq;
    this.#seq = found.at(-1)?.seq ?? this.#seq;
    this.#waiting.wake();
    // Now and then, not each time.
    if (Math.floor(before / 1000) !== Math.floor(this.#seq / 1000))
      await store.forgetEvents(this.#db, this.#appId, this.#seq - keptEvents);
  }
}
