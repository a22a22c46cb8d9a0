import { sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { defineTable, json, number, text, time } from '../../resources/table.ts';

export const beaconTable = defineTable(
  'beacons',
  {
    objectId: text('object_id'),
    name: text('name'),
    uuid: text('uuid'),
    major: number('major', { isSet: true }),
    minor: number('minor', { isSet: true }),
    location: json('location', { omitNull: true }),
    metadata: json('metadata', { empty: '{}' }),
    measuredPower: number('measured_power', { omitNull: true }),
    sensitivity: text('sensitivity', { omitNull: true }),
    radius: number('radius', { omitNull: true }),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  { pairs: { major: 'minor' } },
);

/** Those of `ids` that are not the objectId of a beacon of the app. */
export async function findMissingBeacons(db: Db, appId: string, ids: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const found = await db.one(sql`select 1 as found from beacons where app_id = ${appId} and object_id = ${id}`);
    if (!found) missing.push(id);
  }
  return missing;
}
