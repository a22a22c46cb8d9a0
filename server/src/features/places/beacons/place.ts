import { fail, invalid } from '../../../base/errors.ts';
import { listSql, raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { Context } from '../../context.ts';

/** Which venue and zone a beacon belongs to: what was sent, else what follows from its location. */

type Location = Readonly<Record<string, unknown>>;

export type PlaceDeps = Pick<Context, 'lockVenueForShare' | 'lockZoneForShare' | 'findZoneAt'>;

interface Pointed {
  readonly objectId: string;
}

interface Written {
  readonly appId: string;
  readonly objectId: string;
  /** Null clears; undefined was not sent. */
  readonly sent: {
    readonly venueId: Pointed | null | undefined;
    readonly zoneId: Pointed | null | undefined;
    readonly location: Location | null | undefined;
  };
}

/**
 * In the transaction that has written the beacon.
 *
 * @throws Failure ObjectNotFound, ValidationError for a zone of another venue
 */
export async function placeBeacon(deps: PlaceDeps, db: Db, { appId, objectId, sent }: Written): Promise<void> {
  const { venueId, zoneId, location } = sent;
  if (venueId && !(await deps.lockVenueForShare(db, appId, venueId.objectId)))
    throw fail('ObjectNotFound', `venueId: there is no venue ${venueId.objectId}.`);
  if (zoneId) {
    const venue = await deps.lockZoneForShare(db, appId, zoneId.objectId);
    if (venue === undefined) throw fail('ObjectNotFound', `zoneId: there is no zone ${zoneId.objectId}.`);
    if (venueId && venueId.objectId !== venue) {
      throw invalid('zoneId', 'is in another venue than venueId says');
    }
    await setPlace(db, { appId, objectId, venueId: venue, zoneId: zoneId.objectId });
    return;
  }
  if (zoneId === null || (venueId === undefined && location === undefined)) return;
  const row = await db.one<{ venue_id: string | null; zone_id: string | null; location: string | null }>(
    sql`select venue_id, zone_id, location from beacons where app_id = ${appId} and object_id = ${objectId}`,
  );
  if (!row) return;
  // Nobody draws zones in the venue meanwhile; one that was sent is locked already.
  if (row.venue_id !== null && row.venue_id !== venueId?.objectId)
    await deps.lockVenueForShare(db, appId, row.venue_id);
  const found = await zoneOf(deps, db, { appId, ...row });
  if (found !== row.zone_id) await setPlace(db, { appId, objectId, venueId: row.venue_id, zoneId: found });
}

/** Locks the venue of a beacon, if it has one, until the transaction ends: it is not deleted, and nobody draws in it. */
export async function lockFormerVenue(
  { lockVenueForShare }: Pick<PlaceDeps, 'lockVenueForShare'>,
  db: Db,
  appId: string,
  objectId: string,
): Promise<void> {
  const row = await db.one<{ venue_id: string | null }>(
    sql`select venue_id from beacons where app_id = ${appId} and object_id = ${objectId}`,
  );
  if (row && row.venue_id !== null) await lockVenueForShare(db, appId, row.venue_id);
}

async function zoneOf(
  { findZoneAt }: PlaceDeps,
  db: Db,
  row: { readonly appId: string; readonly venue_id: string | null; readonly location: string | null },
): Promise<string | null> {
  if (row.venue_id === null || row.location === null) return null;
  const location = JSON.parse(row.location) as Location;
  return (await findZoneAt(db, { appId: row.appId, venueId: row.venue_id, location })) ?? null;
}

async function setPlace(
  db: Db,
  place: {
    readonly appId: string;
    readonly objectId: string;
    readonly venueId: string | null;
    readonly zoneId: string | null;
  },
): Promise<void> {
  await db.run(sql`update beacons set venue_id = ${place.venueId}, zone_id = ${place.zoneId}
    where app_id = ${place.appId} and object_id = ${place.objectId}`);
}

interface PlacedBeacon {
  readonly objectId: string;
  readonly zoneId: string | null;
  readonly location: Location | null;
}

export async function listWhereBeaconsAre(
  db: Db,
  appId: string,
): Promise<readonly (PlacedBeacon & { readonly venueId: string | null })[]> {
  const rows = await db.all<{
    object_id: string;
    venue_id: string | null;
    zone_id: string | null;
    location: string | null;
  }>(sql`select object_id, venue_id, zone_id, case when venue_id is null then null else location end as location
    from beacons where app_id = ${appId}`);
  return rows.map(({ object_id, venue_id, zone_id, location }) => ({
    objectId: object_id,
    venueId: venue_id,
    zoneId: zone_id,
    location: location === null ? null : (JSON.parse(location) as Location),
  }));
}

/** The beacons of a venue, in a transaction that changes its zones. */
export async function listPlaced(db: Db, appId: string, venueId: string): Promise<PlacedBeacon[]> {
  const rows = await db.all<{ object_id: string; zone_id: string | null; location: string | null }>(
    sql`select object_id, zone_id, location from beacons
      where app_id = ${appId} and venue_id = ${venueId} order by object_id`,
  );
  return rows.map(({ object_id, zone_id, location }) => ({
    objectId: object_id,
    zoneId: zone_id,
    location: location === null ? null : (JSON.parse(location) as Location),
  }));
}

/** Sets the zone of a beacon when zones were drawn or deleted at `now` (ms). */
export async function setZone(
  db: Db,
  beacon: { readonly appId: string; readonly objectId: string; readonly zoneId: string | null; readonly now: number },
): Promise<void> {
  await db.run(sql`update beacons set zone_id = ${beacon.zoneId},
      updated_at = case when updated_at > ${beacon.now} then updated_at else ${beacon.now} end
    where app_id = ${beacon.appId} and object_id = ${beacon.objectId}`);
}

export async function beaconsIn(
  db: Db,
  appId: string,
  { zoneId, venueId }: { readonly zoneId?: string | undefined; readonly venueId?: string | undefined },
): Promise<string[]> {
  const place = zoneId === undefined ? sql`venue_id = ${venueId ?? ''}` : sql`zone_id = ${zoneId}`;
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from beacons where app_id = ${appId} and ${place} order by object_id`,
  );
  return rows.map(({ object_id }) => object_id);
}

export async function beaconsOfPlaces(
  db: Db,
  appId: string,
  { zones, venues }: { readonly zones: readonly string[]; readonly venues: readonly string[] },
): Promise<readonly { readonly beaconId: string; readonly zoneId: string | null; readonly venueId: string | null }[]> {
  const among = (column: 'zone_id' | 'venue_id', ids: readonly string[]) =>
    ids.length === 0 ? raw('1 = 0') : sql`${raw(column)} in (${listSql(ids)})`;
  const rows = await db.all<{ object_id: string; zone_id: string | null; venue_id: string | null }>(
    sql`select object_id, zone_id, venue_id from beacons
      where app_id = ${appId} and (${among('zone_id', zones)} or ${among('venue_id', venues)})`,
  );
  return rows.map(({ object_id, zone_id, venue_id }) => ({ beaconId: object_id, zoneId: zone_id, venueId: venue_id }));
}
