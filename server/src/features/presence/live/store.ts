import { joinSql, raw, type Sql, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import { liveApps } from './tables.ts';

/** The live events of apps that somebody listens to. SQL and nothing else. */

export interface LiveApp {
  readonly app_id: string;
  readonly wanted_until: number;
  readonly seq: number;
  readonly floor_seq: number;
  readonly positions_until: number;
}

export interface LiveEvent {
  readonly seq: number;
  readonly event: string;
  readonly data: string;
}

const liveAppRows = rowsOf<typeof liveApps, LiveApp>(liveApps);
export const findLiveApp = liveAppRows.find('app_id');

export function listLiveApps(db: Db): Promise<LiveApp[]> {
  return db.all<LiveApp>(raw('select * from live_apps order by app_id'));
}

const lockLiveApp = liveAppRows.lock('app_id');

export interface Wanted {
  readonly now: number;
  readonly until: number;
  /** 0: nobody listens to positions. */
  readonly positionsUntil: number;
}

/**
 * Keeps the app's events until a time. After a while without listeners there is a gap, so a number is left out: a client that
 * stopped before it learns of the gap.
 */
export async function wantEvents(db: Db, appId: string, { now, until, positionsUntil }: Wanted): Promise<void> {
  await db.run(sql`insert into live_apps (app_id, wanted_until, seq, floor_seq) values (${appId}, 0, 0, 0)
    on conflict (app_id) do nothing`);
  const app = await lockLiveApp(db, appId);
  if (!app) return;
  const isLapsed = app.wanted_until <= now;
  if (isLapsed) await db.run(sql`delete from live_events where app_id = ${appId}`);
  const skipped = isLapsed ? 1 : 0;
  await db.run(sql`update live_apps set wanted_until = ${Math.max(until, app.wanted_until)}, seq = seq + ${skipped},
    positions_until = ${Math.max(positionsUntil, app.positions_until)}, floor_seq = ${isLapsed ? app.seq + 1 : app.floor_seq} where app_id = ${appId}`);
}

export interface NewLiveEvent {
  readonly appId: string;
  readonly objectId: string;
  readonly event: string;
  readonly data: string;
  readonly now: number;
}

export async function appendEvent(db: Db, row: NewLiveEvent): Promise<void> {
  await db.run(sql`insert into live_events (app_id, object_id, event, data, created_at)
    values (${row.appId}, ${row.objectId}, ${row.event}, ${row.data}, ${row.now})`);
}

/**
 * Gives the committed events that have none yet the next numbers, in a transaction. The numbering process holds the app's row, so
 * that numbers become visible in order and none is left out: a reader that has seen 7 never misses 6.
 */
export async function numberEvents(db: Db, appId: string, limit: number): Promise<number> {
  const app = await lockLiveApp(db, appId);
  if (!app) return 0;
  const rows = await db.all<{ object_id: string }>(sql`select object_id from live_events
    where app_id = ${appId} and seq is null order by object_id limit ${limit}`);
  for (let start = 0; start < rows.length; ) {
    const left = rows.length - start;
    // Few different lengths, so that few texts are prepared.
    const part = rows.slice(start, start + (left >= 16 ? 16 : left >= 4 ? 4 : 1));
    await numberPart(db, appId, part, app.seq + start + 1);
    start += part.length;
  }
  if (rows.length > 0) await db.run(sql`update live_apps set seq = seq + ${rows.length} where app_id = ${appId}`);
  return rows.length;
}

async function numberPart(db: Db, appId: string, rows: readonly { object_id: string }[], first: number): Promise<void> {
  const cases = rows.map((row, index) => sql`when object_id = ${row.object_id} then ${raw(String(first + index))}`);
  const ids = rows.map((row) => sql`${row.object_id}`);
  await db.run(sql`update live_events set seq = case ${joinSql(cases, ' ')} end
    where app_id = ${appId} and object_id in (${joinSql(ids, ', ')})`);
}

export async function hasUnnumbered(db: Db, appId: string): Promise<boolean> {
  const row = await db.one(
    sql`select 1 as found from live_events where app_id = ${appId} and seq is null order by object_id limit 1`,
  );
  return row !== undefined;
}

/** The most apps in one statement. */
export const maxAsked = 256;

/** Selects 1 if one of the apps has events that have no number yet, or numbers beyond those that are known; else no row. */
export function newsOf(apps: readonly { readonly appId: string; readonly seq: number }[]): Sql {
  // Few different lengths, so that few texts are prepared.
  const length = [1, 4, 16, 64, maxAsked].find((n) => n >= apps.length) ?? apps.length;
  const padded = Array.from({ length }, (_, index) => apps[Math.min(index, apps.length - 1)] as (typeof apps)[number]);
  const ids = joinSql(
    padded.map(({ appId }) => sql`${appId}`),
    ', ',
  );
  const beyond = joinSql(
    padded.map(({ appId, seq }) => sql`(app_id = ${appId} and seq > ${seq})`),
    ' or ',
  );
  return sql`select 1 where exists (select 1 from live_events where seq is null and app_id in (${ids}))
    or exists (select 1 from live_apps where ${beyond})`;
}

export function readEvents(db: Db, appId: string, after: number, limit: number): Promise<LiveEvent[]> {
  return db.all<LiveEvent>(sql`select seq, event, data from live_events
    where app_id = ${appId} and seq > ${after} order by seq limit ${limit}`);
}

/** Forgets numbers up to one, and what is older than an id. */
export async function forgetEvents(db: Db, appId: string, upTo: number): Promise<void> {
  await db.run(sql`delete from live_events where app_id = ${appId} and seq <= ${upTo}`);
}

export function forgetOldEvents(db: Db, appId: string, beforeId: string, limit: number): Promise<number> {
  return db.run(sql`delete from live_events where app_id = ${appId} and object_id in (
    select object_id from live_events where app_id = ${appId} and object_id < ${beforeId} order by object_id limit ${limit})`);
}
