import type { Db } from '../../../db/db.ts';
import { hourStart } from './numbers/calendar.ts';
import * as gone from './numbers/gone.ts';
import type { StateRow } from './numbers/store.ts';
import { visitorHash } from './numbers/visitor-set.ts';
import type { CountedVisit } from './ways/tours.ts';

/** Adds visits to what was counted of those of their hours that went before; the caller deletes them in the same transaction. */
export async function addToGone(db: Db, state: StateRow, ended: readonly CountedVisit[]): Promise<void> {
  const { app_id, time_zone: zone, salt } = state;
  const byPlace = Map.groupBy(ended, (visit) => `${hourStart(visit.entered_at, zone)} ${visit.beacon_id}`);
  const rows: gone.GoneRow[] = [];
  for (const visits of byPlace.values()) {
    const { beacon_id, entered_at } = visits[0] as CountedVisit;
    const started_at = hourStart(entered_at, zone);
    const asked = { appId: app_id, beaconId: beacon_id, from: started_at, until: started_at + 1 };
    const tally = gone.tallyOf(await gone.goneOf(db, asked));
    for (const { installation_id, dwell } of visits) tally.count(visitorHash(salt, installation_id), dwell);
    const { newcomers, ...cells } = tally.cells();
    rows.push({ app_id, started_at, beacon_id, ...cells });
  }
  await gone.saveGone(db, rows);
}
