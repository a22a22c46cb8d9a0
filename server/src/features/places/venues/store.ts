import { joinSql, listSql, raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { areaOf, isInside, type Point } from './polygon.ts';

/** Where beacons belong, by the polygons of zones and the levels of floors. */

interface Numbers {
  readonly level: number;
  readonly name: string;
}

/** A beacon's location: x and y in metres; `floor` is the level, as a number or a text, or the name of the floor. */
export type Location = Readonly<Record<string, unknown>>;

/** Whether a location is on a floor. One that names no floor is on the ground floor. */
export function isOnFloor(location: Location, { level, name }: Numbers): boolean {
  const { floor } = location;
  if (floor === undefined || floor === null || floor === '') return level === 0;
  if (typeof floor === 'number') return floor === level;
  if (typeof floor !== 'string') return false;
  const text = floor.trim();
  return Number(text) === level || text.toLowerCase() === name.toLowerCase();
}

interface ZoneRow {
  readonly object_id: string;
  readonly polygon: string;
}

/** The smallest zone that holds a point: a shop in a hall is the shop. */
function smallest(rows: readonly ZoneRow[], point: Point): string | undefined {
  const holding = rows
    .map(({ object_id, polygon }) => ({ object_id, points: JSON.parse(polygon) as Point[] }))
    .filter(({ points }) => isInside(points, point))
    .sort((a, b) => areaOf(a.points) - areaOf(b.points));
  return holding[0]?.object_id;
}

/** The most zones at one point of a floor. */
const maxAtAPoint = 50;

export interface BeaconSpot {
  readonly appId: string;
  readonly venueId: string;
  readonly location: Location;
  /** A zone that is about to be deleted. */
  readonly except?: string;
}

export async function findZoneAt(
  db: Db,
  { appId, venueId, location, except = '' }: BeaconSpot,
): Promise<string | undefined> {
  const { x, y } = location;
  if (typeof x !== 'number' || typeof y !== 'number') return undefined;
  const floors = (await listFloors(db, appId, venueId)).filter((floor) => isOnFloor(location, floor));
  if (floors.length === 0) return undefined;
  const on = joinSql(
    floors.map(({ object_id }) => sql`${object_id}`),
    ', ',
  );
  const rows = await db.all<ZoneRow>(
    sql`select object_id, polygon from zones
      where app_id = ${appId} and floor_id in (${on}) and object_id <> ${except}
        and left_x <= ${x} and right_x >= ${x} and top_y <= ${y} and bottom_y >= ${y}
      order by object_id limit ${maxAtAPoint}`,
  );
  return smallest(rows, { x, y });
}

function listFloors(db: Db, appId: string, venueId: string): Promise<(Numbers & { readonly object_id: string })[]> {
  return db.all(
    sql`select object_id, level, name from floors where app_id = ${appId} and venue_id = ${venueId} order by object_id`,
  );
}

export function listAllFloors(db: Db, appId: string): Promise<FloorRow[]> {
  return db.all(sql`select object_id, venue_id, level, name from floors where app_id = ${appId} order by object_id`);
}

export async function listZoneFloors(db: Db, appId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.all<{ object_id: string; floor_id: string }>(
    sql`select object_id, floor_id from zones where app_id = ${appId}`,
  );
  return new Map(rows.map(({ object_id, floor_id }) => [object_id, floor_id]));
}

const hold = (db: Db) => raw(db.dialect.holdRow);

/** In a transaction: the venue is there and stays until the end. */
export async function lockVenueForShare(db: Db, appId: string, venueId: string): Promise<boolean> {
  const found = await db.one(
    sql`select 1 as found from venues where app_id = ${appId} and object_id = ${venueId}${hold(db)}`,
  );
  return found !== undefined;
}

/** In a transaction: locks the venue, so that nobody else changes its floors and zones or places beacons in it. */
export async function lockVenue(db: Db, appId: string, venueId: string): Promise<boolean> {
  const found = await db.one(
    sql`select 1 as found from venues where app_id = ${appId} and object_id = ${venueId}${raw(db.dialect.lockRow)}`,
  );
  return found !== undefined;
}

/** The venue of a zone, which stays until the end of the transaction. */
export async function lockZoneForShare(db: Db, appId: string, zoneId: string): Promise<string | undefined> {
  const row = await db.one<{ venue_id: string }>(
    sql`select venue_id from zones where app_id = ${appId} and object_id = ${zoneId}${hold(db)}`,
  );
  return row?.venue_id;
}

export interface FloorRow extends Numbers {
  readonly object_id: string;
  readonly venue_id: string;
}

/** In a transaction: the floor, which stays until the end. */
export function holdFloor(db: Db, appId: string, floorId: string): Promise<FloorRow | undefined> {
  return db.one<FloorRow>(
    sql`select object_id, venue_id, level, name from floors
      where app_id = ${appId} and object_id = ${floorId}${hold(db)}`,
  );
}

export async function findFloorName(
  db: Db,
  floor: { readonly appId: string; readonly venueId: string; readonly level: number; readonly except: string },
): Promise<string | undefined> {
  const row = await db.one<{ name: string }>(
    sql`select name from floors where app_id = ${floor.appId} and venue_id = ${floor.venueId}
      and level = ${floor.level} and object_id <> ${floor.except}`,
  );
  return row?.name;
}

export async function countFloors(db: Db, appId: string, venueId: string): Promise<number> {
  const row = await db.one<{ n: number }>(
    sql`select count(*) as n from floors where app_id = ${appId} and venue_id = ${venueId}`,
  );
  return row?.n ?? 0;
}

export async function countZones(db: Db, appId: string, floorId: string): Promise<number> {
  const row = await db.one<{ n: number }>(
    sql`select count(*) as n from zones where app_id = ${appId} and floor_id = ${floorId}`,
  );
  return row?.n ?? 0;
}

export async function hasZones(db: Db, appId: string, venueId: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from zones where app_id = ${appId} and venue_id = ${venueId} limit 1`);
  return row !== undefined;
}

export async function setVenueOfZone(db: Db, appId: string, zoneId: string, venueId: string): Promise<void> {
  await db.run(sql`update zones set venue_id = ${venueId} where app_id = ${appId} and object_id = ${zoneId}`);
}

export async function findZone(
  db: Db,
  appId: string,
  zoneId: string,
): Promise<
  | {
      readonly floor_id: string;
      readonly venue_id: string;
      readonly polygon: string;
      readonly capacity: number | null;
    }
  | undefined
> {
  return db.one(
    sql`select floor_id, venue_id, polygon, capacity from zones where app_id = ${appId} and object_id = ${zoneId}`,
  );
}

/** A zone or a venue with a limit of people. */
interface LimitedPlace {
  readonly place: 'zone' | 'venue';
  readonly placeId: string;
  readonly venueId: string;
  readonly name: string;
  readonly capacity: number;
}

/** The limited places of an app, which are few; only in these venues, if they are given. */
export async function listLimitedPlaces(
  db: Db,
  appId: string,
  venues?: readonly string[],
): Promise<readonly LimitedPlace[]> {
  const rows = await db.all<Omit<LimitedPlace, 'placeId' | 'venueId'> & { object_id: string; venue_id: string }>(
    sql`select 'zone' as place, object_id, venue_id, name, capacity from zones
        where app_id = ${appId} and capacity is not null and venue_id is not null
      union all select 'venue' as place, object_id, object_id as venue_id, name, capacity from venues
        where app_id = ${appId} and capacity is not null
      order by object_id limit 1000`,
  );
  return rows
    .filter(({ venue_id }) => venues?.includes(venue_id) ?? true)
    .map(({ object_id, venue_id, ...rest }) => ({ ...rest, placeId: object_id, venueId: venue_id }));
}

export async function listAppsWithLimits(db: Db): Promise<readonly string[]> {
  const rows = await db.all<{ app_id: string }>(
    raw(`select app_id from zones where capacity is not null
      union select app_id from venues where capacity is not null`),
  );
  return rows.map(({ app_id }) => app_id);
}

/** A floor with the others of its venue, and the zones that are drawn on it. */
interface DrawnFloor extends Numbers {
  readonly objectId: string;
  readonly venueId: string;
  readonly floors: readonly (Numbers & { readonly objectId: string })[];
  readonly zones: readonly { readonly kind: string; readonly polygon: readonly Point[] }[];
}

export async function findDrawnFloor(db: Db, appId: string, floorId: string): Promise<DrawnFloor | undefined> {
  const row = await db.one<FloorRow>(
    sql`select object_id, venue_id, level, name from floors where app_id = ${appId} and object_id = ${floorId}`,
  );
  if (!row) return undefined;
  const zones = await db.all<{ kind: string; polygon: string }>(
    sql`select kind, polygon from zones where app_id = ${appId} and floor_id = ${floorId} order by object_id`,
  );
  const floors = await listFloors(db, appId, row.venue_id);
  return {
    objectId: floorId,
    venueId: row.venue_id,
    level: row.level,
    name: row.name,
    floors: floors.map(({ object_id: objectId, level, name }) => ({ objectId, level, name })),
    zones: zones.map(({ kind, polygon }) => ({ kind, polygon: JSON.parse(polygon) as Point[] })),
  };
}

export interface CalendarRow {
  readonly object_id: string;
  readonly opening_hours: string | null;
  readonly exceptions: string;
}

/** The hours of venues as they are stored; of all of an app without ids. */
export async function listCalendars(db: Db, appId: string, ids?: readonly string[]): Promise<readonly CalendarRow[]> {
  const rows = await db.all<CalendarRow>(
    sql`select object_id, opening_hours, exceptions from venues where app_id = ${appId} order by object_id`,
  );
  return ids ? rows.filter(({ object_id }) => ids.includes(object_id)) : rows;
}

export async function findVenueOf(
  db: Db,
  appId: string,
  { dimension, id }: { readonly dimension: 'zone' | 'floor'; readonly id: string },
): Promise<string | undefined> {
  const table = raw(dimension === 'zone' ? 'zones' : 'floors');
  const row = await db.one<{ venue_id: string | null }>(
    sql`select venue_id from ${table} where app_id = ${appId} and object_id = ${id}`,
  );
  return row?.venue_id ?? undefined;
}

interface ReportVenueRow extends CalendarRow {
  readonly name: string;
  readonly time_zone: string | null;
}

/** The venues of an app with their clocks and hours, or one of them. */
export function listVenuesForReports(db: Db, appId: string, venueId?: string): Promise<ReportVenueRow[]> {
  const only = venueId === undefined ? sql`` : sql` and object_id = ${venueId}`;
  return db.all(sql`select object_id, name, time_zone, opening_hours, exceptions from venues
    where app_id = ${appId}${only} order by object_id`);
}

export async function listZoneNames(
  db: Db,
  appId: string,
): Promise<ReadonlyMap<string, { readonly name: string; readonly kind: string }>> {
  const rows = await db.all<{ object_id: string; name: string; kind: string }>(
    sql`select object_id, name, kind from zones where app_id = ${appId}`,
  );
  return new Map(rows.map(({ object_id, name, kind }) => [object_id, { name, kind }]));
}

export async function existingVenues(db: Db, appId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from venues where app_id = ${appId} and object_id in (${listSql(ids)})`,
  );
  return new Set(rows.map(({ object_id }) => object_id));
}
