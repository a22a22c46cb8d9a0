import { heldOut } from '@pharos/engine';
import { listsSql, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../../db/table.ts';
import { type messageLoads, messageShowings, messageStates } from './tables.ts';

/** SQL and nothing else. */

export type ShowingRow = RowOf<typeof messageShowings>;
export type LoadRow = RowOf<typeof messageLoads>;
export type MessageState = RowOf<typeof messageStates>;

const messageStateRows = rowsOf(messageStates);
export const lockState = messageStateRows.lock('app_id');
export const findState = messageStateRows.find('app_id');
export const createState = messageStateRows.add;
export const saveState = messageStateRows.write;

/** Showings that have changed since they were counted. */
export function listChanged(db: Db, appId: string, limit: number): Promise<ShowingRow[]> {
  return db.all<ShowingRow>(sql`select * from message_showings
    where app_id = ${appId} and changes > 0 order by object_id limit ${limit}`);
}

/** Whether more than so many wait to be counted. */
export async function hasMoreChanged(db: Db, appId: string, than: number): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from message_showings
    where app_id = ${appId} and changes > 0 order by object_id limit 1 offset ${than}`);
  return row !== undefined;
}

export async function hasShowings(db: Db, appId: string): Promise<boolean> {
  return (await db.one(sql`select 1 as found from message_showings where app_id = ${appId} limit 1`)) !== undefined;
}

export async function earliestShowing(db: Db, appId: string): Promise<number | undefined> {
  const row = await db.one<{ at: number | null }>(
    sql`select min(shown_at) as at from message_showings where app_id = ${appId}`,
  );
  return row?.at ?? undefined;
}

const messageShowingRows = rowsOf(messageShowings);

/** All that was shown of some messages to an installation, first ones first. */
export const listShown = messageShowingRows.list(
  ['app_id', 'installation_id'],
  ['trigger_id', 'shown_at', 'object_id'],
);

/** Marks rows as counted unless they have changed since they were read. */
export async function markCounted(
  db: Db,
  { app_id, object_id, changes }: ShowingRow,
  { isFirst, actedAt }: { readonly isFirst: boolean; readonly actedAt: number | null },
): Promise<void> {
  await db.run(sql`update message_showings set changes = changes - ${changes}, is_first = ${isFirst ? 1 : 0},
    acted_at = ${actedAt} where app_id = ${app_id} and object_id = ${object_id}`);
}

/** Marks some that follow an id as changed; answers the last one, or null when none is left. */
export async function markNext(db: Db, appId: string, after: string, limit: number): Promise<string | null> {
  const rows = await db.all<{ object_id: string }>(sql`select object_id from message_showings
    where app_id = ${appId} and object_id > ${after} order by object_id limit ${limit}`);
  const last = rows.at(-1)?.object_id;
  if (last === undefined) return null;
  await db.run(sql`update message_showings set changes = changes + 1
    where app_id = ${appId} and object_id > ${after} and object_id <= ${last}`);
  return rows.length < limit ? null : last;
}

export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

export async function deleteRollups(db: Db, appId: string, from: number): Promise<void> {
  await db.run(sql`delete from message_rollups where app_id = ${appId} and started_at >= ${from}`);
  await db.run(sql`delete from message_place_rollups where app_id = ${appId} and started_at >= ${from}`);
  await db.run(sql`delete from message_loads where app_id = ${appId} and started_at >= ${from}`);
}

export type LoadSpan = 'week' | 'month';

export async function markLoad(db: Db, appId: string, span: LoadSpan, startedAt: number): Promise<void> {
  await db.run(sql`insert into message_loads (app_id, span, started_at, visitors, counted_at, is_stale)
    values (${appId}, ${span}, ${startedAt}, '{}', 0, 1)
    on conflict (app_id, span, started_at) do update set is_stale = 1`);
}

export function staleLoads(db: Db, appId: string): Promise<LoadRow[]> {
  return db.all<LoadRow>(sql`select * from message_loads
    where app_id = ${appId} and is_stale = 1`);
}

export function findLoad(db: Db, appId: string, span: LoadSpan, startedAt: number): Promise<LoadRow | undefined> {
  return db.one<LoadRow>(
    sql`select * from message_loads where app_id = ${appId} and span = ${span} and started_at = ${startedAt}`,
  );
}

/** How many visitors were shown one message, two, and so on. */
export function countLoad(
  db: Db,
  appId: string,
  { from, until }: TimeSpan,
): Promise<{ n: number; visitors: number }[]> {
  return db.all<{ n: number; visitors: number }>(
    sql`select n, count(*) as visitors from (
      select installation_id, count(*) as n from message_showings
      where app_id = ${appId} and shown_at >= ${from} and shown_at < ${until} and message_group <> ${heldOut}
      group by installation_id) as shown group by n order by n`,
    { tenant: appId },
  );
}

export async function saveLoad(db: Db, row: LoadRow): Promise<void> {
  await db.run(sql`update message_loads set visitors = ${row.visitors}, counted_at = ${row.counted_at}, is_stale = 0
    where app_id = ${row.app_id} and span = ${row.span} and started_at = ${row.started_at}`);
}

export async function firstShowings(
  db: Db,
  asked: { readonly appId: string; readonly triggerId: string; readonly installationIds: readonly string[] },
): Promise<ShowingRow[]> {
  const { appId, triggerId, installationIds } = asked;
  const found: ShowingRow[] = [];
  for (const list of listsSql(installationIds)) {
    const rows = await db.all<ShowingRow>(sql`select * from message_showings
      where app_id = ${appId} and installation_id in (${list}) and trigger_id = ${triggerId} and is_first = 1`);
    found.push(...rows);
  }
  return found;
}

/** The goal of a message that was shown first then is reached, at `at` (ms) or before. */
export async function markActed(db: Db, { app_id, object_id }: ShowingRow, at: number): Promise<void> {
  await db.run(sql`update message_showings set acted_at = ${at}, changes = changes + 1
    where app_id = ${app_id} and object_id = ${object_id} and is_first = 1 and (acted_at is null or acted_at > ${at})`);
}

/** Forgets who reached a goal that is no longer the message's, back to `since` (ms): before that nothing can be found out again. */
export async function forgetActed(
  db: Db,
  { appId, triggerId, since }: { readonly appId: string; readonly triggerId: string; readonly since: number },
): Promise<void> {
  await db.run(sql`update message_showings set acted_at = null
    where app_id = ${appId} and trigger_id = ${triggerId} and shown_at >= ${since} and acted_at is not null`);
}

/** The visitor took back the consent at a time (ms): the last message before that, if it was not long ago. */
export async function markWithdrawn(
  db: Db,
  { appId, installationId, at, since }: WithdrawnAt & { readonly appId: string; readonly since: number },
): Promise<void> {
  await db.run(sql`update message_showings set withdrawn_at = ${at}, changes = changes + 1
    where app_id = ${appId} and withdrawn_at is null and object_id = (select object_id from message_showings
      where app_id = ${appId} and installation_id = ${installationId} and message_group <> ${heldOut}
        and shown_at > ${since} and shown_at <= ${at} order by shown_at desc, object_id desc limit 1)`);
}

export interface WithdrawnAt {
  readonly installationId: string;
  /** Epoch ms. */
  readonly at: number;
}
