import { MAX_VISIT_MS, type TimedVisit } from '@pharos/engine';
import { sql } from '../../../../base/sql.ts';
import { bulkUpdate } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { TrackKey } from '../traces/reported.ts';
import { type VisitRow, visits } from '../traces/visits.ts';

/** Told visits and when they really were. SQL only. */

export type EndedVisit = Pick<
  VisitRow,
  'object_id' | 'beacon_id' | 'entered_at' | 'left_at' | 'is_open' | 'smoothed_entered_at' | 'smoothed_left_at'
>;

/** Visits by what was sensed, as opposed to what the phone says, that were open at a time (ms) or later, oldest first. */
export function findVisitsSince(db: Db, { appId, installationId }: TrackKey, since: number): Promise<EndedVisit[]> {
  return db.all<EndedVisit>(sql`select object_id, beacon_id, entered_at, left_at, is_open, smoothed_entered_at,
      smoothed_left_at from visits
    where app_id = ${appId} and installation_id = ${installationId} and entered_at >= ${since - MAX_VISIT_MS}
      and (is_open = 1 or left_at >= ${since}) and source = 'samples' order by entered_at, object_id`);
}

/** A visit that was told otherwise in the meantime stays as it is told now. */
const smoothedVisits = bulkUpdate(visits.table, {
  by: ['app_id', 'object_id', 'entered_at', 'left_at'],
  set: ['smoothed_entered_at', 'smoothed_left_at', 'smoothed_dwell', 'updated_at'],
});

interface Saved {
  /** As they were read, and in the same order as they should be. */
  readonly reported: readonly EndedVisit[];
  readonly smoothed: readonly TimedVisit[];
  readonly now: number;
}

/** Answers those that are not as they were. */
export async function saveSmoothed(db: Db, appId: string, { reported, smoothed, now }: Saved): Promise<EndedVisit[]> {
  const rows = reported.flatMap((row, index) => {
    const { enteredAt, leftAt } = smoothed[index] as TimedVisit;
    if (row.smoothed_entered_at === enteredAt && row.smoothed_left_at === leftAt) return [];
    const times = { smoothed_entered_at: enteredAt, smoothed_left_at: leftAt };
    return [{ ...row, ...times, app_id: appId, smoothed_dwell: (leftAt - enteredAt) / 1000, updated_at: now }];
  });
  await db.runTogether(smoothedVisits.each(db.dialect, rows));
  return rows;
}
