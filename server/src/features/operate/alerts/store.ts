import { newObjectId } from '../../../base/id.ts';
import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import type { ConditionKind, ServiceCondition } from '../../condition.ts';
import { alerts } from './tables.ts';

/** Alerts, and what administrators have chosen: only SQL. */

export type AlertRow = Omit<RowOf<typeof alerts>, 'kind'> & { readonly kind: ConditionKind };

/** The `app_id` of alerts about the service itself. */
export const serviceScope = 'service';

export async function hasOpenAlerts(db: Db, appId: string): Promise<boolean> {
  const open = sql`select 1 as found from alerts where app_id = ${appId} and ended_at is null limit 1`;
  return (await db.one(open)) !== undefined;
}

export async function appsWithOpenAlerts(db: Db): Promise<string[]> {
  const rows = await db.all<{ app_id: string }>(sql`select distinct app_id from alerts where ended_at is null`);
  return rows.map(({ app_id }) => app_id);
}

export function lockOpenAlerts(db: Db, appId: string): Promise<AlertRow[]> {
  return db.all(sql`select * from alerts where app_id = ${appId} and ended_at is null
    order by alert_key${raw(db.dialect.lockRow)}`);
}

/** Open alerts, and those that ended after a time (ms); newest first. */
export function listAlerts(db: Db, appId: string, endedAfter: number): Promise<AlertRow[]> {
  return db.all(sql`select * from alerts where app_id = ${appId} and begun_at is not null
    and (ended_at is null or ended_at > ${endedAfter}) order by begun_at desc, alert_key limit 200`);
}

/** Begins to watch a condition. Undefined where another node was faster. */
export async function insertAlert(
  db: Db,
  appId: string,
  found: ServiceCondition,
  now: number,
): Promise<AlertRow | undefined> {
  const { key, kind, isGrave, title, text, venueId = null } = found;
  const row: AlertRow = {
    app_id: appId,
    alert_id: newObjectId(now),
    alert_key: key,
    kind,
    is_grave: isGrave ? 1 : 0,
    title,
    text,
    first_seen_at: now,
    seen_at: now,
    begun_at: null,
    told_at: null,
    gone_at: null,
    ended_at: null,
    venue_id: venueId,
  };
  const changed = await db.run(sql`insert into alerts
      (app_id, alert_id, alert_key, kind, is_grave, title, text, first_seen_at, seen_at, venue_id)
    values (${appId}, ${row.alert_id}, ${key}, ${kind}, ${row.is_grave}, ${title}, ${text}, ${now}, ${now}, ${venueId})
    on conflict do nothing`);
  return changed > 0 ? row : undefined;
}

const alertRows = rowsOf<typeof alerts, AlertRow>(alerts);
export const saveAlert = alertRows.write;

export async function deleteAlert(db: Db, { app_id, alert_id }: AlertRow): Promise<void> {
  await db.run(sql`delete from alerts where app_id = ${app_id} and alert_id = ${alert_id}`);
}

export async function deleteOldAlerts(db: Db, before: number): Promise<void> {
  await db.run(sql`delete from alerts where ended_at < ${before}`);
  await db.run(sql`delete from alert_digests where made_at < ${before}`);
}

export async function listChoices(db: Db, adminId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.all<{ name: string; value: string }>(
    sql`select name, value from alert_choices where admin_id = ${adminId}`,
  );
  return new Map(rows.map(({ name, value }) => [name, value]));
}

export async function saveChoice(db: Db, adminId: string, name: string, value: string): Promise<void> {
  await db.run(sql`insert into alert_choices (admin_id, name, value) values (${adminId}, ${name}, ${value})
    on conflict (admin_id, name) do update set value = excluded.value`);
}

export async function lockChoices(db: Db, adminId: string): Promise<void> {
  await db.run(sql`insert into alert_choices (admin_id, name, value) values (${adminId}, 'digest', 'off')
    on conflict (admin_id, name) do update set value = alert_choices.value`);
}

/** False if the digest of this day was made before. */
export async function noteDigest(db: Db, appId: string, day: string, now: number): Promise<boolean> {
  const changed = await db.run(sql`insert into alert_digests (app_id, day, made_at) values (${appId}, ${day}, ${now})
    on conflict (app_id, day) do nothing`);
  return changed > 0;
}
