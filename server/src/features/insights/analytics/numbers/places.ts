import { listsSql, sql } from '../../../../base/sql.ts';
import { bulkInsert } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../../db/table.ts';
import { beaconPlaces } from './tables.ts';

/** Where beacons have been, so that visits stay in the zone in which they were when a beacon is hung up elsewhere. */

export const dimensions = ['beacon', 'zone', 'floor', 'venue'] as const;
export type Dimension = (typeof dimensions)[number];

/** Where a beacon is; the ids are null where it belongs to none. */
export interface BeaconPlace {
  readonly beaconId: string;
  readonly venueId: string | null;
  readonly floorId: string | null;
  readonly zoneId: string | null;
}

type PlaceRow = RowOf<typeof beaconPlaces>;
const column = { zone: 'zone_id', floor: 'floor_id', venue: 'venue_id' } as const;

export class PlaceHistory {
  readonly #rowsOf: ReadonlyMap<string, readonly PlaceRow[]>;

  /** Rows of one beacon in the order of `since`. */
  constructor(rows: readonly PlaceRow[]) {
    this.#rowsOf = Map.groupBy(rows, ({ beacon_id }) => beacon_id);
  }

  /** The row of a beacon at a time (ms); before its first one it was where it was then. */
  at(beaconId: string, at: number): PlaceRow | undefined {
    const rows = this.#rowsOf.get(beaconId);
    return rows?.findLast(({ since }) => since <= at) ?? rows?.[0];
  }

  /** The zone, floor or venue in which a beacon was at a time (ms), or the beacon itself. */
  idAt(dimension: Dimension, beaconId: string, at: number): string | undefined {
    if (dimension === 'beacon') return beaconId;
    return this.at(beaconId, at)?.[column[dimension]] ?? undefined;
  }

  /** The zones in which a beacon was at some moment of a stretch of time (ms; the second is not included). */
  zonesDuring(
    beaconId: string,
    { from, until }: { readonly from: number; readonly until: number },
  ): ReadonlySet<string> {
    const rows = this.#rowsOf.get(beaconId) ?? [];
    const then = rows.filter(({ since }, index) => {
      const next = rows[index + 1]?.since ?? Number.POSITIVE_INFINITY;
      return (index === 0 || since < until) && next > from;
    });
    return new Set(then.flatMap(({ zone_id }) => zone_id ?? []));
  }

  /** Whether something is known of a time before `at` (ms). */
  isKnownBefore(beaconId: string, at: number): boolean {
    return (this.#rowsOf.get(beaconId)?.[0]?.since ?? at) < at;
  }

  /** Whether a beacon was hung up elsewhere between two times (ms), of which the first is not included. */
  hasMoved(from: number, until: number): boolean {
    for (const rows of this.#rowsOf.values())
      for (const { since } of rows.slice(1)) if (since > from && since < until) return true;
    return false;
  }

  last(beaconId: string): PlaceRow | undefined {
    return this.#rowsOf.get(beaconId)?.at(-1);
  }

  /** The beacons, zones or floors that are or once were in a place. */
  idsIn(dimension: Dimension, place: { readonly dimension: Dimension; readonly id: string }): ReadonlySet<string> {
    const inside = [...this.#rowsOf.values()].flat().filter((row) => idOf(row, place.dimension) === place.id);
    return new Set(inside.flatMap((row) => idOf(row, dimension) ?? []));
  }
}

const idOf = (row: PlaceRow, dimension: Dimension): string | null =>
  dimension === 'beacon' ? row.beacon_id : row[column[dimension]];

export async function loadPlaces(db: Db, appId: string): Promise<PlaceHistory> {
  return new PlaceHistory(
    await db.all<PlaceRow>(sql`select * from beacon_places where app_id = ${appId} order by beacon_id, since`),
  );
}

const beaconPlaceRows = rowsOf(beaconPlaces);
export const forgetPlaces = beaconPlaceRows.remove('app_id');

const newPlaces = bulkInsert(beaconPlaces);

export const movedBeacons = (known: PlaceHistory, now: readonly BeaconPlace[]): readonly BeaconPlace[] =>
  now.filter((place) => !isSame(known.last(place.beaconId), place));

/**
 * Notes where beacons are at `hour` (ms, its beginning), in a transaction that holds the state of the app. Answers whether of one
 * of them nothing was known before; undefined if nothing has changed.
 */
export async function notePlaces(
  db: Db,
  { appId, now, hour }: { readonly appId: string; readonly now: readonly BeaconPlace[]; readonly hour: number },
): Promise<{ readonly isFirst: boolean } | undefined> {
  const known = await loadPlaces(db, appId);
  const changed = movedBeacons(known, now);
  if (changed.length === 0) return undefined;
  // Several changes within an hour: the last one counts for all of it.
  for (const list of listsSql(changed.map(({ beaconId }) => beaconId)))
    await db.run(
      sql`delete from beacon_places where app_id = ${appId} and since >= ${hour} and beacon_id in (${list})`,
    );
  const rows = changed.map(({ beaconId, venueId, floorId, zoneId }) => ({
    app_id: appId,
    beacon_id: beaconId,
    since: hour,
    venue_id: venueId,
    floor_id: floorId,
    zone_id: zoneId,
  }));
  await newPlaces.run(db, rows);
  return { isFirst: changed.some(({ beaconId }) => !known.isKnownBefore(beaconId, hour)) };
}

/** A beacon that never belonged anywhere needs no row. */
function isSame(row: PlaceRow | undefined, { venueId, floorId, zoneId }: BeaconPlace): boolean {
  if (row === undefined) return venueId === null && floorId === null && zoneId === null;
  return row.venue_id === venueId && row.floor_id === floorId && row.zone_id === zoneId;
}
