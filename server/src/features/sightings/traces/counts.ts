import { beaconsOf } from '../../../access/venue-limit.ts';
import { firstIdAt } from '../../../base/id.ts';
import { joinSql, raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';

/** Sums over what the engine has written of one app; all of them run beside other requests. */

const atVenues = (appId: string, venues: readonly string[] | undefined) =>
  venues ? beaconsOf(raw('beacon_id'), appId, venues) : raw('1 = 1');

export interface OpenVisits {
  readonly visitors: number;
  /** Beacons where somebody is. */
  readonly occupied: number;
}

export async function countOpenVisits(db: Db, appId: string, venues?: readonly string[]): Promise<OpenVisits> {
  const [totals] = await db.all<OpenVisits>(
    sql`select count(distinct installation_id) as visitors, count(distinct beacon_id) as occupied
      from visits where app_id = ${appId} and is_open = 1 and ${atVenues(appId, venues)}`,
    { tenant: appId },
  );
  return totals ?? { visitors: 0, occupied: 0 };
}

export interface OccupiedBeacon {
  readonly beacon_id: string;
  readonly visitors: number;
  /** Epoch milliseconds of the longest visit's beginning. */
  readonly since: number;
}

/** The beacons with the most visitors now. */
export function listOccupied(
  db: Db,
  appId: string,
  limit: number,
  venues?: readonly string[],
): Promise<OccupiedBeacon[]> {
  return db.all<OccupiedBeacon>(
    sql`select beacon_id, count(*) as visitors, min(entered_at) as since
      from visits where app_id = ${appId} and is_open = 1 and ${atVenues(appId, venues)}
      group by beacon_id order by visitors desc, beacon_id limit ${limit}`,
    { tenant: appId },
  );
}

/** When the last visit began (ms). */
export async function findLastVisit(db: Db, appId: string): Promise<number | undefined> {
  const [row] = await db.all<{ entered_at: number }>(
    sql`select entered_at from visits where app_id = ${appId} order by entered_at desc limit 1`,
    { tenant: appId },
  );
  return row?.entered_at;
}

/** Ids of events begin with their time, and those of what follows from them too. */
const isSince = (appId: string, since: number) => sql`app_id = ${appId} and object_id >= ${firstIdAt(since)}`;

export async function countEvents(db: Db, appId: string, since: number): Promise<number> {
  const [row] = await db.all<{ n: number }>(sql`select count(*) as n from events where ${isSince(appId, since)}`, {
    tenant: appId,
  });
  return row?.n ?? 0;
}

export interface VerdictCount {
  readonly outcome: string;
  readonly reason: string;
  readonly n: number;
}

/** The commonest first. */
export function countVerdicts(db: Db, appId: string, since: number): Promise<VerdictCount[]> {
  return db.all<VerdictCount>(
    sql`select outcome, reason, count(*) as n from verdicts where ${isSince(appId, since)} group by outcome, reason
      order by n desc, reason`,
    { tenant: appId },
  );
}

/** A visitor not heard for longer is not here, as on the console's live plan. */
const presentMs = 60_000;
/** A visit that is longer and has not ended is a phone beside somebody's desk. */
const longestMs = 4 * 3_600_000;

/** A beacon of a place; one may be of several. */
export interface BeaconOfPlace {
  readonly beaconId: string;
  readonly placeId: string;
}

/**
 * How many visitors are at the beacons of each place now: by where they are (`byPosition`), else by their open visits. A place
 * where nobody is has no entry. Late data changes nothing here, since it says where somebody was.
 */
export async function countInPlaces(
  db: Db,
  appId: string,
  {
    of,
    byPosition,
    now,
  }: { readonly of: readonly BeaconOfPlace[]; readonly byPosition: boolean; readonly now: number },
): Promise<ReadonlyMap<string, number>> {
  if (of.length === 0) return new Map();
  const pairs = joinSql(
    of.map(({ beaconId, placeId }) => sql`(${beaconId}, ${placeId})`),
    ', ',
  );
  const here = byPosition
    ? sql`positions t where t.app_id = ${appId} and t.sensed_at >= ${now - presentMs}`
    : sql`visits t where t.app_id = ${appId} and t.is_open = 1 and t.entered_at >= ${now - longestMs}`;
  const rows = await db.all<{ place_id: string; n: number }>(
    sql`with of_place (beacon, place) as (values ${pairs}),
        here as (select t.beacon_id, t.installation_id from ${here})
      select place as place_id, count(distinct installation_id) as n
        from here join of_place on beacon = beacon_id group by place`,
    { tenant: appId },
  );
  return new Map(rows.map(({ place_id, n }) => [place_id, Number(n)]));
}
