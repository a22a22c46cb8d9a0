import { randomInt } from 'node:crypto';
import { raw, sql, unionAll } from '../../../../base/sql.ts';
import { readPages } from '../../../../base/work-slices.ts';
import { bulkInsert } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { NewRowOf, RowOf } from '../../../../db/table.ts';
import { forgetPeriods, type Unit } from '../numbers/periods.ts';
import { wayRollups, type waysDue } from '../numbers/tables.ts';
import type { WayKind } from './tours.ts';

/** SQL and nothing else. */

export type WayRow = RowOf<typeof wayRollups>;
export type NewWayRow = NewRowOf<typeof wayRollups>;
export type DueRow = RowOf<typeof waysDue>;
export type DueSpan = 'day' | 'month' | 'year';

export interface Due {
  readonly appId: string;
  readonly span: DueSpan;
  /** Epoch ms. */
  readonly startedAt: number;
}

/** Notes that something of a day, month or year has changed. One that is due already does not wait longer. */
export async function markDue(db: Db, { appId, span, startedAt }: Due, dueAt: number): Promise<void> {
  const changed = randomInt(2 ** 47);
  await db.run(sql`insert into ways_due (app_id, span, started_at, changed, due_at)
    values (${appId}, ${span}, ${startedAt}, ${changed}, ${dueAt})
    on conflict (app_id, span, started_at) do update set changed = excluded.changed,
      due_at = case when excluded.due_at < ways_due.due_at then excluded.due_at else ways_due.due_at end`);
}

/**
 * The one that is counted next: days before months before years, the newest first.
 *
 * @param until epoch ms: days that are due then
 * @param preparedUntil months and years that are due then; others wait until more of them is over
 */
export function nextDue(
  db: Db,
  appId: string,
  { until, preparedUntil }: { readonly until: number; readonly preparedUntil: number },
): Promise<DueRow | undefined> {
  return db.one<DueRow>(sql`select * from ways_due where app_id = ${appId} and due_at <= ${until}
    and (span = 'day' or due_at <= ${preparedUntil}) order by span, started_at desc limit 1`);
}

/** Whether something is due at `until` (ms). */
export async function hasDue(db: Db, appId: string, until: number): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from ways_due where app_id = ${appId} and due_at <= ${until} limit 1`);
  return row !== undefined;
}

export async function listDue(db: Db, appId: string): Promise<DueRow[]> {
  return db.all<DueRow>(sql`select * from ways_due where app_id = ${appId}`);
}

/** The apps that have something due at `until` (ms). */
export async function appsWithDue(db: Db, until: number): Promise<string[]> {
  const rows = await db.all<{ app_id: string }>(sql`select distinct app_id from ways_due where due_at <= ${until}`);
  return rows.map(({ app_id }) => app_id);
}

/** In a transaction: whether nothing has changed since the row was read. It is done then. */
export async function settleDue(db: Db, { app_id, span, started_at, changed }: DueRow): Promise<boolean> {
  const done = await db.run(sql`delete from ways_due where app_id = ${app_id} and span = ${span}
    and started_at = ${started_at} and changed = ${changed}`);
  return done > 0;
}

const newWays = bulkInsert(wayRollups);

export async function insertWays(db: Db, rows: readonly NewWayRow[]): Promise<void> {
  await newWays.run(db, rows);
}

export type WaySpan = Unit | 'hour';

export interface WayStretch {
  readonly appId: string;
  readonly kind: WayKind;
  readonly span: WaySpan;
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
}

export async function deleteWays(db: Db, { appId, kind, span, from, until }: WayStretch): Promise<void> {
  await db.run(sql`delete from way_rollups where app_id = ${appId} and kind = ${kind} and span = ${span}
    and started_at >= ${from} and started_at < ${until}`);
}

/** Everything that was counted from a time (ms) on, and what is due. */
export async function deleteSince(db: Db, appId: string, from: number): Promise<void> {
  await db.run(sql`delete from way_rollups where app_id = ${appId} and started_at >= ${from}`);
  await db.run(sql`delete from ways_due where app_id = ${appId}`);
  await forgetPeriods(db, { appId, from, until: Number.MAX_SAFE_INTEGER });
}

export type PeakRow = Pick<WayRow, 'started_at' | 'place' | 'tours'>;

/** A period, epoch ms, end excluded. */
export interface FromUntil {
  readonly from: number;
  readonly until: number;
}

/** The peaks of several days with one statement: one for each would wait for the database as often. Of few days, since all rows come at once. */
export async function peaksDuring(
  db: Db,
  {
    appId,
    span,
    venueId,
  }: { readonly appId: string; readonly span: 'hour' | 'day'; readonly venueId?: string | undefined },
  days: readonly FromUntil[],
): Promise<readonly PeakRow[]> {
  if (days.length === 0) return [];
  const ofVenue = venueId === undefined ? raw('') : sql`and venue_id = ${venueId}`;
  const ofDays = days.map(
    ({ from, until }) => sql`select started_at, place, tours from way_rollups where app_id = ${appId} and kind = 'peak'
      and span = ${span} and started_at >= ${from} and started_at < ${until} ${ofVenue}`,
  );
  return db.all<PeakRow>(unionAll(ofDays), { tenant: appId });
}

const pageSize = 4_000;

/** Reads ways in slices, beside other requests. */
export function readWays(
  db: Db,
  { appId, kind, span, from, until }: WayStretch,
  { venueId, place }: { readonly venueId?: string | undefined; readonly place?: string | undefined } = {},
): AsyncGenerator<WayRow> {
  const ofVenue = venueId === undefined ? raw('') : sql`and venue_id = ${venueId}`;
  const ofPlace = place === undefined ? raw('') : sql`and place = ${place}`;
  return readPages(pageSize, (last?: WayRow) => {
    // The smallest text after this one.
    const after = last
      ? sql`(${last.started_at}, ${last.venue_id}, ${`${last.place}\u0001`})`
      : sql`(${from}, ${''}, ${''})`;
    return db.all<WayRow>(
      sql`select * from way_rollups where app_id = ${appId} and kind = ${kind} and span = ${span}
        and started_at < ${until} and (started_at, venue_id, place) >= ${after} ${ofVenue} ${ofPlace}
        order by started_at, venue_id, place limit ${pageSize}`,
      { tenant: appId },
    );
  });
}
