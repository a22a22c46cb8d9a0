import { raw, type Sql, sql } from '../../../base/sql.ts';
import { bulkInsert } from '../../../db/bulk.ts';
import type { Db } from '../../../db/db.ts';
import type { Dialect } from '../../../db/dialect.ts';
import type { Firing } from '../../../proximity/index.ts';
import { presence } from '../traces/tables.ts';

/** What the rules ask about the past of an installation. SQL and nothing else. */

/** Whose presence at which beacon. */
export interface PresenceKey {
  readonly appId: string;
  readonly installationId: string;
  readonly beaconId: string;
}

/** How many visits of the two are over. */
export async function countVisits(db: Db, key: PresenceKey): Promise<number> {
  const row = await db.one<{ visit_count: number }>(
    sql`select visit_count from presence
      where app_id = ${key.appId} and installation_id = ${key.installationId} and beacon_id = ${key.beaconId}`,
  );
  return row?.visit_count ?? 0;
}

export interface CountedVisits extends PresenceKey {
  /** Visits that have ended, less those that go on after all. */
  readonly count: number;
  readonly now: number;
}

const addedCounts = bulkInsert(presence, {
  conflict: raw(`on conflict (app_id, installation_id, beacon_id) do update
    set visit_count = presence.visit_count + excluded.visit_count, updated_at = excluded.updated_at`),
});

export function addVisitCounts(dialect: Dialect, counted: readonly CountedVisits[]): Sql[] {
  const cells = counted.map(({ appId, installationId, beaconId, count, now }) => ({
    app_id: appId,
    installation_id: installationId,
    beacon_id: beaconId,
    visit_count: count,
    updated_at: now,
  }));
  return addedCounts.each(dialect, cells);
}

export interface FiringScope {
  readonly appId: string;
  readonly installationId: string;
  /** The person who is signed in on it: what her other installations were shown counts too. */
  readonly userId: string | null;
  readonly since: number;
}

/** What was shown since a time, oldest first. */
export async function findFirings(db: Db, { appId, installationId, userId, since }: FiringScope): Promise<Firing[]> {
  const whose =
    userId === null
      ? sql`installation_id = ${installationId}`
      : sql`installation_id in (select object_id from installations where app_id = ${appId} and user_id = ${userId})`;
  const rows = await db.all<{ trigger_id: string; visit_id: string; fired_at: number }>(
    sql`select trigger_id, visit_id, fired_at from firings
      where app_id = ${appId} and ${whose} and fired_at >= ${since}
      order by fired_at`,
  );
  return rows.map((row) => ({ triggerId: row.trigger_id, visitId: row.visit_id, at: row.fired_at }));
}
