import type { Caller } from '../../../access/caller.ts';
import { listSql, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { findAllowed } from '../../../resources/allowed.ts';
import { beacons } from './resource.ts';

/** Those of `ids` that are not the objectId of a beacon of the app. */
export async function findMissingBeacons(db: Db, appId: string, ids: readonly string[]): Promise<string[]> {
  return without(ids, (id) =>
    db.one(sql`select 1 as found from beacons where app_id = ${appId} and object_id = ${id}`),
  );
}

/** Those of `ids` that do not exist, or not for the caller, who may not get them. */
export async function findUnreadableBeacons(db: Db, caller: Caller, ids: readonly string[]): Promise<string[]> {
  return without(ids, (id) =>
    findAllowed(db, beacons, { key: { app_id: caller.app.appId, object_id: id }, verb: 'get', caller }),
  );
}

async function without(ids: readonly string[], find: (id: string) => Promise<unknown>): Promise<string[]> {
  const missing: string[] = [];
  for (const id of new Set(ids)) if (!(await find(id))) missing.push(id);
  return missing;
}

/** @param uuid as beacons' uuids are compared */
export async function countBeaconsWithUuid(db: Db, appId: string, uuid: string): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) as count from beacons where app_id = ${appId} and uuid_key = ${uuid}`,
  );
  return Number(row?.count);
}

/** All beacons of an app, oldest first. */
export function listBeaconNames(db: Db, appId: string): Promise<{ object_id: string; name: string }[]> {
  return db.all(sql`select object_id, name from beacons where app_id = ${appId} order by object_id`);
}

/** The names of some beacons by objectId. Runs beside other requests. */
export async function findBeaconNames(
  db: Db,
  appId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all<{ object_id: string; name: string }>(
    sql`select object_id, name from beacons where app_id = ${appId} and object_id in (${listSql(ids)})`,
    { tenant: appId },
  );
  return new Map(rows.map(({ object_id, name }) => [object_id, name]));
}
