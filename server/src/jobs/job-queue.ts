import { randomBytes } from 'node:crypto';
import type { Database } from '../db/db.ts';
import type { Job } from './job.ts';
import { claimJobs, findDueApps } from './store.ts';

/** Long enough for a pause of the process, short enough that a dead worker's jobs are not late. */
export const leaseMs = 30_000;

/**
 * Claims the jobs of one kind. Apps take turns: a claim gives every app with due jobs the same number, and if there are
 * more apps than free slots, the next claim continues where the last one ended.
 */
export class JobQueue {
  readonly kind: string;
  readonly #db: Database;
  readonly #leaseMs: number;
  #lastServed = '';

  constructor(db: Database, kind: string, lease = leaseMs) {
    this.#db = db;
    this.kind = kind;
    this.#leaseMs = lease;
  }

  /**
   * At most `slots` jobs, and `room(appId)` of one app. An empty result means that nothing is due for an app with
   * room.
   */
  async claim(slots: number, now: number, room: (appId: string) => number = () => slots): Promise<Job[]> {
    const apps = await this.#nextApps(slots, now, room);
    if (apps.length === 0) return [];
    const leaseToken = randomBytes(16).toString('base64url');
    const each = { kind: this.kind, now, leaseUntil: now + this.#leaseMs, leaseToken };
    const claimed = await this.#db.transaction(async (db) => {
      const jobs: Job[] = [];
      for (const [index, appId] of apps.entries()) {
        const limit = Math.min(room(appId), Math.ceil((slots - jobs.length) / (apps.length - index)));
        jobs.push(...(await claimJobs(db, { ...each, appId, limit })));
      }
      return jobs;
    });
    this.#lastServed = apps.length < slots ? '' : (apps.at(-1) ?? '');
    return claimed;
  }

  async #nextApps(limit: number, now: number, room: (appId: string) => number): Promise<string[]> {
    const apps = await this.#appsAfter(this.#lastServed, { limit, now, room });
    if (apps.length > 0 || this.#lastServed === '') return apps;
    this.#lastServed = '';
    return this.#appsAfter('', { limit, now, room });
  }

  /** Looks past apps without room: they must not hide those after them. */
  async #appsAfter(
    after: string,
    { limit, now, room }: { readonly limit: number; readonly now: number; room(appId: string): number },
  ): Promise<string[]> {
    for (let from = after; ; ) {
      const due = await findDueApps(this.#db, { kind: this.kind, now, limit, after: from });
      const apps = due.filter((appId) => room(appId) > 0);
      if (apps.length > 0 || due.length < limit) return apps;
      from = due.at(-1) ?? '';
    }
  }
}
