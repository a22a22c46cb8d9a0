import { sql } from '../base/sql.ts';
import type { Database, Db } from './db.ts';

/** How old another node's knowledge may be where asking costs a round trip. */
const pollMs = 500;

/**
 * Tells caches when to drop what they hold (apps, keys, tokens, users' roles, bucket definitions).
 *
 * Every change bumps one counter row in its own transaction. On the embedded database the row is read once per tick of
 * the event loop, so that a change made by the command line is seen by the very next request; over the network it is
 * polled twice a second, and changes of this process are announced at once.
 */
export class CacheVersion {
  readonly #db: Database;
  readonly #name: string;
  readonly #listeners: (() => void)[] = [];
  #known = -1;
  #checkedThisTick = false;
  #checking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #nextReading: Promise<void> | undefined;

  /** Each name is a counter of its own: `access` for apps, keys, tokens and buckets, `site` for beacons and messages. */
  constructor(db: Database, name: 'access' | 'site' = 'access') {
    this.#db = db;
    this.#name = name;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Starts polling where `fresh` does not ask by itself. */
  start(): void {
    if (this.#db.readsAreLocal) return;
    let isPolling = false;
    this.#timer = setInterval(() => {
      // A database that does not answer is asked once, not twice a second.
      if (isPolling) return;
      isPolling = true;
      void this.#poll().finally(() => {
        isPolling = false;
      });
    }, pollMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Call before trusting a cache. Cheap: usually no more than a flag, and then nothing is to be waited for. */
  fresh(): Promise<void> | undefined {
    if (!this.#db.readsAreLocal) return undefined;
    // Callers that come while the answer is on its way wait for it too.
    if (this.#checkedThisTick) return this.#checking;
    this.#checkedThisTick = true;
    setImmediate(() => {
      this.#checkedThisTick = false;
    });
    this.#checking = this.#read().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /**
   * Asks the database whether something changed, for a caller about to be refused by what is cached. However many ask at the
   * same time, one question at a time is under way. Undefined where `fresh` has just asked.
   */
  recheck(): Promise<void> | undefined {
    if (this.#db.readsAreLocal) return undefined;
    // A question that is under way may have been answered before the change.
    this.#nextReading ??= this.#reading.then(() => {
      this.#nextReading = undefined;
      this.#reading = this.#poll();
      return this.#reading;
    });
    return this.#nextReading;
  }

  /** Runs a change to cached things in a transaction; every cache everywhere drops what it holds after the commit. */
  async change<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#db.transaction(async (db) => {
      await this.note(db);
      return work(db);
    });
  }

  /** The same in a transaction that is under way already. */
  async note(db: Db): Promise<void> {
    await countChange(db, this.#name);
    db.afterCommit(() => this.#announce());
  }

  async #poll(): Promise<void> {
    try {
      await this.#read();
    } catch {
      // What cannot be checked must not be trusted.
      this.#announce();
    }
  }

  async #read(): Promise<void> {
    const row = await this.#db.latest<{ n: number }>(sql`select n from revisions where name = ${this.#name}`);
    const n = row?.n ?? 0;
    if (n === this.#known) return;
    this.#known = n;
    this.#announce();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Counts a change of what is kept in memory under a name. */
export async function countChange(db: Db, name: string): Promise<void> {
  await db.run(sql`insert into revisions (name, n) values (${name}, 1)
    on conflict (name) do update set n = revisions.n + 1`);
}
