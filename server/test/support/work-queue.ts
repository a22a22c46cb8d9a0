import { raw } from '../../src/base/sql.ts';
import type { Database } from '../../src/db/db.ts';
import type { JobHandler, NewJob } from '../../src/jobs/job.ts';
import { createOutbox, type Outbox } from '../../src/jobs/outbox.ts';
import { createWorker, type Worker } from '../../src/jobs/worker.ts';
import { type DatabaseKind, openStorage, type TestStorage } from './build-app.ts';

/** An outbox with nothing in it, at a time of its own. */

export interface StoredJob {
  readonly job_id: string;
  readonly kind: string;
  readonly state: string;
  readonly run_at: number;
  readonly attempts: number;
  readonly last_error: string | null;
}

export const maxAttempts = 3;

export const handler = (run: JobHandler['run'], rules: Partial<JobHandler> = {}): JobHandler => ({
  concurrency: 10,
  maxAttempts: maxAttempts,
  baseDelayMs: 1_000,
  maxDelayMs: 3_000,
  ...rules,
  run,
});

/** A promise that the test settles. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export class WorkQueue {
  readonly #storage: TestStorage;
  readonly db: Database;
  outbox: Outbox;
  now = 0;
  /** What workers have reported. */
  errors: string[] = [];

  constructor(storage: TestStorage) {
    this.#storage = storage;
    this.db = storage.db;
    this.outbox = createOutbox(() => this.now);
  }

  /** Nothing is left of the test before. */
  async empty(): Promise<void> {
    this.now = 1_800_000_000_000;
    this.errors = [];
    this.outbox = createOutbox(() => this.now);
    await this.db.run(raw('delete from jobs'));
  }

  enqueue(job: Partial<NewJob> = {}): Promise<unknown> {
    return this.db.transaction((db) => this.outbox.enqueue(db, { appId: 'app', kind: 'work', payload: {}, ...job }));
  }

  stored(): Promise<StoredJob[]> {
    return this.db.all<StoredJob>(raw('select * from jobs order by job_id'));
  }

  workerWith(handlers: Record<string, JobHandler>, more: Partial<Parameters<typeof createWorker>[0]> = {}): Worker {
    const { db, outbox } = this;
    const onError = (what: string) => void this.errors.push(what);
    return createWorker({ db, outbox, handlers, now: () => this.now, random: () => 1, onError, ...more });
  }

  close(): Promise<void> {
    return this.#storage.close();
  }
}

export async function openWorkQueue(database: DatabaseKind): Promise<WorkQueue> {
  return new WorkQueue(await openStorage(database));
}
