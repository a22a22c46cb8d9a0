import { randomBytes } from 'node:crypto';
import type { Database } from '../db/db.ts';
import type { Job } from './job.ts';
import { claimJobs, findDueApps } from './store.ts';

/** Long enough for a pause of the process, short enough that a dead worker's jobs are not late. */
export const leaseMs = 30_000;

/**
 * Claims the jobs of one kind. Apps take turns: a claim gives every app that has something due the same number of
 * jobs, and when there are more apps than free places, the next claim goes on where the last one ended.
 */
export class Lane {
  readonly kind: string;
  readonly #db: Database;
  #lastServed = '';

  constructor(db: Database, kind: string) {
    this.#db = db;
    this.kind = kind;
  }

  /** At most `places` jobs; none means that nothing is due. */
  async claim(places: number, now: number): Promise<Job[]> {
    const apps = await this.#nextApps(places, now);
    if (apps.length === 0) return [];
    const each = { kind: this.kind, now, leaseUntil: now + leaseMs, leaseToken: randomBytes(16).toString('base64url') };
    const claimed = await this.#db.transaction(async (db) => {
      const jobs: Job[] = [];
      for (const [index, appId] of apps.entries()) {
        const limit = Math.ceil((places - jobs.length) / (apps.length - index));
        jobs.push(...(await claimJobs(db, { ...each, appId, limit })));
      }
      return jobs;
    });
    this.#lastServed = apps.length < places ? '' : (apps.at(-1) ?? '');
    return claimed;
  }

  async #nextApps(limit: number, now: number): Promise<string[]> {
    const scope = { kind: this.kind, now, limit };
    const apps = await findDueApps(this.#db, { ...scope, after: this.#lastServed });
    if (apps.length > 0 || this.#lastServed === '') return apps;
    this.#lastServed = '';
    return findDueApps(this.#db, { ...scope, after: '' });
  }
}
