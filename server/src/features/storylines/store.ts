import { raw, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { boolean, defineTable, json, text, time } from '../../resources/table.ts';

export const storylineTable = defineTable('storylines', {
  objectId: text('object_id'),
  title: text('title'),
  isEnabled: boolean('is_enabled'),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});

const detailColumns = {
  objectId: text('object_id'),
  beacons: json('beacons'),
  campaign: text('campaign'),
  event: text('event'),
  showOn: json('show_on'),
  urlImageAndroid: text('url_image_android', { omitNull: true }),
  urlImageIOS: text('url_image_ios', { omitNull: true }),
  urlPage: text('url_page', { omitNull: true }),
  urlVideo: text('url_video', { omitNull: true }),
  alertTitle: text('alert_title', { omitNull: true }),
  alertMessage: text('alert_message', { omitNull: true }),
  delivery: json('delivery', { omitNull: true }),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
};

export const detailTable = defineTable('storyline_details', detailColumns);
/** Scenarios outside their storyline, with the storyline in each record. */
export const looseDetailTable = defineTable('storyline_details', {
  ...detailColumns,
  storylineId: text('storyline_id'),
});

/** In a transaction: the storyline exists and is not deleted before the end. */
export async function holdStoryline(db: Db, appId: string, storylineId: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from storylines
    where app_id = ${appId} and object_id = ${storylineId}${raw(db.dialect.holdRow)}`);
  return row !== undefined;
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
