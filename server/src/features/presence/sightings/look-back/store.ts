import { MAX_VISIT_MS, type TimedVisit } from '@pharos/engine';
import { sql } from '../../../../base/sql.ts';
import { bulkUpdate } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { TrackKey } from '../traces/reported.ts';
import { type VisitRow, visits } from '../traces/visits.ts';

/** Told visits and when they really were. SQL only. */

export type TimedRow = Pick<
  VisitRow,
  'object_id' | 'beacon_id' | 'entered_at' | 'left_at' | 'smoothed_entered_at' | 'smoothed_left_at'
>;

/** Visits by what was sensed, as opposed to what the phone says, that were open at a time (ms) or later, oldest first. */
export function findVisitsSince(db: Db, { appId, installationId }: TrackKey, since: number): Promise<TimedRow[]> {
  return db.all<TimedRow>(sql`select object_id, beacon_id, entered_at, left_at, smoothed_entered_at, smoothed_left_at
    from visits
    where app_id = ${appId} and installation_id = ${installationId} and entered_at >= ${since - MAX_VISIT_MS}
      and (is_open = 1 or left_at >= ${since}) and source = 'samples' order by entered_at, object_id`);
}

/** Skips visits that have changed since they were read. */
const begunVisits = bulkUpdate(visits.table, {
  by: ['app_id', 'object_id', 'entered_at'],
  set: ['smoothed_entered_at', 'updated_at'],
});
const endedVisits = bulkUpdate(visits.table, {
  by: ['app_id', 'object_id', 'entered_at', 'left_at'],
  set: ['smoothed_entered_at', 'smoothed_left_at', 'smoothed_dwell', 'updated_at'],
});

interface Saved {
  /** As they were read, and in the same order as they should be. */
  readonly reported: readonly TimedRow[];
  readonly retimed: readonly TimedVisit[];
  /** Times before this (ms) stay. */
  readonly from: number;
  readonly now: number;
}

/** Answers those that are not as they were. */
export async function saveSmoothed(
  db: Db,
  appId: string,
  { reported, retimed, from, now }: Saved,
): Promise<TimedRow[]> {
  const rows = reported.flatMap((row, index) => {
    const { entered_at, left_at, smoothed_entered_at, smoothed_left_at } = row;
    if ((left_at ?? entered_at) < from) return [];
    const { enteredAt, leftAt } = retimed[index] as TimedVisit;
    const entered = entered_at >= from ? enteredAt : (smoothed_entered_at ?? entered_at);
    const left = left_at === null ? null : Math.max(entered, leftAt);
    if (smoothed_entered_at === entered && smoothed_left_at === left) return [];
    const times = { smoothed_entered_at: entered, smoothed_left_at: left };
    const smoothed_dwell = left === null ? null : (left - entered) / 1000;
    return [{ ...row, ...times, app_id: appId, smoothed_dwell, updated_at: now }];
  });
  const { open = [], over = [] } = Object.groupBy(rows, ({ left_at }) => (left_at === null ? 'open' : 'over'));
  await db.runTogether([...begunVisits.each(db.dialect, open), ...endedVisits.each(db.dialect, over)]);
  return rows;
}
