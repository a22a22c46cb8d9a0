import { sql } from '../../../base/sql.ts';
import type { Database, Db } from '../../../db/db.ts';
import { deleteInSteps } from '../../../db/delete-in-steps.ts';
import type { JobHandler, NewJob } from '../../../jobs/job.ts';
import { lockInstallation } from '../decide/installation-locks.ts';
import { deleteTrack } from '../decide/track-store.ts';

/** Forgetting where somebody was. */

export const eraseJob = 'traces.erase';

/** Everything of one installation up to a time. What comes later belongs to somebody else, or to a new beginning. */
interface Erasure {
  readonly installationId: string;
  readonly until: number;
}

const traces = [
  { table: 'deliveries', id: 'object_id', time: sql`created_at` },
  { table: 'verdicts', id: 'object_id', time: sql`created_at` },
  { table: 'events', id: 'object_id', time: sql`created_at` },
  { table: 'visits', id: 'object_id', time: sql`created_at` },
  { table: 'logs', id: 'object_id', time: sql`created_at` },
  { table: 'sighting_keys', id: 'sighting_key', time: sql`created_at` },
  { table: 'firings', id: 'event_id', time: sql`fired_at` },
];

export interface Forgetting {
  readonly enqueue: (db: Db, job: NewJob) => Promise<void>;
  readonly now: number;
}

/**
 * Forgets an installation's presence at once and has the rest erased in the background. `db` is the transaction that
 * removes the installation, or that takes it from its user.
 */
export async function forgetInstallation(
  db: Db,
  appId: string,
  installationId: string,
  { enqueue, now }: Forgetting,
): Promise<void> {
  // Sightings that are being taken right now finish first.
  await lockInstallation(db, appId, installationId);
  await deleteTrack(db, { appId, installationId });
  const payload: Erasure = { installationId, until: now };
  await enqueue(db, { appId, kind: eraseJob, payload });
}

/**
 * The same for every installation of a user: also for one that somebody has taken by its id since, but not for one that she
 * has taken so herself.
 */
export async function forgetUser(db: Db, appId: string, userId: string, forgetting: Forgetting): Promise<void> {
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from installations where app_id = ${appId} and
      ((user_id = ${userId} and (unproven = 0 or claim_user_id is null)) or claim_user_id = ${userId}) order by object_id`,
  );
  for (const { object_id } of rows) await forgetInstallation(db, appId, object_id, forgetting);
}

/** Erases a hundred rows at a time; may be repeated. */
export async function eraseTraces(db: Database, appId: string, { installationId, until }: Erasure): Promise<void> {
  for (const { table, id, time } of traces) {
    const scope = sql`app_id = ${appId} and installation_id = ${installationId} and ${time} <= ${until}`;
    await deleteInSteps(db, { table, id, scope });
  }
}

export function erasureJobHandlers(db: Database): Record<typeof eraseJob, JobHandler> {
  return {
    [eraseJob]: {
      concurrency: 1,
      maxAttempts: 50,
      baseDelayMs: 1_000,
      maxDelayMs: 300_000,
      run: (job) => eraseTraces(db, job.appId, job.payload as Erasure),
    },
  };
}
