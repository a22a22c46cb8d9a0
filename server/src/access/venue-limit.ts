import { fail } from '../base/errors.ts';
import { listSql, type Sql, sql } from '../base/sql.ts';
import type { Db } from '../db/db.ts';
import type { Caller } from './caller.ts';
import type { Scope } from './keys/scopes.ts';
import type { ResourceName } from './rules/presets.ts';
import type { Verb } from './rules/rule-types.ts';

/**
 * How the rows of a resource belong to a venue: the member that is or names it (`venueId`; `objectId` of venues themselves),
 * or a column with the id of a beacon, whose venue counts. `open`: they belong to none, and these verbs are left to those who
 * are limited to venues.
 */
export type VenueLink = { readonly member: string } | { readonly beacon: string } | { readonly open: readonly Verb[] };

/** The venues to which the caller is limited for this; undefined: none. */
export function venuesFor(
  { venues, secretKey, writes }: Caller,
  of: ResourceName,
  verb: Verb,
): readonly string[] | undefined {
  if (venues || !secretKey) return venues;
  const { scopes } = secretKey;
  // A key that may not read these records can name them in its writes, within the venues of those.
  return scopes.venues({ of, verb }) ?? (writes && !scopes.include({ of, verb }) ? scopes.venues(writes) : undefined);
}

/** The caller as one who names other records in a write: a secret key need not be allowed to read them. */
export const naming = (caller: Caller, writes: Scope): Caller => (caller.secretKey ? { ...caller, writes } : caller);

/** The beacons of venues, as a condition on a column with the id of a beacon. */
export function beaconsOf(column: Sql, appId: string, venues: readonly string[]): Sql {
  if (venues.length === 0) return sql`(1 = 0)`;
  return sql`${column} in (select object_id from beacons where app_id = ${appId} and venue_id in (${listSql(venues)}))`;
}

/** The venue of the beacon whose id a column of `table` has, as an expression; null where it belongs to none. */
export const venueOfBeacon = (table: string, column: string): string =>
  `(select beacons.venue_id from beacons where beacons.app_id = ${table}.app_id and beacons.object_id = ${table}.${column})`;

export async function findBeaconsIn(db: Db, appId: string, venues: readonly string[]): Promise<ReadonlySet<string>> {
  if (venues.length === 0) return new Set();
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from beacons where app_id = ${appId} and venue_id in (${listSql(venues)})`,
  );
  return new Set(rows.map(({ object_id }) => object_id));
}

export async function findVenuesOf(
  db: Db,
  appId: string,
  beaconIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (beaconIds.length === 0) return new Map();
  const rows = await db.all<{ object_id: string; venue_id: string }>(
    sql`select object_id, venue_id from beacons where app_id = ${appId} and venue_id is not null
      and object_id in (${listSql([...new Set(beaconIds)])})`,
  );
  return new Map(rows.map(({ object_id, venue_id }) => [object_id, venue_id]));
}

/** For records of which none belongs to a venue. */
export const ofNoVenue = () =>
  fail('OperationForbidden', 'You are limited to some venues of this app, and these records belong to none.');

/** For a record that would be in, or move to, another venue. */
export const outside = () =>
  fail(
    'OperationForbidden',
    'You are limited to some venues of this app, and this would belong to none of them. Name one of them (venueId or beaconId).',
  );
