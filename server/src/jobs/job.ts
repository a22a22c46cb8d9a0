import type { Db } from '../db/db.ts';

/** A request for work. The payload is JSON and holds no secrets: it stays in the database until the job is done. */
export interface NewJob {
  readonly appId: string;
  /** `area.verb`, such as `mail.send`. */
  readonly kind: string;
  readonly payload: object;
  /** Epoch milliseconds; at once by default. */
  readonly runAt?: number;
  /** Epoch milliseconds after which the job is pointless; it is dead then. */
  readonly expiresAt?: number;
  /** The objectId of what it is about, by which it can be found. */
  readonly subject?: string;
  /** The caller's own id: enqueuing it again changes nothing. */
  readonly jobId?: string;
}

export interface Job {
  readonly appId: string;
  readonly jobId: string;
  readonly kind: string;
  readonly payload: unknown;
  /** 1 for the first try. */
  readonly attempts: number;
  readonly expiresAt: number | null;
  readonly createdAt: number;
  /** `traceparent` of what has caused it. */
  readonly trace: string | null;
  /** Changes with every claim; anything written under an older one does not count. */
  readonly leaseToken: string;
}

export interface JobContext {
  /** Aborted when the result no longer counts: the lease was lost, or the stopping service has waited long enough. */
  readonly signal: AbortSignal;
  /**
   * Call it in a transaction whose effects must not happen twice.
   *
   * @throws LeaseLost when another worker has taken the job in the meantime, so that the transaction is rolled back
   */
  assertHeld(db: Db): Promise<void>;
}

/** How one kind of job is done. It may run more than once: a worker can die after the effect. */
export interface JobHandler {
  /** How many of this kind run at once in this process. */
  readonly concurrency: number;
  /** How many of them may belong to one app, so that a slow app leaves slots for the others; no limit by default. */
  readonly perApp?: number;
  /** After this many tries the job is dead. */
  readonly maxAttempts: number;
  /** The pause after try n is drawn from 0 to `min(maxDelayMs, baseDelayMs · 2^(n − 1))`. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** @throws RetryLater, GiveUp, or anything else for a retry after the usual pause */
  run(job: Job, context: JobContext): Promise<void>;
}

export type JobHandlers = Readonly<Record<string, JobHandler>>;

/** Thrown by a handler that knows when to try again, for example from a `Retry-After`. */
export class RetryLater extends Error {
  readonly afterMs: number;

  constructor(reason: string, afterMs: number) {
    super(reason);
    this.name = 'RetryLater';
    this.afterMs = afterMs;
  }
}

/** Thrown by a handler when no further try can help. */
export class GiveUp extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'GiveUp';
  }
}

export class LeaseLost extends Error {
  constructor() {
    super('another worker has taken the job');
    this.name = 'LeaseLost';
  }
}

/** Full jitter: anywhere between now and a limit that doubles with each try, so that retries never coincide. */
export function backOff(handler: JobHandler, attempts: number, random: () => number): number {
  return Math.floor(random() * Math.min(handler.maxDelayMs, handler.baseDelayMs * 2 ** (attempts - 1)));
}
