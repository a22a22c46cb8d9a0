import type { Caller } from '../../../access/caller.ts';
import { joinSql, raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import { bigint, defineTable, nullable, type RowOf, text } from '../../../db/table.ts';
import { allowedSql, allowedTo } from '../../../resources/allowed.ts';
import { beacons } from './resource.ts';

/** That somebody stood before a beacon and found it where it is said to be: by whom, when, and a photograph. */
export const placements = defineTable({
  name: 'placements',
  owner: 'beacons',
  columns: {
    app_id: text,
    beacon_id: text,
    location: text,
    photo_id: nullable(text),
    verified_at: bigint,
    by_admin: nullable(text),
    created_by: nullable(text),
  },
  key: ['app_id', 'beacon_id'],
  indexes: { placements_created_by: { on: ['app_id', 'created_by', 'beacon_id'] } },
  childOf: ['beacons'],
  users: ['created_by'],
  erased: 'unname',
});

export type PlacementRow = RowOf<typeof placements>;

export async function writePlacement(db: Db, row: PlacementRow): Promise<void> {
  await db.run(sql`insert into placements (app_id, beacon_id, location, photo_id, verified_at, by_admin, created_by)
    values (${row.app_id}, ${row.beacon_id}, ${row.location}, ${row.photo_id}, ${row.verified_at}, ${row.by_admin},
      ${row.created_by})
    on conflict (app_id, beacon_id) do update set location = excluded.location, photo_id = excluded.photo_id,
      verified_at = excluded.verified_at, by_admin = excluded.by_admin, created_by = excluded.created_by`);
}

const placementRows = rowsOf(placements);

/** Deletes the placement of a beacon; whether there was one. */
export const forgetPlacement = placementRows.take('app_id', 'beacon_id');

/** In a transaction: where the beacon is now, as JSON, which stays until the end; undefined: nowhere. */
export async function holdLocation(db: Db, appId: string, beaconId: string): Promise<string | undefined> {
  const row = await db.one<{ location: string | null }>(
    sql`select location from beacons where app_id = ${appId} and object_id = ${beaconId}${raw(db.dialect.holdRow)}`,
  );
  return row?.location ?? undefined;
}

export interface AskedPlacements {
  readonly venueId?: string | undefined;
  readonly beaconId?: string | undefined;
}

/** A placement, and where its beacon is now. */
export type ListedPlacement = PlacementRow & { readonly now_at: string | null };

/** The most placements in one answer; no venue has as many beacons. */
export const maxPlacements = 5_000;

/** The placements of the beacons that the caller may get and change, by their ids. */
export async function listPlacements(
  db: Db,
  caller: Caller,
  { venueId, beaconId }: AskedPlacements,
): Promise<readonly ListedPlacement[]> {
  const { appId } = caller.app;
  // The scopes of a secret key say what it may do, and not what it may get besides.
  const verbs = caller.secretKey ? (['update'] as const) : (['get', 'update'] as const);
  const allowed = await Promise.all(verbs.map((verb) => allowedTo(beacons, verb, caller)));
  const conditions = [
    sql`app_id = ${appId}`,
    ...(venueId === undefined ? [] : [sql`venue_id = ${venueId}`]),
    ...(beaconId === undefined ? [] : [sql`object_id = ${beaconId}`]),
    ...allowed.flatMap((one) => (one ? [allowedSql(db, one)] : [])),
  ];
  return db.all<ListedPlacement>(sql`select app_id, beacon_id, location, photo_id, verified_at, by_admin, created_by,
      (select location from beacons where app_id = ${appId} and object_id = placements.beacon_id) as now_at
    from placements
    where app_id = ${appId} and beacon_id in (select object_id from beacons where ${joinSql(conditions, ' and ')})
    order by beacon_id limit ${maxPlacements}`);
}
