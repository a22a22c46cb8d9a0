import { raw, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';

/** In a transaction: the storyline exists and is not deleted before the end. */
export async function holdStoryline(db: Db, appId: string, storylineId: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from storylines
    where app_id = ${appId} and object_id = ${storylineId}${raw(db.dialect.holdRow)}`);
  return row !== undefined;
}

/** The storyline of a scenario. */
export async function findStorylineOf(db: Db, appId: string, detailId: string): Promise<string | undefined> {
  const row = await db.one<{ storyline_id: string }>(
    sql`select storyline_id from storyline_details where app_id = ${appId} and object_id = ${detailId}`,
  );
  return row?.storyline_id;
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
