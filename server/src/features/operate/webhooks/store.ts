import { listSql, raw, type Sql, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import { webhookDeliveries, webhooks } from './tables.ts';

/** Webhooks and their deliveries: only SQL. */

export type WebhookRow = RowOf<typeof webhooks> & { readonly without_answer: WithoutAnswer | null };

/** What happens to a change when the webhook does not answer. */
export type WithoutAnswer = 'refuse' | 'allow';

export type WebhookDeliveryState = 'queued' | 'sent' | 'failed' | 'expired';

export type DeliveryRow = RowOf<typeof webhookDeliveries> & { readonly state: WebhookDeliveryState };

const deliveryRows = rowsOf<typeof webhookDeliveries, DeliveryRow>(webhookDeliveries);
const webhookRows = rowsOf<typeof webhooks, WebhookRow>(webhooks);
export const listWebhooks = webhookRows.list(['app_id'], ['object_id']);

/** The apps with a webhook, switched on, that wants an event of this type. */
export async function listAppsWanting(db: Db, type: string): Promise<string[]> {
  const rows = await db.all<{ app_id: string }>(
    sql`select distinct app_id from webhooks where is_enabled = 1 and events like ${`%"${type}"%`} order by app_id`,
  );
  return rows.map(({ app_id }) => app_id);
}

export const findWebhook = webhookRows.find('app_id', 'object_id');

/** In a transaction: the row cannot change until the end. */
export const lockWebhook = webhookRows.lock('app_id', 'object_id');

/** The apps with a webhook that gets events of the whole service because the administrator chose it. */
export async function listAppsChosenBy(db: Db, email: string): Promise<string[]> {
  const rows = await db.all<{ app_id: string }>(
    sql`select distinct app_id from webhooks where service_by = ${email} order by app_id`,
  );
  return rows.map(({ app_id }) => app_id);
}

export const insertWebhook = webhookRows.insert;
export const writeWebhook = webhookRows.write;

export const deleteWebhook = webhookRows.remove('app_id', 'object_id');

/** Writes only if the webhook was well before, so that a busy webhook's row is left alone. */
export async function noteFailure(db: Db, row: WebhookRow, error: string, now: number): Promise<void> {
  await db.run(sql`update webhooks set failing_since = coalesce(failing_since, ${now}), last_error = ${error}
    where app_id = ${row.app_id} and object_id = ${row.object_id}
      and (failing_since is null or last_error is null or last_error <> ${error})`);
}

export async function noteSuccess(db: Db, row: WebhookRow): Promise<void> {
  await db.run(sql`update webhooks set failing_since = null, last_error = null
    where app_id = ${row.app_id} and object_id = ${row.object_id} and failing_since is not null`);
}

/** Switches it off; false if it was off before or has another address now. */
export async function disableGone(db: Db, row: WebhookRow, reason: string, now: number): Promise<boolean> {
  const changed = await db.run(sql`update webhooks set is_enabled = 0, disabled_reason = ${reason}, updated_at = ${now}
    where app_id = ${row.app_id} and object_id = ${row.object_id} and is_enabled = 1 and url = ${row.url}`);
  return changed > 0;
}

interface Sent {
  readonly appId: string;
  readonly objectId: string;
  readonly webhookId: string;
  readonly event: string;
  readonly payload: string;
}

/** A delivery before its first attempt; times in ms. */
export const queued = ({ appId, objectId, webhookId, event, payload }: Sent, now: number, expiresAt: number) => ({
  ...{
    app_id: appId,
    object_id: objectId,
    webhook_id: webhookId,
    event,
    payload,
    state: 'queued' as const,
    attempts: 0,
  },
  ...{ next_at: now, expires_at: expiresAt, created_at: now, updated_at: now },
});
export const insertDelivery = deliveryRows.insert;
export const deleteDelivery = deliveryRows.remove('app_id', 'object_id');
export const findDelivery = deliveryRows.find('app_id', 'object_id');

export const noteAttempt = deliveryRows.update(
  ['app_id', 'object_id'],
  ['state', 'attempts', 'status', 'answer', 'reason', 'duration', 'next_at', 'updated_at'],
);

/** False if it is queued already. */
export async function requeueDelivery(db: Db, row: DeliveryRow, now: number, expiresAt: number): Promise<boolean> {
  const changed = await db.run(sql`update webhook_deliveries
    set state = 'queued', attempts = 0, next_at = ${now}, expires_at = ${expiresAt}, updated_at = ${now}
    where app_id = ${row.app_id} and object_id = ${row.object_id} and state <> 'queued'`);
  return changed > 0;
}

/** How many calls of each webhook of an app are waiting; webhooks without any are left out. */
export async function countWaiting(db: Db, appId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ webhook_id: string; n: number }>(
    sql`select webhook_id, count(*) as n from webhook_deliveries where app_id = ${appId} and state = 'queued'
      group by webhook_id`,
    { tenant: appId },
  );
  return new Map(rows.map(({ webhook_id, n }) => [webhook_id, n]));
}

interface Waiting {
  readonly appId: string;
  readonly webhookId: string;
}

/** The newest of the waiting calls beyond the limit. */
export async function findSurplus(
  db: Db,
  { appId, webhookId, maxWaiting }: Waiting & { readonly maxWaiting: number },
): Promise<string | undefined> {
  const [row] = await db.all<{ object_id: string }>(
    sql`select object_id from webhook_deliveries
      where app_id = ${appId} and webhook_id = ${webhookId} and state = 'queued'
      order by object_id desc limit 1 offset ${maxWaiting}`,
    { tenant: appId },
  );
  return row?.object_id;
}

/** Some of the waiting calls up to `newest`, the oldest first. */
export async function listOldestWaiting(
  db: Db,
  { appId, webhookId, newest, limit }: Waiting & { readonly newest: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from webhook_deliveries
      where app_id = ${appId} and webhook_id = ${webhookId} and state = 'queued' and object_id <= ${newest}
      order by object_id limit ${limit}`,
  );
  return rows.map(({ object_id }) => object_id);
}

/** In a transaction: deletes those that still wait and counts them at the webhook. Returns how many there were. */
export async function giveUp(
  db: Db,
  { appId, webhookId, ids }: Waiting & { readonly ids: readonly string[] },
  now: number,
): Promise<number> {
  const given = await db.run(sql`delete from webhook_deliveries
    where app_id = ${appId} and object_id in (${listSql(ids)}) and state = 'queued'`);
  await db.run(sql`update webhooks set given_up = given_up + ${given},
      given_up_since = coalesce(given_up_since, ${now}), given_up_at = ${now}
    where app_id = ${appId} and object_id = ${webhookId}`);
  return given;
}

export async function forgetGivenUp(db: Db, appId: string, before: number): Promise<void> {
  await db.run(sql`update webhooks set given_up = 0, given_up_since = null, given_up_at = null
    where app_id = ${appId} and given_up_at < ${before}`);
}

export interface DeliveryPage {
  readonly appId: string;
  readonly webhookId: string;
  readonly state: string | undefined;
  /** Only older ones than this objectId. */
  readonly before: string | undefined;
  readonly limit: number;
  /** Without what is about the service as a whole. */
  readonly isLimited: boolean;
}

/** How the names of events about the service as a whole begin. */
export const ofService = 'service.';

/** Newest first. */
export function listDeliveries(db: Db, page: DeliveryPage): Promise<DeliveryRow[]> {
  const ofApp = page.isLimited ? sql`event not like ${`${ofService}%`}` : raw('1 = 1');
  const inState = page.state === undefined ? raw('1 = 1') : sql`state = ${page.state}`;
  const older = page.before === undefined ? raw('1 = 1') : sql`object_id < ${page.before}`;
  return db.all<DeliveryRow>(sql`select * from webhook_deliveries
    where app_id = ${page.appId} and webhook_id = ${page.webhookId} and ${older} and ${inState} and ${ofApp}
    order by object_id desc limit ${page.limit}`);
}

/** Deletes some finished deliveries older than an id of their time. */
export function deleteOldDeliveries(db: Db, appId: string, beforeId: string, limit: number): Promise<number> {
  return db.run(sql`delete from webhook_deliveries where app_id = ${appId} and object_id in (
    select object_id from webhook_deliveries where app_id = ${appId} and object_id < ${beforeId} and state <> 'queued'
    order by object_id limit ${limit})`);
}

/** To which hosts calls were sent, or tried, among the deliveries of a condition. */
export async function listHostsSentTo(db: Db, appId: string, condition: Sql) {
  const rows = await db.all<{ webhook_id: string; n: number; first: number; last: number }>(
    sql`select webhook_id, count(*) as n, min(created_at) as first, max(updated_at) as last from webhook_deliveries
      where ${condition} and attempts > 0 group by webhook_id order by webhook_id`,
    { tenant: appId },
  );
  const hosts = new Map((await listWebhooks(db, appId)).map(({ object_id, url }) => [object_id, new URL(url).host]));
  return rows.map(({ webhook_id, n, first, last }) => ({
    host: hosts.get(webhook_id) ?? 'of a webhook that was deleted',
    calls: Number(n),
    firstAt: new Date(first).toISOString(),
    lastAt: new Date(last).toISOString(),
  }));
}
