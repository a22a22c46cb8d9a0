import { firstIdAt } from '../../../base/id.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';

/** Sums over what the engine has written of one app; all of them run beside other requests. */

export interface OpenVisits {
  readonly visitors: number;
  /** Beacons where somebody is. */
  readonly occupied: number;
}

export async function countOpenVisits(db: Db, appId: string): Promise<OpenVisits> {
  const [totals] = await db.all<OpenVisits>(
    sql`select count(distinct installation_id) as visitors, count(distinct beacon_id) as occupied
      from visits where app_id = ${appId} and is_open = 1`,
    { tenant: appId },
  );
  return totals ?? { visitors: 0, occupied: 0 };
}

export interface Occupied {
  readonly beacon_id: string;
  readonly visitors: number;
  /** Epoch milliseconds of the longest visit's beginning. */
  readonly since: number;
}

/** The beacons with the most visitors now. */
export function listOccupied(db: Db, appId: string, limit: number): Promise<Occupied[]> {
  return db.all<Occupied>(
    sql`select beacon_id, count(*) as visitors, min(entered_at) as since
      from visits where app_id = ${appId} and is_open = 1
      group by beacon_id order by visitors desc, beacon_id limit ${limit}`,
    { tenant: appId },
  );
}

/** When the last visit began (ms). */
export async function findLastVisit(db: Db, appId: string): Promise<number | undefined> {
  const [row] = await db.all<{ entered_at: number }>(
    sql`select entered_at from visits where app_id = ${appId} order by entered_at desc limit 1`,
    { tenant: appId },
  );
  return row?.entered_at;
}

/** Ids of events begin with their time, and those of what follows from them too. */
const isSince = (appId: string, since: number) => sql`app_id = ${appId} and object_id >= ${firstIdAt(since)}`;

export async function countEvents(db: Db, appId: string, since: number): Promise<number> {
  const [row] = await db.all<{ n: number }>(sql`select count(*) as n from events where ${isSince(appId, since)}`, {
    tenant: appId,
  });
  return row?.n ?? 0;
}

export interface VerdictCount {
  readonly outcome: string;
  readonly reason: string;
  readonly n: number;
}

/** The commonest first. */
export function countVerdicts(db: Db, appId: string, since: number): Promise<VerdictCount[]> {
  return db.all<VerdictCount>(
    sql`select outcome, reason, count(*) as n from verdicts where ${isSince(appId, since)} group by outcome, reason
      order by n desc, reason`,
    { tenant: appId },
  );
}
