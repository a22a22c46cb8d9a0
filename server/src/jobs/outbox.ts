import type { Clock } from '../base/clock.ts';
import { newObjectId } from '../base/id.ts';
import { traceparent } from '../base/telemetry/tracing.ts';
import type { Db } from '../db/db.ts';
import type { NewJob } from './job.ts';
import { insertJobs } from './store.ts';

/** Accepts jobs in the transaction of what makes them necessary. */
export interface Outbox {
  /** Durable with the transaction `db`; a worker of this process is woken after its commit. */
  enqueue(db: Db, job: NewJob): Promise<void>;
  /** Adds several jobs with few statements. */
  enqueueAll(db: Db, jobs: readonly NewJob[]): Promise<void>;
  /** Tells a worker of this process that jobs of this kind may be due for these apps. */
  onEnqueued(listener: (kind: string, appIds: readonly string[]) => void): void;
  /** Another process has enqueued jobs. */
  heard(): void;
  /** Tells a worker of this process that jobs may be due that another process has enqueued. */
  onHeard(listener: () => void): void;
}

export function createOutbox(now: Clock): Outbox {
  const listeners: ((kind: string, appIds: readonly string[]) => void)[] = [];
  const hearers: (() => void)[] = [];
  async function enqueueAll(db: Db, jobs: readonly NewJob[]): Promise<void> {
    const createdAt = now();
    const trace = traceparent() ?? null;
    const records = jobs.map((job) => ({
      appId: job.appId,
      jobId: job.jobId ?? newObjectId(createdAt),
      kind: job.kind,
      payload: JSON.stringify(job.payload),
      subject: job.subject ?? null,
      runAt: job.runAt ?? createdAt,
      expiresAt: job.expiresAt ?? null,
      createdAt,
      trace,
    }));
    await insertJobs(db, records);
    const appsOf = new Map<string, Set<string>>();
    // What is due later is found by polling.
    for (const { kind, appId } of records.filter(({ runAt }) => runAt <= createdAt))
      appsOf.set(kind, (appsOf.get(kind) ?? new Set()).add(appId));
    db.afterCommit(() => {
      for (const [kind, appIds] of appsOf) for (const listener of listeners) listener(kind, [...appIds]);
    });
  }
  return {
    enqueue: (db, job) => enqueueAll(db, [job]),
    enqueueAll,
    onEnqueued(listener) {
      listeners.push(listener);
    },
    heard() {
      for (const hear of hearers) hear();
    },
    onHeard(listener) {
      hearers.push(listener);
    },
  };
}
