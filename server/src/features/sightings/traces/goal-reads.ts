import { timePrefix } from '@pharos/engine';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';

/** Whether an installation has been somewhere after a time. */

export interface AskedWindow {
  readonly appId: string;
  readonly installationId: string;
  /** Epoch ms; what happened at that time does not count, at `until` it does. */
  readonly from: number;
  readonly until: number;
  /** Anywhere without them. */
  readonly beaconIds?: readonly string[];
}

const isAt = ({ beaconIds }: AskedWindow) => {
  const places = beaconIds && new Set(beaconIds);
  return ({ beacon_id }: { readonly beacon_id: string }) => places === undefined || places.has(beacon_id);
};

/** When the first visit in the window began (ms). */
export async function firstVisitIn(db: Db, window: AskedWindow): Promise<number | undefined> {
  const rows = await db.all<{ beacon_id: string; entered_at: number }>(
    sql`select beacon_id, entered_at from visits where app_id = ${window.appId}
      and installation_id = ${window.installationId} and entered_at > ${window.from} and entered_at <= ${window.until}
      order by entered_at`,
  );
  return rows.find(isAt(window))?.entered_at;
}

/** Ids begin with the time at which an event was first told; corrections move it by less than the kept samples reach. */
const correctedMs = 2 * 86_400_000;

/** When the first event of a kind happened in the window (ms). */
export async function firstEventIn(
  db: Db,
  window: AskedWindow & { readonly event: string },
): Promise<number | undefined> {
  const { appId, installationId, from, until, event } = window;
  const rows = await db.all<{ beacon_id: string; occurred_at: number }>(
    sql`select beacon_id, occurred_at from events where app_id = ${appId} and installation_id = ${installationId}
      and object_id >= ${timePrefix(from - correctedMs)} and object_id < ${timePrefix(until + correctedMs)}
      and event = ${event} and occurred_at > ${from} and occurred_at <= ${until} order by occurred_at`,
  );
  return rows.find(isAt(window))?.occurred_at;
}
