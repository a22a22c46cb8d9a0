import { raw, sql } from '../../../../base/sql.ts';
import { bulkInsert } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import type { Context } from '../../../context.ts';
import { goneVisits } from './tables.ts';
import { Tally } from './tally.ts';

/** What was counted of visits that are gone. SQL and what it says. */

export type GoneRow = RowOf<typeof goneVisits>;

type Asked = Parameters<Context['visitChanges']['visitsBegun']>[1];

export function goneOf(db: Db, { appId, from, until, beaconId }: Asked): Promise<GoneRow[]> {
  const place = beaconId === undefined ? sql`` : sql`and beacon_id = ${beaconId}`;
  return db.all<GoneRow>(sql`select * from gone_visits
    where app_id = ${appId} and started_at >= ${from} and started_at < ${until} ${place}`);
}

export async function hasGone(db: Db, appId: string, { from, until }: Pick<Asked, 'from' | 'until'>): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from gone_visits
    where app_id = ${appId} and started_at >= ${from} and started_at < ${until} limit 1`);
  return row !== undefined;
}

/** A tally that begins with visits that are gone. */
export function tallyOf(rows: readonly GoneRow[]): Tally {
  const tally = new Tally();
  for (const row of rows) tally.add({ ...row, newcomers: 0 });
  return tally;
}

const savedGone = bulkInsert(goneVisits, {
  conflict:
    raw(`on conflict (app_id, started_at, beacon_id) do update set visits = excluded.visits, ended = excluded.ended,
    dwell_ms = excluded.dwell_ms, dwells = excluded.dwells, visitors = excluded.visitors`),
});

export async function saveGone(db: Db, rows: readonly GoneRow[]): Promise<void> {
  await savedGone.run(db, rows);
}

/** Deletes the counts of hours that are never counted again. */
export async function deleteGone(db: Db, appId: string, before: number): Promise<void> {
  await db.run(sql`delete from gone_visits where app_id = ${appId} and started_at < ${before}`);
}

/** When the first hour at `from` (ms) or later began of which visits are gone. */
export async function nextGone(db: Db, appId: string, from: number): Promise<number | undefined> {
  const row = await db.one<{ started_at: number }>(sql`select started_at from gone_visits
    where app_id = ${appId} and started_at >= ${from} order by started_at limit 1`);
  return row?.started_at;
}
