import { joinSql, raw, type Sql, sql } from '../../base/sql.ts';
import type { Database } from '../db.ts';

interface PollerQuestion {
  /** A select of one number; cheap, because it runs all the time. */
  readonly value: Sql;
  /** Must not throw or reject; a poll is over when this is. Null: there is no such row. */
  hear(value: number | null): void | Promise<void>;
}

export interface PollerSource {
  /** Called for each poll; undefined: nothing to ask now. */
  ask(): PollerQuestion | undefined;
  /** The database did not answer. */
  lost?(): void;
}

/** How old a node's knowledge of the others may be if nothing notifies it sooner, ms. */
export const pollMs = 800;

/**
 * Everything that a process has to find out by polling, in one statement: what other nodes have changed, and whether work is due.
 * So an idle node costs one statement per poll, however many parts of it want to know something.
 */
export class Poller {
  readonly #db: Database;
  readonly #sources: PollerSource[] = [];
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(db: Database, everyMs = pollMs) {
    this.#db = db;
    this.#everyMs = everyMs;
  }

  add(source: PollerSource): void {
    this.#sources.push(source);
  }

  start(): void {
    // A database that does not answer is asked once, not at each poll.
    this.#timer = setInterval(() => {
      if (!this.#polling) void this.poll();
    }, this.#everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Polls once, after a poll in progress: what that one finds may be older than this call. Never rejects. */
  poll(): Promise<void> {
    if (!this.#polling) return this.#begin();
    this.#next ??= this.#polling.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#polling = this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    const questions = this.#sources.flatMap((source) => source.ask() ?? []);
    if (questions.length === 0) return;
    const values = questions.map(({ value }, index) => sql`(${value}) as ${raw(`v${index}`)}`);
    try {
      const row = await this.#db.latest<Record<string, number | null>>(sql`select ${joinSql(values, ', ')}`);
      await Promise.all(questions.map(({ hear }, index) => hear(row?.[`v${index}`] ?? null)));
    } catch {
      for (const source of this.#sources) source.lost?.();
    }
  }
}
