import type { Goal } from '../../../access/experiment.ts';
import { listsSql, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { type ValidTimes, validTimes } from '../../valid-times.ts';

export async function listGoals(db: Db, appId: string): Promise<{ triggerId: string; goal: Goal }[]> {
  const rows = await db.all<{ object_id: string; goal: string }>(
    sql`select object_id, goal from notifications where app_id = ${appId} and goal is not null order by object_id`,
  );
  return rows.map(({ object_id, goal }) => ({ triggerId: object_id, goal: JSON.parse(goal) as Goal }));
}

export interface TimedNotification extends ValidTimes {
  readonly name: string;
  readonly beaconIds: readonly string[];
}

export async function listTimed(db: Db, appId: string): Promise<TimedNotification[]> {
  const rows = await db.all<{ object_id: string; description: string; beacon_id: string; delivery: string }>(
    sql`select object_id, description, beacon_id, delivery from notifications
      where app_id = ${appId} and is_enabled = 1 and delivery is not null order by object_id`,
    { tenant: appId },
  );
  return rows.flatMap(({ object_id, description, beacon_id, delivery }) => {
    const times = validTimes(delivery);
    return times ? [{ name: description || object_id, beaconIds: [beacon_id], ...times }] : [];
  });
}

export interface NamedTrigger {
  readonly triggerId: string;
  readonly name: string;
  readonly goal: Goal | undefined;
}

export async function findNames(db: Db, appId: string, ids: readonly string[]): Promise<NamedTrigger[]> {
  const found: NamedTrigger[] = [];
  for (const list of listsSql(ids)) {
    const rows = await db.all<{ object_id: string; description: string; goal: string | null }>(
      sql`select object_id, description, goal from notifications where app_id = ${appId} and object_id in (${list})`,
    );
    for (const { object_id, description, goal } of rows)
      found.push({
        triggerId: object_id,
        name: description,
        goal: goal === null ? undefined : (JSON.parse(goal) as Goal),
      });
  }
  return found;
}
