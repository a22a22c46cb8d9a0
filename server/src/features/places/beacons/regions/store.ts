import { canonicalUuid } from '@pharos/engine';
import type { Caller } from '../../../../access/caller.ts';
import { raw, type Sql, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { allowedSql, allowedTo } from '../../../../resources/allowed.ts';
import { beacons } from '../resource.ts';
import type { Group, Near, Site, Spot } from './plan.ts';

/** What a plan of regions is made of: the beacons that the caller may list. All of it runs beside other requests. */

/** Where a phone is or was last. */
export interface Whereabouts {
  readonly beaconId?: string;
  readonly venueId?: string;
  readonly spot?: Spot;
}

/** The most sections considered, those with the most beacons; a site has fewer. */
const maxSections = 500;
/** A venue has fewer beacons. */
const maxNear = 2_000;

interface GroupRow {
  readonly uuid_key: string;
  readonly major: number | null;
  readonly n: number;
  readonly placed: number;
  readonly first_venue: string | null;
  readonly last_venue: string | null;
}

/** The group of a row. It has a venue if none of its beacons, seen or hidden, is elsewhere. */
function groupOf({ uuid_key, major, n, placed, first_venue, last_venue }: GroupRow): Group[] {
  const uuid = canonicalUuid(uuid_key);
  if (uuid === null) return [];
  const isOfOne = first_venue !== null && first_venue === last_venue && Number(placed) === Number(n);
  return [
    {
      uuid,
      ...(major === null ? {} : { major: Number(major) }),
      beacons: Number(n),
      ...(isOfOne ? { venueId: first_venue } : {}),
    },
  ];
}

interface NearRow {
  readonly object_id: string;
  readonly uuid_key: string;
  readonly major: number;
  readonly minor: number;
  readonly venue_id: string | null;
  readonly zone_id: string | null;
  readonly location: string | null;
}

function spotOf(location: unknown): Spot | undefined {
  const { x, y, floor = 0 } = (location ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof x !== 'number' || typeof y !== 'number') return undefined;
  return { x, y, floor: Number(floor) || 0 };
}

function nearOf(row: NearRow): Near[] {
  const uuid = canonicalUuid(row.uuid_key);
  if (uuid === null) return [];
  const spot = row.location === null ? undefined : spotOf(JSON.parse(row.location));
  return [
    {
      ...{ beaconId: row.object_id, uuid, major: row.major, minor: row.minor },
      ...(row.venue_id === null ? {} : { venueId: row.venue_id }),
      ...(row.zone_id === null ? {} : { zoneId: row.zone_id }),
      ...(spot === undefined ? {} : { spot }),
    },
  ];
}

/** Everything that a plan needs, as far as the caller may know it. */
export async function readSite(db: Db, caller: Caller, at: Whereabouts): Promise<Site> {
  const { appId } = caller.app;
  const allowed = await allowedTo(beacons, 'list', caller);
  const seen = allowed ? allowedSql(db, allowed) : raw('1 = 1');
  const slow = { tenant: appId };
  const groups = (by: 'uuid_key' | 'uuid_key, major', limit: number) =>
    db.all<GroupRow>(
      sql`select uuid_key, ${raw(by === 'uuid_key' ? 'null as major' : 'major')}, count(*) as n, count(venue_id) as placed,
          min(venue_id) as first_venue, max(venue_id) as last_venue
        from beacons where app_id = ${appId} group by ${raw(by)} having sum(case when ${seen} then 1 else 0 end) > 0
        order by n desc, ${raw(by)} limit ${limit}`,
      slow,
    );
  const own = at.beaconId === undefined ? undefined : await findNear(db, appId, at.beaconId);
  const venueId = own?.venue_id ?? at.venueId;
  const near = await db.all<NearRow>(
    sql`select object_id, uuid_key, major, minor, venue_id, zone_id, location from beacons
      where app_id = ${appId} and ${around(own, venueId)} and ${seen} order by object_id limit ${maxNear}`,
    slow,
  );
  return {
    uuids: (await groups('uuid_key', maxSections)).flatMap(groupOf),
    sections: (await groups('uuid_key, major', maxSections)).flatMap(groupOf),
    near: near.flatMap(nearOf),
    ...(at.beaconId === undefined
      ? {}
      : { here: { beaconId: at.beaconId, ...(at.spot === undefined ? {} : { spot: at.spot }) } }),
    ...(venueId === undefined ? {} : { venueId }),
  };
}

function findNear(db: Db, appId: string, beaconId: string): Promise<NearRow | undefined> {
  return db.one<NearRow>(sql`select object_id, uuid_key, major, minor, venue_id, zone_id, location from beacons
    where app_id = ${appId} and object_id = ${beaconId}`);
}

/** Undefined for a beacon that is in none. */
export async function findVenueOf(db: Db, appId: string, beaconId: string): Promise<string | undefined> {
  return (await findNear(db, appId, beaconId))?.venue_id ?? undefined;
}

/** Beacons without a venue are those of their UUID and major. */
function around(own: NearRow | undefined, venueId: string | undefined): Sql {
  if (venueId !== undefined) return sql`venue_id = ${venueId}`;
  return own ? sql`uuid_key = ${own.uuid_key} and major = ${own.major}` : raw('1 = 1');
}
