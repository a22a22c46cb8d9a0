import { listSql, raw, type Sql, sql } from '../base/sql.ts';
import { bulkInsert } from '../db/bulk.ts';
import type { Db } from '../db/db.ts';
import type { RowOf } from '../db/table.ts';
import type { Job } from './job.ts';
import { jobs as table } from './tables.ts';

type JobRow = Omit<RowOf<typeof table>, 'state' | 'last_error' | 'subject'> & { readonly lease_token: string };

export interface JobRecord {
  readonly appId: string;
  readonly jobId: string;
  readonly kind: string;
  readonly payload: string;
  /** The objectId of what it is about. */
  readonly subject: string | null;
  readonly runAt: number;
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly trace?: string | null;
}

const newJobs = bulkInsert(table, {
  columns: [
    'app_id',
    'job_id',
    'kind',
    'payload',
    'subject',
    'state',
    'run_at',
    'expires_at',
    'attempts',
    'created_at',
    'trace',
  ],
});

/** Existing jobs stay as they are. */
export async function insertJobs(db: Db, jobs: readonly JobRecord[]): Promise<void> {
  const rows = jobs.map((job) => ({
    app_id: job.appId,
    job_id: job.jobId,
    kind: job.kind,
    payload: job.payload,
    subject: job.subject,
    state: 'queued',
    run_at: job.runAt,
    expires_at: job.expiresAt,
    attempts: 0,
    created_at: job.createdAt,
    trace: job.trace ?? null,
  }));
  await newJobs.run(db, rows);
}

export interface DueJobs {
  readonly kind: string;
  readonly appId: string;
}

export interface WaitingJob extends DueJobs {
  readonly runAt: number;
}

const waitingJob = raw('kind, app_id as "appId", run_at as "runAt"');

/** The due jobs that have waited longest, of all kinds and apps. */
export function findOldestDue(db: Db, now: number, limit: number): Promise<WaitingJob[]> {
  return db.all<WaitingJob>(sql`select ${waitingJob} from jobs where state = 'queued' and run_at <= ${now}
    order by run_at limit ${limit}`);
}

/** Queued jobs of the kinds and apps that come after `after`, by kind, app and time. */
export function findWaiting(db: Db, after: DueJobs, limit: number): Promise<WaitingJob[]> {
  return db.all<WaitingJob>(sql`select ${waitingJob} from jobs
    where state = 'queued' and (kind, app_id) > (${after.kind}, ${after.appId})
    order by kind, app_id, run_at limit ${limit}`);
}

/** Selects when the next job of any kind is due, or was; null when none waits. One index look-up. */
export const nextRunAt: Sql = raw("select min(run_at) from jobs where state = 'queued'");

export interface JobClaim {
  readonly appId: string;
  readonly kind: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly leaseToken: string;
  readonly limit: number;
}

/**
 * Takes the oldest due jobs of one app. The outer condition is checked again on each row after waiting for its lock,
 * so that two workers never hold one job. Call it in a transaction.
 */
export async function claimJobs(db: Db, claim: JobClaim): Promise<Job[]> {
  const due = sql`state = 'queued' and kind = ${claim.kind} and app_id = ${claim.appId} and run_at <= ${claim.now}`;
  const rows = await db.all<JobRow>(sql`
    with picked as materialized (
      select job_id from jobs where ${due} order by run_at, job_id limit ${claim.limit}${raw(db.dialect.skipLocked)}
    )
    update jobs set lease_token = ${claim.leaseToken}, run_at = ${claim.leaseUntil}, attempts = attempts + 1
    where ${due} and job_id in (select job_id from picked)
    returning app_id, job_id, kind, payload, run_at, expires_at, attempts, lease_token, created_at, trace`);
  return rows.map(toJob).sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
}

function toJob(row: JobRow): Job {
  return {
    appId: row.app_id,
    jobId: row.job_id,
    kind: row.kind,
    payload: JSON.parse(row.payload) as unknown,
    attempts: row.attempts,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    trace: row.trace,
    leaseToken: row.lease_token,
  };
}

/** The job, as long as it is held under the claim's own token. */
function held(job: Job) {
  return sql`app_id = ${job.appId} and job_id = ${job.jobId} and lease_token = ${job.leaseToken}`;
}

/** What a job that is not done yet is about. */
export async function findPayload(db: Db, appId: string, jobId: string): Promise<unknown> {
  const row = await db.one<{ payload: string }>(
    sql`select payload from jobs where app_id = ${appId} and job_id = ${jobId}`,
  );
  return row && (JSON.parse(row.payload) as unknown);
}

// Each of these returns false when another worker has taken the job in the meantime; then nothing has changed.

export async function deleteJob(db: Db, job: Job): Promise<boolean> {
  return (await db.run(sql`delete from jobs where ${held(job)}`)) > 0;
}

/** Removes jobs whose work is no longer wanted. A worker that holds one of them finds its lease lost. */
export async function withdrawJobs(db: Db, appId: string, jobIds: readonly string[]): Promise<void> {
  await db.run(sql`delete from jobs where app_id = ${appId} and job_id in (${listSql(jobIds)})`);
}

/** Puts a job back, to be claimed from `runAt` on. */
export async function requeueJob(db: Db, job: Job, runAt: number, error: string): Promise<boolean> {
  return (
    (await db.run(
      sql`update jobs set run_at = ${runAt}, lease_token = null, last_error = ${error} where ${held(job)}`,
    )) > 0
  );
}

/** Puts a job back as if it had not been claimed. */
export async function releaseJob(db: Db, job: Job, now: number): Promise<boolean> {
  return (
    (await db.run(
      sql`update jobs set run_at = ${now}, lease_token = null, attempts = attempts - 1 where ${held(job)}`,
    )) > 0
  );
}

/** Keeps a job that will not be tried again, for the console; `run_at` is when it ended. */
export async function buryJob(db: Db, job: Job, now: number, error: string): Promise<boolean> {
  return (
    (await db.run(
      sql`update jobs set state = 'dead', run_at = ${now}, lease_token = null, last_error = ${error} where ${held(job)}`,
    )) > 0
  );
}

export async function extendLease(db: Db, job: Job, leaseUntil: number): Promise<boolean> {
  return (await db.run(sql`update jobs set run_at = ${leaseUntil} where ${held(job)}`)) > 0;
}

/**
 * Ends every lease: for the one process of an embedded database, whose start proves that every holder is gone. The
 * tries stay counted.
 */
export async function endLeases(db: Db, now: number): Promise<number> {
  return db.run(
    sql`update jobs set run_at = ${now}, lease_token = null where state = 'queued' and lease_token is not null`,
  );
}

/** The longest pause between two tries, ms. */
const maxPauseMs = 6 * 3_600_000;

/**
 * Makes jobs due that were postponed by a clock that has since been set back while no process ran: they would be late
 * by the difference. Jobs scheduled for a date keep it.
 */
export async function wakeFromFuture(db: Db, now: number): Promise<number> {
  const wasDueAtOnce = sql`attempts = 0 and run_at <= created_at and created_at > ${now + 60_000}`;
  const wasPutOff = sql`attempts > 0 and run_at > ${now + maxPauseMs}`;
  return db.run(
    sql`update jobs set run_at = ${now} where state = 'queued' and run_at > ${now} and (${wasDueAtOnce} or ${wasPutOff})`,
  );
}

export interface Waiting {
  readonly appId: string;
  readonly kind: string;
  /** The job's own id, or what it is about. */
  readonly of: { readonly jobId: string } | { readonly subject: string };
  readonly now: number;
}

/** Makes due at once what waits for a later moment and no worker holds. Answers how many. */
export async function wakeJobs(db: Db, { appId, kind, of, now }: Waiting): Promise<number> {
  const which = 'jobId' in of ? sql`job_id = ${of.jobId}` : sql`subject = ${of.subject}`;
  return db.run(sql`update jobs set run_at = ${now} where app_id = ${appId} and kind = ${kind} and ${which}
    and state = 'queued' and lease_token is null and run_at > ${now}`);
}

/** Wakes all jobs of a kind in an app. */
export async function wakeJobsOfKind(db: Db, { appId, kind, now }: Omit<Waiting, 'of'>): Promise<number> {
  return db.run(sql`update jobs set run_at = ${now} where app_id = ${appId} and kind = ${kind}
    and state = 'queued' and lease_token is null and run_at > ${now}`);
}

/** Locks the row until the end of the transaction, so that nobody takes the job in between. */
export async function isHeld(db: Db, job: Job): Promise<boolean> {
  return (await db.run(sql`update jobs set lease_token = lease_token where ${held(job)}`)) > 0;
}

/** Jobs by state: queued (due), scheduled (for later), running (leased), dead. */
export async function countJobs(db: Db, now: number): Promise<Record<string, number>> {
  const rows = await db.all<{ state: string; n: number }>(
    sql`select case when state = 'queued' and run_at > ${now} then case when lease_token is null then 'scheduled' else 'running' end
      else state end as state,
      count(*) as n from jobs group by 1`,
    { tenant: 'metrics' },
  );
  return {
    queued: 0,
    scheduled: 0,
    running: 0,
    dead: 0,
    ...Object.fromEntries(rows.map(({ state, n }) => [state, n])),
  };
}

export async function deleteDeadJobs(db: Db, before: number, limit: number): Promise<number> {
  return db.run(sql`delete from jobs where state = 'dead' and run_at < ${before} and (app_id, job_id) in (
    select app_id, job_id from jobs where state = 'dead' and run_at < ${before} order by run_at limit ${limit})`);
}

/**
 * Ends jobs that expired before `before` and that no worker holds: kinds for which no worker of any node has a handler.
 */
export async function endExpiredJobs(
  db: Db,
  end: { readonly before: number; readonly now: number; readonly limit: number },
): Promise<number> {
  const overdue = sql`state = 'queued' and expires_at < ${end.before} and run_at < ${end.now}`;
  return db.run(sql`update jobs set state = 'dead', run_at = ${end.now}, lease_token = null, last_error = 'It expired, and nothing here does jobs of this kind.'
    where ${overdue} and (app_id, job_id) in (select app_id, job_id from jobs where ${overdue} order by expires_at limit ${end.limit})`);
}
