import { firstIdAt } from '../../../base/id.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';

/** Sums over the deliveries of one app; all of them run beside other requests. */

/** A delivery's id begins with the time of its event or push, which is not later than the delivery. */
const isSince = (appId: string, since: number) => sql`app_id = ${appId} and object_id >= ${firstIdAt(since)}`;

interface StateCount {
  readonly state: string;
  readonly n: number;
  readonly received: number;
  readonly opened: number;
}

/** What became of the messages that events have set off. */
export function countProximityStates(db: Db, appId: string, since: number): Promise<StateCount[]> {
  return db.all<StateCount>(
    sql`select state, count(*) as n, count(received_at) as received, count(opened_at) as opened
      from deliveries where ${isSince(appId, since)} and event_id is not null group by state`,
    { tenant: appId },
  );
}

interface FailureCount {
  readonly sender: string | null;
  readonly reason: string | null;
  readonly n: number;
  /** Epoch milliseconds. */
  readonly last_at: number;
}

/** Why messages failed, the five commonest reasons. */
export function countFailures(db: Db, appId: string, since: number): Promise<FailureCount[]> {
  return db.all<FailureCount>(
    sql`select sender, reason, count(*) as n, max(updated_at) as last_at from deliveries
      where ${isSince(appId, since)} and state = 'failed'
      group by sender, reason order by n desc, reason limit 5`,
    { tenant: appId },
  );
}
