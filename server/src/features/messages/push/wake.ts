import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { wakeJobs, wakeJobsOfKind } from '../../../jobs/store.ts';
import { sendJob } from './expand.ts';
import { proximityJob } from './proximity.ts';

/** How many messages are woken at once; only after days of absence do more wait, and the rest comes at its own time. */
const most = 100;

/** Makes due at once what waits for the installation with this token. A worker sees it within a second. */
export async function wakeTarget(db: Db, appId: string, token: string, now: number): Promise<void> {
  const waiting = await db.all<{ object_id: string; push_id: string | null }>(
    sql`select d.object_id, d.push_id from installations i
      join deliveries d on d.app_id = i.app_id and d.installation_id = i.object_id
      where i.app_id = ${appId} and i.device_token = ${token} and d.state = 'queued' and d.run_at > ${now}
      order by d.object_id desc limit ${most}`,
  );
  for (const { object_id: deliveryId, push_id: pushId } of waiting) {
    await db.run(
      sql`update deliveries set run_at = ${now} where app_id = ${appId} and object_id = ${deliveryId} and state = 'queued'`,
    );
    await wakeJobs(
      db,
      pushId === null
        ? { appId, kind: proximityJob, of: { jobId: deliveryId }, now }
        : { appId, kind: sendJob, of: { subject: pushId }, now },
    );
  }
}

/**
 * Makes the jobs due at once that send an app's messages. Called in the transaction that replaces credentials: what the provider had asked
 * of the former ones is over. Each job finds out by itself which of its messages that concerns.
 */
export async function wakeSending(db: Db, appId: string, now: number): Promise<void> {
  for (const kind of [sendJob, proximityJob]) await wakeJobsOfKind(db, { appId, kind, now });
}
