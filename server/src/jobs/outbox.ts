import type { Clock } from '../base/clock.ts';
import { newObjectId } from '../base/id.ts';
import type { Db } from '../db/db.ts';
import type { NewJob } from './job.ts';
import { insertJobs } from './store.ts';

/** Accepts jobs in the transaction of what makes them necessary. */
export interface Outbox {
  /** Durable with the transaction `db`; a worker of this process is woken after its commit. */
  enqueue(db: Db, job: NewJob): Promise<void>;
  /** The same for several jobs, with few statements. */
  enqueueAll(db: Db, jobs: readonly NewJob[]): Promise<void>;
  /** Tells a worker of this process that a job of this kind may be due. */
  onEnqueued(listener: (kind: string) => void): void;
}

export function createOutbox(now: Clock): Outbox {
  const listeners: ((kind: string) => void)[] = [];
  async function enqueueAll(db: Db, jobs: readonly NewJob[]): Promise<void> {
    const createdAt = now();
    const records = jobs.map((job) => ({
      appId: job.appId,
      jobId: job.jobId ?? newObjectId(createdAt),
      kind: job.kind,
      payload: JSON.stringify(job.payload),
      subject: job.subject ?? null,
      runAt: job.runAt ?? createdAt,
      expiresAt: job.expiresAt ?? null,
      createdAt,
    }));
    await insertJobs(db, records);
    const kinds = new Set(jobs.map(({ kind }) => kind));
    db.afterCommit(() => {
      for (const kind of kinds) for (const listener of listeners) listener(kind);
    });
  }
  return {
    enqueue: (db, job) => enqueueAll(db, [job]),
    enqueueAll,
    onEnqueued(listener) {
      listeners.push(listener);
    },
  };
}
