import { nearestOf } from '@pharos/engine';
import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { readOne, type TrackCache } from '../lock/track-cache.ts';
import type { TrackKey } from '../traces/reported.ts';

/** Where an installation is or was last, as far as it is recorded. */
export interface Whereabouts {
  readonly beaconId?: string;
  /** The venue whose region the phone has entered, where no beacon is known. */
  readonly venueId?: string;
  /** Metres, and the level; only where a position is known. */
  readonly spot?: { readonly x: number; readonly y: number; readonly floor: number };
}

interface At extends Whereabouts {
  readonly at: number;
}

/** The newest of what it hears, its position, its last visit, and the last venue whose region it entered. */
export async function findWhereabouts(trackCache: TrackCache, db: Db, key: TrackKey): Promise<Whereabouts> {
  const found = [await heard(trackCache, db, key), ...(await recorded(db, key))].filter((one) => one !== undefined);
  const [newest] = found.sort((a, b) => b.at - a.at);
  if (!newest) return {};
  const { at: _at, ...where } = newest;
  return where;
}

async function heard(trackCache: TrackCache, db: Db, key: TrackKey): Promise<At | undefined> {
  const { record } = await readOne(trackCache, db, key);
  const at = record?.track.at;
  if (!record || at === undefined || at === null) return undefined;
  const nearest = nearestOf(record.track, at);
  return nearest ? { beaconId: nearest.beaconId, at } : undefined;
}

async function recorded(db: Db, { appId, installationId }: TrackKey): Promise<At[]> {
  const of = sql`app_id = ${appId} and installation_id = ${installationId}`;
  const position = await db.one<{
    beacon_id: string;
    x: number | null;
    y: number | null;
    floor: number | null;
    sensed_at: number;
  }>(sql`select beacon_id, x, y, floor, sensed_at from positions where ${of}`);
  const visit = await db.one<{ beacon_id: string; at: number }>(
    sql`select beacon_id, coalesce(left_at, entered_at) as at from visits where ${of} order by entered_at desc, object_id desc limit 1`,
  );
  const venue = await db.one<{ venue_id: string; at: number }>(
    sql`select venue_id, entered_at as at from venue_entries where ${of} and entered_at is not null
      order by entered_at desc, venue_id limit 1`,
  );
  return [
    ...(position ? [{ beaconId: position.beacon_id, at: position.sensed_at, ...spotOf(position) }] : []),
    ...(visit ? [{ beaconId: visit.beacon_id, at: visit.at }] : []),
    ...(venue ? [{ venueId: venue.venue_id, at: venue.at }] : []),
  ];
}

function spotOf({
  x,
  y,
  floor,
}: {
  readonly x: number | null;
  readonly y: number | null;
  readonly floor: number | null;
}) {
  return x === null || y === null ? {} : { spot: { x, y, floor: floor ?? 0 } };
}
