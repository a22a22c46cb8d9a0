import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import type { Db } from '../../../db/db.ts';
import { withdrawJobs } from '../../../jobs/store.ts';
import type { Context } from '../../context.ts';
import * as store from './store.ts';

export interface BacklogDeps extends Pick<Context, 'db' | 'now'> {
  /** How many calls of one webhook may wait. */
  readonly maxWaiting: number;
  /** Runs work that nobody waits for. */
  readonly run: (work: () => Promise<unknown>) => void;
}

export interface Backlog {
  /** A call of the webhook was queued, in the transaction of `db`. */
  noteQueued(db: Db, appId: string, webhookId: string): void;
  /** Calls that this process has given up. */
  givenUp(): number;
}

const stepSize = 500;
const maxRemembered = 10_000;

/**
 * Limits the backlog of a receiver that is down: beyond `maxWaiting` calls the oldest are given up. They are deleted,
 * because keeping them as failed would fill the database just the same, and counted at the webhook.
 *
 * Counting at each event would make every event of an app wait for one row. So each process counts only after it has
 * queued a tenth of the limit, and at the first call after its start.
 */
export function createBacklog({ db, now, maxWaiting, run }: BacklogDeps): Backlog {
  const checkAfter = Math.max(1, Math.ceil(maxWaiting / 10));
  const queuedSinceCheck = new BoundedMap<string, number>(maxRemembered);
  const looking = new Set<string>();
  let total = 0;

  async function trim(appId: string, webhookId: string): Promise<void> {
    const newest = await store.findSurplus(db, { appId, webhookId, maxWaiting });
    if (newest === undefined) return;
    for (let found = stepSize; found === stepSize; ) {
      const { ids, given } = await db.transaction(async (db) => {
        const ids = await store.listOldestWaiting(db, { appId, webhookId, newest, limit: stepSize });
        if (ids.length === 0) return { ids, given: 0 };
        const given = await store.giveUp(db, { appId, webhookId, ids }, now());
        await withdrawJobs(db, appId, ids);
        return { ids, given };
      });
      found = ids.length;
      total += given;
    }
  }

  function check(appId: string, webhookId: string): void {
    if (looking.has(webhookId)) return;
    looking.add(webhookId);
    queuedSinceCheck.set(webhookId, 0);
    run(() => trim(appId, webhookId).finally(() => looking.delete(webhookId)));
  }

  return {
    noteQueued(db, appId, webhookId) {
      db.afterCommit(() => {
        const queued = (queuedSinceCheck.get(webhookId) ?? checkAfter) + 1;
        queuedSinceCheck.set(webhookId, queued);
        if (queued >= checkAfter) check(appId, webhookId);
      });
    },
    givenUp: () => total,
  };
}
