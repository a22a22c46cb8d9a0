import { randomBytes } from 'node:crypto';
import type { Database } from '../db/db.ts';
import type { Job } from './job.ts';
import { claimJobs } from './store.ts';

/** Long enough for a pause of the process, short enough that a dead worker's jobs are not late. */
export const leaseMs = 30_000;

/**
 * Claims the jobs of one kind, for the apps that are known to have some. Apps take turns: a claim gives every app with due
 * jobs the same number, and if there are more apps than free slots, the next claim continues where the last one ended.
 */
export class JobQueue {
  readonly kind: string;
  readonly #db: Database;
  readonly #leaseMs: number;
  /** Apps that may have due jobs. A claim takes them out, and puts back those that may have more. */
  readonly #waiting = new Set<string>();
  #lastServed = '';

  constructor(db: Database, kind: string, lease = leaseMs) {
    this.#db = db;
    this.kind = kind;
    this.#leaseMs = lease;
  }

  add(appId: string): void {
    this.#waiting.add(appId);
  }

  /**
   * At most `slots` jobs, and `room(appId)` of one app. An empty result means that no job is known to be due for an app with
   * room.
   */
  async claim(slots: number, now: number, room: (appId: string) => number = () => slots): Promise<Job[]> {
    for (;;) {
      const apps = this.#next(slots, room);
      if (apps.length === 0) return [];
      // What is added from here on may be younger than what the statements below see.
      for (const appId of apps) this.#waiting.delete(appId);
      const { jobs, more } = await this.#take(apps, { slots, now, room });
      for (const appId of more) this.#waiting.add(appId);
      if (jobs.length > 0) return jobs;
    }
  }

  async #take(
    apps: readonly string[],
    { slots, now, room }: { readonly slots: number; readonly now: number; room(appId: string): number },
  ) {
    const leaseToken = randomBytes(16).toString('base64url');
    const each = { kind: this.kind, now, leaseUntil: now + this.#leaseMs, leaseToken };
    try {
      return await this.#db.transaction(async (db) => {
        const jobs: Job[] = [];
        const more: string[] = [];
        for (const [index, appId] of apps.entries()) {
          const limit = Math.min(room(appId), Math.ceil((slots - jobs.length) / (apps.length - index)));
          const claimed = await claimJobs(db, { ...each, appId, limit });
          jobs.push(...claimed);
          if (claimed.length >= limit) more.push(appId);
        }
        return { jobs, more };
      });
    } catch (error) {
      for (const appId of apps) this.#waiting.add(appId);
      throw error;
    }
  }

  /** Those whose turn it is, past apps without room: they must not hide those after them. */
  #next(limit: number, room: (appId: string) => number): string[] {
    const inOrder = [...this.#waiting].filter((appId) => room(appId) > 0).sort();
    const behind = inOrder.filter((appId) => appId > this.#lastServed);
    const apps = (behind.length > 0 ? behind : inOrder).slice(0, limit);
    this.#lastServed = apps.length < limit ? '' : (apps.at(-1) ?? '');
    return apps;
  }
}
