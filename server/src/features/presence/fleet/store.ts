import { listSql, raw, sql } from '../../../base/sql.ts';
import { bulkInsert, bulkUpdate } from '../../../db/bulk.ts';
import type { Database, Db } from '../../../db/db.ts';
import { bigint, defineTable, type RowOf, text } from '../../../db/table.ts';
import { type BeaconDay, joinDays, noDay, parseDay, summaryOf } from './days/day.ts';

/** What was heard of each beacon on a day (its beginning, epoch ms), and its readings; see day.ts. */
export const beaconDays = defineTable({
  name: 'beacon_days',
  owner: 'fleet',
  columns: { app_id: text, beacon_id: text, day: bigint, summary: text },
  key: ['app_id', 'beacon_id', 'day'],
  indexes: { beacon_days_age: { on: ['app_id', 'day'] } },
  stepBy: 'beacon_id',
  // A battery is judged by what it was in the last months.
  kept: { days: 120, by: 'day' },
});

export interface DayOfBeacon {
  readonly beaconId: string;
  /** Its beginning, ms. */
  readonly day: number;
  readonly known: BeaconDay;
}

const insertDays = bulkInsert(beaconDays);
const saveDays = bulkUpdate(beaconDays, { by: ['app_id', 'beacon_id', 'day'], set: ['summary'] });
const stepSize = 64;

/** Adds to what is stored of these days; each beacon and day is there once. */
export async function addDays(db: Database, appId: string, days: readonly DayOfBeacon[]): Promise<void> {
  const sorted = days.toSorted((a, b) =>
    a.beaconId === b.beaconId ? a.day - b.day : a.beaconId < b.beaconId ? -1 : 1,
  );
  for (let start = 0; start < sorted.length; start += stepSize)
    await db.transaction((db) => addSome(db, appId, sorted.slice(start, start + stepSize)));
}

async function addSome(db: Db, appId: string, days: readonly DayOfBeacon[]): Promise<void> {
  const rowOf = ({ beaconId, day, known }: DayOfBeacon) => ({
    ...{ app_id: appId, beacon_id: beaconId, day, summary: summaryOf(known) },
  });
  // So that there is a row to lock: another node may add to the same day.
  await insertDays.run(
    db,
    days.map((one) => rowOf({ ...one, known: noDay })),
  );
  const rows = await db.all<DayRow>(sql`select beacon_id, day, summary
    from beacon_days where app_id = ${appId} and beacon_id in (${listSql([...new Set(days.map(({ beaconId }) => beaconId))])})
      and day in (${listSql([...new Set(days.map(({ day }) => day))])})
    order by beacon_id, day${raw(db.dialect.lockRow)}`);
  const stored = new Map(rows.map(({ beacon_id, day, summary }) => [`${beacon_id} ${day}`, parseDay(summary)]));
  const joined = days.map((one) =>
    rowOf({ ...one, known: joinDays(stored.get(`${one.beaconId} ${one.day}`) ?? noDay, one.known) }),
  );
  await saveDays.run(db, joined);
}

export type DayRow = Omit<RowOf<typeof beaconDays>, 'app_id'>;

/** The days of some beacons, the earliest first; `since` is the beginning of the first day, epoch ms. */
export async function daysOf(db: Db, appId: string, ids: readonly string[], since: number): Promise<readonly DayRow[]> {
  const wanted = listSql(ids);
  return db.all<DayRow>(
    sql`select beacon_id, day, summary from beacon_days
      where app_id = ${appId} and beacon_id in (${wanted}) and day >= ${since} order by day`,
    { tenant: appId },
  );
}

export async function countHeardNear(db: Db, appId: string, day: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ summary: string }>(
    sql`select summary from beacon_days where app_id = ${appId} and day = ${day}`,
    { tenant: appId },
  );
  const counts = new Map<string, number>();
  for (const { summary } of rows)
    for (const place of Object.keys(parseDay(summary).near)) counts.set(place, (counts.get(place) ?? 0) + 1);
  return counts;
}
