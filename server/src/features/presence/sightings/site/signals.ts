import type { BeaconMap, SignalMap } from '@pharos/engine';
import { sql } from '../../../../base/sql.ts';
import { bulkInsert, bulkRead } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import { beaconSignals } from '../traces/tables.ts';

/** What surveys say about the signals of beacons, as it is stored. SQL only. */

const partsOfBeacons = bulkRead(beaconSignals, { by: ['app_id', 'beacon_id'], columns: ['part'] });

/** Of each beacon that has one, over all floors where it was heard. */
export async function findSignals(
  db: Db,
  appId: string,
  beaconIds: readonly string[],
): Promise<ReadonlyMap<string, BeaconMap>> {
  const found = await partsOfBeacons.of(
    db,
    beaconIds.map((beacon_id) => ({ app_id: appId, beacon_id })),
  );
  return new Map(
    found.flatMap((rows, place) => {
      const [first, ...others] = rows.map(({ part }) => JSON.parse(part) as BeaconMap);
      if (first === undefined) return [];
      const floors = [first, ...others].flatMap((one) => one.floors);
      return [[beaconIds[place] ?? '', { ...first, floors }] as const];
    }),
  );
}

const inserted = bulkInsert(beaconSignals);

/** In a transaction that notes the `site` cache version: the map of a floor takes the place of the former one. */
export async function replaceSignals(db: Db, appId: string, floorId: string, map: SignalMap): Promise<void> {
  await db.run(sql`delete from beacon_signals where app_id = ${appId} and floor_id = ${floorId}`);
  const rows = Object.entries(map).map(([beaconId, part]) => ({
    app_id: appId,
    beacon_id: beaconId,
    floor_id: floorId,
    part: JSON.stringify(part),
  }));
  if (rows.length > 0) await db.runTogether(inserted.each(db.dialect, rows));
}
