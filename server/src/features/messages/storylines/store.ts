import type { Goal } from '../../../access/experiment.ts';
import { listsSql, raw, sql } from '../../../base/sql.ts';
import type { Db, Row } from '../../../db/db.ts';
import { type ValidTimes, validTimes } from '../../valid-times.ts';
import { details } from './resource.ts';

/** In a transaction: locks the storyline, so that it is not deleted before the end. False if there is none. */
export async function holdStoryline(db: Db, appId: string, storylineId: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from storylines
    where app_id = ${appId} and object_id = ${storylineId}${raw(db.dialect.holdRow)}`);
  return row !== undefined;
}

export async function findStorylineOf(db: Db, appId: string, detailId: string): Promise<string | undefined> {
  const row = await db.one<{ storyline_id: string }>(
    sql`select storyline_id from storyline_details where app_id = ${appId} and object_id = ${detailId}`,
  );
  return row?.storyline_id;
}

/** The scenarios of a storyline, oldest first. */
export function listDetailsOf(db: Db, appId: string, storylineId: string): Promise<Row[]> {
  return db.all(sql`select ${details.records.selection} from storyline_details
    where app_id = ${appId} and storyline_id = ${storylineId} order by object_id`);
}

export async function deleteDetailsOf(db: Db, appId: string, storylineId: string): Promise<void> {
  await db.run(sql`delete from scenario_beacons where app_id = ${appId} and detail_id in
    (select object_id from storyline_details where app_id = ${appId} and storyline_id = ${storylineId})`);
  await db.run(sql`delete from storyline_details where app_id = ${appId} and storyline_id = ${storylineId}`);
}

/** Stores which beacons a scenario belongs to, so that a beacon's scenarios are found without reading all. */
export async function linkBeacons(
  db: Db,
  appId: string,
  detailId: string,
  beaconIds: readonly string[],
): Promise<void> {
  await db.run(sql`delete from scenario_beacons where app_id = ${appId} and detail_id = ${detailId}`);
  for (const beaconId of new Set(beaconIds)) {
    await db.run(
      sql`insert into scenario_beacons (app_id, beacon_id, detail_id) values (${appId}, ${beaconId}, ${detailId})`,
    );
  }
}

export async function listGoals(db: Db, appId: string): Promise<{ triggerId: string; goal: Goal }[]> {
  const rows = await db.all<{ object_id: string; goal: string }>(
    sql`select object_id, goal from storyline_details where app_id = ${appId} and goal is not null order by object_id`,
  );
  return rows.map(({ object_id, goal }) => ({ triggerId: object_id, goal: JSON.parse(goal) as Goal }));
}

/** What scenarios are called: by their storyline, and their title if they have one. */
const nameOf = (storyline: string, title: string | null) => (title ? `${storyline}: ${title}` : storyline);

export interface TimedScenario extends ValidTimes {
  readonly name: string;
  readonly beaconIds: readonly string[];
}

/** Scenarios of enabled storylines that are valid only for a time. */
export async function listTimed(db: Db, appId: string): Promise<TimedScenario[]> {
  const rows = await db.all<{ title: string; alert_title: string | null; beacons: string; delivery: string }>(
    sql`select header.title, detail.alert_title, detail.beacons, detail.delivery from storyline_details detail
      join storylines header on header.app_id = detail.app_id and header.object_id = detail.storyline_id
      where detail.app_id = ${appId} and header.is_enabled = 1 and detail.delivery is not null order by detail.object_id`,
    { tenant: appId },
  );
  return rows.flatMap(({ title, alert_title, beacons, delivery }) => {
    const times = validTimes(delivery);
    const beaconIds = JSON.parse(beacons) as readonly string[];
    return times ? [{ name: nameOf(title, alert_title), beaconIds, ...times }] : [];
  });
}

export async function findNames(
  db: Db,
  appId: string,
  ids: readonly string[],
): Promise<{ triggerId: string; name: string; goal: Goal | undefined }[]> {
  const found: { triggerId: string; name: string; goal: Goal | undefined }[] = [];
  for (const list of listsSql(ids)) {
    const rows = await db.all<{ object_id: string; title: string; alert_title: string | null; goal: string | null }>(
      sql`select detail.object_id, header.title, detail.alert_title, detail.goal from storyline_details detail
        join storylines header on header.app_id = detail.app_id and header.object_id = detail.storyline_id
        where detail.app_id = ${appId} and detail.object_id in (${list})`,
    );
    for (const { object_id, title, alert_title, goal } of rows)
      found.push({
        triggerId: object_id,
        name: nameOf(title, alert_title),
        goal: goal === null ? undefined : (JSON.parse(goal) as Goal),
      });
  }
  return found;
}
