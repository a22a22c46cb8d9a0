import { joinSql, raw, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';

/** The live events of apps that somebody listens to. SQL and nothing else. */

export interface LiveApp {
  readonly app_id: string;
  readonly wanted_until: number;
  readonly seq: number;
  readonly floor_seq: number;
}

export interface LiveEvent {
  readonly seq: number;
  readonly event: string;
  readonly data: string;
}

export function findLiveApp(db: Db, appId: string): Promise<LiveApp | undefined> {
  return db.one<LiveApp>(sql`select * from live_apps where app_id = ${appId}`);
}

export function listLiveApps(db: Db): Promise<LiveApp[]> {
  return db.all<LiveApp>(raw('select * from live_apps order by app_id'));
}

function lockLiveApp(db: Db, appId: string): Promise<LiveApp | undefined> {
  return db.one<LiveApp>(sql`select * from live_apps where app_id = ${appId}${raw(db.dialect.lockRow)}`);
}

/**
 * Keeps the app's events until a time. After a while in which nobody wanted them there is a gap, so a number is left out:
 * who stopped before it is told.
 */
export async function wantEvents(db: Db, appId: string, now: number, until: number): Promise<void> {
  await db.run(sql`insert into live_apps (app_id, wanted_until, seq, floor_seq) values (${appId}, 0, 0, 0)
    on conflict (app_id) do nothing`);
  const app = await lockLiveApp(db, appId);
  if (!app) return;
  const isLapsed = app.wanted_until <= now;
  if (isLapsed) await db.run(sql`delete from live_events where app_id = ${appId}`);
  const skipped = isLapsed ? 1 : 0;
  await db.run(sql`update live_apps set wanted_until = ${Math.max(until, app.wanted_until)}, seq = seq + ${skipped},
    floor_seq = ${isLapsed ? app.seq + 1 : app.floor_seq} where app_id = ${appId}`);
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
 * Gives the committed events that have none yet the next numbers, in a transaction. Whoever does it holds the app's row, so
 * that numbers become visible in their own order and none is left out: a reader that has seen 7 never misses 6.
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
  const cases = rows.map((row, index) => sql`when ${row.object_id} then ${raw(String(first + index))}`);
  const ids = rows.map((row) => sql`${row.object_id}`);
  await db.run(sql`update live_events set seq = case object_id ${joinSql(cases, ' ')} end
    where app_id = ${appId} and object_id in (${joinSql(ids, ', ')})`);
}

export async function hasUnnumbered(db: Db, appId: string): Promise<boolean> {
  const row = await db.one(
    sql`select 1 as found from live_events where app_id = ${appId} and seq is null order by object_id limit 1`,
  );
  return row !== undefined;
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
