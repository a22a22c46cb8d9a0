import { type Moment, sinceMoment, thisMoment } from '../../base/clock.ts';
import { sql } from '../../base/sql.ts';
import type { Database, Db } from '../db.ts';
import type { PollerSource } from './poller.ts';

/** Called with the app whose cached data has changed; undefined: any app's. */
export type ChangeListener = (appId: string | undefined) => void;

/** Each is a counter of its own: `access` for apps, keys, tokens and buckets, `site` for beacons and messages. */
export type CacheName = 'access' | 'site';

/** How many changes are remembered with their app: a node that has missed more drops everything. */
const remembered = 4_096;
/** A poll is usually answered within that time, ms. */
const trustedMs = 1_000;
/** Every so many changes, older ones are forgotten. */
const forgetEvery = 256;

/**
 * Tells caches when to drop what they hold (apps, keys, tokens, users' roles, bucket definitions), and of which app.
 *
 * Every change increments a number in its own transaction and notes the app beside it. The counter's row is locked until the
 * commit, so that numbers become visible in their own order. On the embedded database the counter is read once per tick of
 * the event loop, so that a change made by the command line is seen by the very next request; over the network it is polled
 * (`Poller`), and changes of this process are announced at once. A number without an app (of an earlier version of this
 * program, of a restore, or forgotten) drops what is kept of all apps.
 */
export class CacheVersion {
  readonly name: CacheName;
  readonly #db: Database;
  readonly #listeners: ChangeListener[] = [];
  readonly #tell: ((n: number, appId: string) => void)[] = [];
  #known = -1;
  /** From before the last question that was answered. */
  #heard: Moment = thisMoment();
  #checkedThisTick = false;
  #checking: Promise<void> | undefined;
  #reading: Promise<void> = Promise.resolve();
  #nextReading: Promise<void> | undefined;

  constructor(db: Database, name: CacheName = 'access') {
    this.#db = db;
    this.name = name;
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Call before trusting a cache. Cheap: usually no more than a flag or a glance at the clocks, and then nothing has to be awaited.
   * A process that stood still has missed polls, and asks before it answers anybody by what it knew before.
   */
  fresh(): Promise<void> | undefined {
    if (!this.#db.readsAreLocal) return sinceMoment(this.#heard) > trustedMs ? this.recheck() : undefined;
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
   * Asks the database whether something changed, for a caller about to be refused by what is cached. However many ask at the same
   * time, only one query runs at a time. Undefined where `fresh` has just asked.
   */
  recheck(): Promise<void> | undefined {
    if (this.#db.readsAreLocal) return undefined;
    // A query in progress may have been answered before the change.
    this.#nextReading ??= this.#reading.then(() => {
      this.#nextReading = undefined;
      this.#reading = this.#poll();
      return this.#reading;
    });
    return this.#nextReading;
  }

  /** What a poller asks for this counter. */
  readonly source: Required<PollerSource> = {
    ask: () => {
      const [known, asked] = [this.#known, thisMoment()];
      const hear = async (n: number | null) => {
        try {
          await this.#catchUp(n ?? 0, known);
          this.#heard = asked;
        } catch {
          this.source.lost();
        }
      };
      return { value: sql`select n from revisions where name = ${this.name}`, hear };
    },
    // What cannot be checked must not be trusted.
    lost: () => {
      this.#known = -1;
      this.#announce(undefined);
    },
  };

  /** Runs a change to an app's cached things in a transaction; after the commit every cache everywhere drops what it holds of it. */
  async change<T>(appId: string, work: (db: Db) => Promise<T>): Promise<T> {
    return this.#db.transaction(async (db) => {
      const result = await work(db);
      // Last, so that others wait for the counter no longer than for the commit.
      await this.note(db, appId);
      return result;
    });
  }

  /** Calls the listener after each change that this process has committed. */
  onOwnChange(listener: (n: number, appId: string) => void): void {
    this.#tell.push(listener);
  }

  /** Another node says that it has committed this change. The next poll finds it all the same, since anybody may say so. */
  heard(n: number, appId: string): void {
    if (n > this.#known) this.#announce(appId);
  }

  /** Notes a change in a transaction that is under way. */
  async note(db: Db, appId: string): Promise<void> {
    const n = await countChange(db, this.name);
    await db.run(sql`insert into cache_changes (name, n, about) values (${this.name}, ${n}, ${appId})`);
    if (n % forgetEvery === 0)
      await db.run(sql`delete from cache_changes where name = ${this.name} and n <= ${n - remembered}`);
    db.afterCommit(() => {
      // All numbers before it are visible by now: with nothing missed in between it need not be found again.
      if (n === this.#known + 1) this.#known = n;
      this.#announce(appId);
      for (const tell of this.#tell) tell(n, appId);
    });
  }

  async #poll(): Promise<void> {
    try {
      await this.#read();
    } catch {
      this.source.lost();
    }
  }

  async #read(): Promise<void> {
    const [known, asked] = [this.#known, thisMoment()];
    const row = await this.#db.latest<{ n: number }>(sql`select n from revisions where name = ${this.name}`);
    const n = row?.n ?? 0;
    if (n !== this.#known) await this.#catchUp(n, known);
    this.#heard = asked;
  }

  /** `known`: the counter's value when it was asked for. */
  async #catchUp(n: number, known: number): Promise<void> {
    // An answer from before what has been learned since.
    if (n >= known && n <= this.#known) return;
    const missed = n - known;
    const isCountable = known >= 0 && missed > 0 && missed <= remembered;
    const changed = isCountable ? await this.#changedBetween(known, n) : [];
    if (n > this.#known || n < known) this.#known = n;
    if (changed.length < missed || !isCountable) this.#announce(undefined);
    else for (const appId of new Set(changed)) this.#announce(appId);
  }

  /** The app of each change. Read as the counter was: what a tick has begun to read may be older than that. */
  async #changedBetween(after: number, upTo: number): Promise<readonly string[]> {
    const row = await this.#db.latest<{ about: string | null }>(
      sql`select string_agg(about, ' ') as about from cache_changes
        where name = ${this.name} and n > ${after} and n <= ${upTo}`,
    );
    return row?.about?.split(' ') ?? [];
  }

  #announce(appId: string | undefined): void {
    for (const listener of this.#listeners) listener(appId);
  }
}

/** Counts a change of what is kept in memory under a name; answers the new number. */
export async function countChange(db: Db, name: string): Promise<number> {
  const row = await db.one<{ n: number }>(sql`insert into revisions (name, n) values (${name}, 1)
    on conflict (name) do update set n = revisions.n + 1 returning n`);
  return row?.n ?? 0;
}
