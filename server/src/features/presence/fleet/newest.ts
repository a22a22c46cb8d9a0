import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { type BeaconDay, dayMs, dayOf, hourMs, parseDay, unionOf } from './days/day.ts';
import type { DayRow } from './store.ts';

/** What is known of a beacon now. */
interface NewestOfBeacon {
  readonly beaconId: string;
  /** Per cent. */
  readonly battery?: number | undefined;
  /** The minute in which it was heard last, ms. */
  readonly seenAt?: number | undefined;
}

/** Days after which a battery without a reading is unknown. */
const newestDays = 3;
const maxRows = 2_000;
const minuteMs = 60_000;

/** The newest readings of beacons in the last days. */
export async function listNewest(db: Db, appId: string, now: number): Promise<readonly NewestOfBeacon[]> {
  const since = dayOf(now) - (newestDays - 1) * dayMs;
  const rows = await db.all<DayRow>(
    sql`select beacon_id, day, summary from beacon_days where app_id = ${appId} and day >= ${since}
      order by day desc, beacon_id limit ${maxRows}`,
    { tenant: appId },
  );
  const byBeacon = Map.groupBy(rows, (row) => row.beacon_id);
  return [...byBeacon].map(([beaconId, days]) => {
    const hours = days.flatMap(({ day, summary }) => hoursOf(day, parseDay(summary)));
    const battery = hours.find(({ telemetry }) => telemetry?.battery !== undefined)?.telemetry?.battery;
    return { beaconId, battery, seenAt: hours.find((one) => one.seenAt !== undefined)?.seenAt };
  });
}

/** The newest first. */
const hoursOf = (day: number, { hours }: BeaconDay) =>
  Object.entries(hours)
    .map(([hour, { phones, gateways, telemetry }]) => {
      const at = day + Number(hour) * hourMs;
      const minutes = BigInt(`0x${unionOf(phones, gateways)}`);
      return { at, telemetry, seenAt: minutes === 0n ? undefined : at + (minutes.toString(2).length - 1) * minuteMs };
    })
    .sort((a, b) => b.at - a.at);
