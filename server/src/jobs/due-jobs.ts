import type { Db } from '../db/db.ts';
import { type DueJobs, findOldestDue, findWaiting } from './store.ts';

/** The number of jobs read with one statement. */
const pageSize = 200;
/** After this many pages, the next poll continues. */
const maxPages = 50;

const start: DueJobs = { kind: '', appId: '' };

/**
 * Finds out which apps have due jobs of which kinds, with plain statements that cost about as much as what they find, for all
 * kinds together. Normally little is due, and the oldest jobs are all of them. If many are due, one app may have them all, so
 * this walks along the index, and after a full page it continues behind the app with which the page ends: an app with
 * a million jobs costs as much as one with a page of them.
 */
export class DueLook {
  /** Where the last walk was broken off. */
  #after = start;

  /** Each once. If very many apps have jobs, some only at a later poll. */
  async find(db: Db, now: number): Promise<DueJobs[]> {
    const oldest = await findOldestDue(db, now, pageSize);
    return oldest.length < pageSize ? firstOfEach(oldest) : this.#walk(db, now);
  }

  async #walk(db: Db, now: number): Promise<DueJobs[]> {
    const wasBrokenOff = this.#after !== start;
    const found: DueJobs[] = [];
    for (let page = 0; page < maxPages; page++) {
      const jobs = await findWaiting(db, this.#after, pageSize);
      // The first of an app is its earliest.
      found.push(...firstOfEach(jobs).filter(({ runAt }) => runAt <= now));
      const last = jobs.length === pageSize ? jobs.at(-1) : undefined;
      this.#after = last ?? start;
      if (!last) return found.length === 0 && wasBrokenOff ? this.#walk(db, now) : found;
    }
    return found;
  }
}

/** Of rows that belong to one kind and app, the first. */
function firstOfEach<Found extends DueJobs>(rows: readonly Found[]): Found[] {
  return [...Map.groupBy(rows, ({ kind, appId }) => `${kind} ${appId}`).values()].flatMap(([first]) => first ?? []);
}
