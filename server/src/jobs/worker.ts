import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, type Moment, sinceMoment, thisMoment } from '../base/clock.ts';
import { abortOnceOver, isAborted } from '../base/flow/late-abort.ts';
import { untilStored } from '../base/flow/until-stored.ts';
import { traced } from '../base/telemetry/tracing.ts';
import type { Database } from '../db/db.ts';
import { Poller } from '../db/nodes/poller.ts';
import { DueLook } from './due-jobs.ts';
import {
  backOff,
  GiveUp,
  type Job,
  type JobContext,
  type JobHandler,
  type JobHandlers,
  LeaseLost,
  RetryLater,
} from './job.ts';
import { JobQueue, leaseMs as usualLeaseMs } from './job-queue.ts';
import type { Outbox } from './outbox.ts';
import * as store from './store.ts';

/** The last part of a lease is not trusted: the clocks of nodes differ a little, and what is sent takes a moment to arrive. */
const trusted = 0.9;

/** How long a worker may believe that it still holds a job, without asking the database. */
class Lease {
  readonly #ms: number;
  #since: Moment;

  /** `since` is from before the statement that claimed it. */
  constructor(ms: number, since: Moment) {
    this.#ms = ms * trusted;
    this.#since = since;
  }

  renewed(since: Moment): void {
    this.#since = since;
  }

  get isOver(): boolean {
    return sinceMoment(this.#since) >= this.#ms;
  }
}

/** How long a stop waits for running jobs. */
const graceMs = 5_000;
const maxErrorLength = 1_000;
const renewLanes = 4;

export interface WorkerOptions {
  readonly db: Database;
  readonly outbox: Outbox;
  /** Kinds that are not listed are left alone. */
  readonly handlers: JobHandlers;
  readonly now: Clock;
  readonly onError: (what: string, error: unknown) => void;
  /** 0 to 1, for the pause before a retry. */
  readonly random?: () => number;
  /** How long a claimed job stays with this worker without a renewal. */
  readonly leaseMs?: number;
  /** How often the leases of running jobs are renewed; a third of the lease by default. */
  readonly renewMs?: number;
  /** The apps for whose jobs this worker polls, if several share the work; jobs that it is notified of it takes anyway. */
  readonly owns?: (appId: string) => boolean;
  /** Polls for due jobs; without it the worker has its own. */
  readonly poller?: Poller;
}

export interface Worker {
  /** Starts claiming: at once, on wake-ups, and by polling. */
  start(): void;
  /** Claims and runs jobs until nothing is due; for tests and for a worker that runs once. */
  drain(): Promise<void>;
  /** Claims nothing more, waits for running jobs, and gives back those that do not end in time. */
  stop(): Promise<void>;
}

interface Running {
  readonly job: Job;
  readonly lease: Lease;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Where the jobs of one kind run. */
interface Slots {
  readonly queue: JobQueue;
  readonly handler: JobHandler;
  running: number;
  /** Running jobs of each app. */
  readonly byApp: Map<string, number>;
  /** One claim of a kind at a time: anything that becomes free or due during it is left to the next one. */
  claiming: Promise<number>;
  next: Promise<number> | undefined;
}

type Owns = (appId: string) => boolean;

class OutboxWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #slots: ReadonlyMap<string, Slots>;
  readonly #running = new Set<Running>();
  #ended = 0;
  #stopping = false;
  #timers: NodeJS.Timeout[] = [];
  #ownPoller: Poller | undefined;
  readonly #dueLook = new DueLook();
  #polling: Promise<void> = Promise.resolve();
  #nextPoll: Promise<void> | undefined;
  /** The apps that the next poll is for; undefined: all. */
  #nextOwns: Owns | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#slots = new Map(
      Object.entries(options.handlers).map(([kind, handler]) => [
        kind,
        {
          queue: new JobQueue(options.db, kind, options.leaseMs),
          handler,
          running: 0,
          byApp: new Map(),
          claiming: Promise.resolve(0),
          next: undefined,
        },
      ]),
    );
  }

  start(): void {
    const { outbox, leaseMs = usualLeaseMs, renewMs = leaseMs / 3 } = this.#options;
    outbox.onEnqueued((kind, appIds) => {
      const slots = this.#slots.get(kind);
      if (!slots) return;
      for (const appId of appIds) slots.queue.add(appId);
      void this.#fill(slots);
    });
    outbox.onHeard(() => void this.#poll());
    this.#timers = [setInterval(() => void this.#renew(), renewMs)];
    for (const timer of this.#timers) timer.unref();
    this.#watch();
    void this.#poll();
  }

  /** The fallback: what no wake-up announces (another node's job, a pause that ends) is found by polling. */
  #watch(): void {
    const { db, now, owns, poller = new Poller(db) } = this.#options;
    const hear = (runAt: number | null) => {
      if (runAt !== null && runAt <= now()) void this.#poll(owns);
    };
    poller.add({ ask: () => (this.#stopping ? undefined : { value: store.nextRunAt, hear }) });
    if (this.#options.poller) return;
    poller.start();
    this.#ownPoller = poller;
  }

  async drain(): Promise<void> {
    for (;;) {
      const endedBefore = this.#ended;
      await this.#poll();
      const claimed = await Promise.all([...this.#slots.values()].map((slots) => this.#fill(slots)));
      // A job that has just ended has left its slot to the next, which may be about to be claimed.
      const isQuiet = this.#running.size === 0 && this.#ended === endedBefore;
      if (isQuiet && claimed.every((count) => count === 0)) return;
      await Promise.all([...this.#running].map(({ ended }) => ended));
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#ownPoller?.stop();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#polling;
    await Promise.all([...this.#slots.values()].map(({ claiming }) => claiming));
    const grace = new AbortController();
    const ended = Promise.all([...this.#running].map((running) => running.ended)).then(() => grace.abort());
    await Promise.race([ended, delay(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
    for (const { abort } of this.#running) abort.abort();
    await this.#giveBack([...this.#running].map(({ job }) => job));
  }

  async #giveBack(jobs: readonly Job[]): Promise<void> {
    const { db, now } = this.#options;
    for (const job of jobs) await this.#attempt('giving a job back', () => store.releaseJob(db, job, now()));
  }

  /** Polls for the apps with due jobs and claims theirs, after a poll in progress: that one may miss the newest. */
  #poll(owns?: Owns): Promise<void> {
    if (!this.#nextPoll || !owns) this.#nextOwns = owns;
    this.#nextPoll ??= this.#polling.then(() => {
      this.#nextPoll = undefined;
      return this.#pollNow(this.#nextOwns);
    });
    this.#polling = this.#nextPoll;
    return this.#polling;
  }

  async #pollNow(owns: Owns | undefined): Promise<void> {
    if (this.#stopping) return;
    const { db, now } = this.#options;
    const found = await this.#attempt('looking for jobs', () => this.#dueLook.find(db, now()));
    for (const { kind, appId } of found ?? []) if (owns?.(appId) ?? true) this.#slots.get(kind)?.queue.add(appId);
    for (const slots of this.#slots.values()) void this.#fill(slots);
  }

  /** Claims until the kind's slots are full or nothing is known to be due. Returns how many were claimed; never rejects. */
  #fill(slots: Slots): Promise<number> {
    slots.next ??= slots.claiming.then(() => {
      slots.next = undefined;
      return this.#claim(slots);
    });
    slots.claiming = slots.next;
    return slots.claiming;
  }

  async #claim(slots: Slots): Promise<number> {
    const { now } = this.#options;
    for (let total = 0; ; ) {
      const free = slots.handler.concurrency - slots.running;
      if (this.#stopping || free <= 0) return total;
      const { perApp = Number.POSITIVE_INFINITY } = slots.handler;
      const room = (appId: string) => Math.min(free, perApp - (slots.byApp.get(appId) ?? 0));
      const since = thisMoment();
      const jobs = (await this.#attempt('claiming jobs', () => slots.queue.claim(free, now(), room))) ?? [];
      // The stop came during the claim.
      if (this.#stopping) await this.#giveBack(jobs);
      else for (const job of jobs) this.#start(slots, job, since);
      total += jobs.length;
      if (jobs.length === 0) return total;
    }
  }

  #start(slots: Slots, job: Job, since: Moment): void {
    slots.running++;
    slots.byApp.set(job.appId, (slots.byApp.get(job.appId) ?? 0) + 1);
    const abort = new AbortController();
    const lease = new Lease(this.#options.leaseMs ?? usualLeaseMs, since);
    abortOnceOver(abort, () => lease.isOver);
    const ended = this.#run(slots.handler, job, abort.signal).finally(() => {
      slots.running--;
      const left = (slots.byApp.get(job.appId) ?? 1) - 1;
      if (left > 0) slots.byApp.set(job.appId, left);
      else slots.byApp.delete(job.appId);
      this.#running.delete(running);
      this.#ended++;
      if (!this.#stopping) void this.#fill(slots);
    });
    const running: Running = { job, lease, abort, ended };
    this.#running.add(running);
  }

  /** Never rejects: an outcome that cannot be stored now makes the job due again when the lease ends. */
  async #run(handler: JobHandler, job: Job, signal: AbortSignal): Promise<void> {
    const { db, now } = this.#options;
    const refusal = refuseRun(handler, job, now());
    const outcome = refusal === undefined ? await this.#outcome(handler, job, signal) : { dead: refusal };
    const end = async () => {
      if (outcome === 'done') await store.deleteJob(db, job);
      else if ('dead' in outcome) await this.#bury(job, outcome.dead);
      else await store.requeueJob(db, job, outcome.runAt, outcome.error);
    };
    // Otherwise a mail that has been sent would be sent again because the database was away for a second.
    await this.#attempt('ending a job', () => untilStored(end));
  }

  async #bury(job: Job, reason: string): Promise<void> {
    if (await store.buryJob(this.#options.db, job, this.#options.now(), reason))
      this.#options.onError(`job ${job.kind} ${job.jobId} is dead`, new Error(reason));
  }

  async #outcome(handler: JobHandler, job: Job, signal: AbortSignal): Promise<Outcome> {
    const { now, random = Math.random } = this.#options;
    const assertHeld: JobContext['assertHeld'] = async (db) => {
      if (!(await store.isHeld(db, job))) throw new LeaseLost();
    };
    try {
      await traced(
        () => ({ name: `job ${job.kind}`, kind: 'consumer', parent: job.trace ?? undefined }),
        () => handler.run(job, { signal, assertHeld }),
      );
      return 'done';
    } catch (error) {
      const text = (error instanceof Error ? error.message : String(error)).slice(0, maxErrorLength);
      if (!(error instanceof RetryLater || error instanceof GiveUp || error instanceof LeaseLost))
        this.#options.onError(`job ${job.kind}, try ${job.attempts}`, error);
      if (error instanceof GiveUp || job.attempts >= handler.maxAttempts) return { dead: text };
      const pauseMs = error instanceof RetryLater ? error.afterMs : backOff(handler, job.attempts, random);
      // The column holds whole milliseconds, and a mean of durations is none.
      const runAt = Math.ceil(now() + pauseMs);
      if (job.expiresAt !== null && runAt >= job.expiresAt) return { dead: `${text} (no time left for another try)` };
      return { runAt, error: text };
    }
  }

  async #renew(): Promise<void> {
    const { db, now, leaseMs = usualLeaseMs } = this.#options;
    const waiting = [...this.#running];
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { job, lease, abort } = next;
        // What is over may have been begun anew by somebody else, whatever the database says in a moment.
        if (isAborted(abort.signal)) continue;
        const since = thisMoment();
        const kept = await this.#attempt('renewing a lease', () => store.extendLease(db, job, now() + leaseMs));
        if (kept) lease.renewed(since);
        if (kept === false) abort.abort();
      }
    };
    // One that waits for a lock must not make the others late.
    await Promise.all(Array.from({ length: renewLanes }, lane));
  }

  async #attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#options.onError(what, error);
      return undefined;
    }
  }
}

type Outcome = 'done' | { readonly dead: string } | { readonly runAt: number; readonly error: string };

/** Why a claimed job is not even tried: it is too late, or all its tries ended without a result. */
function refuseRun(handler: JobHandler, job: Job, now: number): string | undefined {
  if (job.expiresAt !== null && job.expiresAt <= now) return 'It expired before it could be done.';
  if (job.attempts > handler.maxAttempts) return `It was tried ${handler.maxAttempts} times and never ended.`;
  return undefined;
}

export function createWorker(options: WorkerOptions): Worker {
  return new OutboxWorker(options);
}
