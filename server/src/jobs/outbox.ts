import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import { newObjectId } from '../id.ts';
import type { NewJob } from './job.ts';
import { insertJob } from './store.ts';

/** Where jobs are asked for, in the transaction of what makes them necessary. */
export interface Outbox {
  /** Durable with the transaction that `db` is; a worker of this process is woken after its commit. */
  enqueue(db: Db, job: NewJob): Promise<void>;
  /** Tells a worker of this process that a job of a kind may be due. */
  onEnqueued(listener: (kind: string) => void): void;
}

export function createOutbox(now: Clock): Outbox {
  const listeners: ((kind: string) => void)[] = [];
  return {
    async enqueue(db, job) {
      const createdAt = now();
      await insertJob(db, {
        appId: job.appId,
        jobId: job.jobId ?? newObjectId(createdAt),
        kind: job.kind,
        payload: JSON.stringify(job.payload),
        runAt: job.runAt ?? createdAt,
        expiresAt: job.expiresAt ?? null,
        createdAt,
      });
      db.afterCommit(() => {
        for (const listener of listeners) listener(job.kind);
      });
    },
    onEnqueued(listener) {
      listeners.push(listener);
    },
  };
}
