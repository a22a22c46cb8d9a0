import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { deleteTrack } from '../decide/track-store.ts';
import type { TrackKey } from '../traces/told-store.ts';
import { noteVisitChanges } from '../traces/visit-changes.ts';

/**
 * Ends what is known of an installation's presence, because it may no longer be recorded, or may be from now on: open visits end
 * here, and nothing later continues them. `db` is the transaction that holds the installation.
 */
export async function endPresence(
  db: Db,
  { appId, installationId, now }: TrackKey & { readonly now: number },
): Promise<void> {
  await deleteTrack(db, { appId, installationId });
  const open = await db.all<{ beacon_id: string; entered_at: number }>(sql`select beacon_id, entered_at from visits
    where app_id = ${appId} and installation_id = ${installationId} and is_open = 1`);
  if (open.length === 0) return;
  const ended = open.map((row) => ({ appId, installationId, beaconId: row.beacon_id, enteredAt: row.entered_at }));
  for (const statement of noteVisitChanges(db.dialect, ended, now)) await db.run(statement);
  const leftAt = sql`case when entered_at > ${now} then entered_at else ${now} end`;
  await db.run(sql`update visits
    set left_at = ${leftAt}, dwell = (${leftAt} - entered_at) / ${raw('1000.0')}, is_open = 0, ended_by = 'silence', inferred = 1,
      updated_at = ${now}
    where app_id = ${appId} and installation_id = ${installationId} and is_open = 1`);
}
