import { firstIdAt } from '../../../base/id.ts';
import { joinSql, raw, type Sql, sql } from '../../../base/sql.ts';
import { bulkInsert } from '../../../db/bulk.ts';
import type { Db } from '../../../db/db.ts';
import type { PushSenderKind, PushTarget } from '../../../delivery/push/push-sender.ts';
import { deliveries } from './resource.ts';
import type { PushDeliveryState } from './schemas.ts';

/** Rows of deliveries: SQL and nothing else. */

export interface PushRecipient {
  readonly object_id: string;
  readonly installation_id: string;
  readonly attempts: number;
  readonly run_at: number;
  /** The provider that was asked last; null before the first try. */
  readonly sender: PushSenderKind | null;
  readonly updated_at: number;
  readonly expires_at: number;
  readonly reason: string | null;
  readonly received_at: number | null;
  /** Null when the installation is gone. */
  readonly device_type: PushTarget['deviceType'] | null;
  readonly device_token: string | null;
  readonly token_dead_at: number | null;
  readonly token_dead_reason: string | null;
  readonly push_type: string | null;
  readonly app_identifier: string | null;
  readonly locale_identifier: string | null;
  readonly created_at: number;
  readonly handed_over_at: number | null;
  /** What its visitor has decided, as it is stored. */
  readonly consents: string | null;
}

const recipientColumns =
  raw(`d.object_id, d.installation_id, d.attempts, d.run_at, d.sender, d.updated_at, d.expires_at, d.reason, d.received_at,
  i.device_type, i.device_token, i.token_dead_at, i.token_dead_reason, i.push_type, i.app_identifier, i.locale_identifier,
  d.created_at, i.handed_over_at, i.consents`);
const withInstallation = raw(
  'from deliveries d left join installations i on i.app_id = d.app_id and i.object_id = d.installation_id',
);

/** A part of a push's recipients: `from` is not in it, `to` is. */
export interface Slice {
  readonly from: string;
  readonly to: string;
}

const within = (appId: string, { from, to }: Slice) =>
  sql`d.app_id = ${appId} and d.object_id > ${from} and d.object_id <= ${to}`;

export function findQueued(db: Db, appId: string, slice: Slice): Promise<PushRecipient[]> {
  return db.all<PushRecipient>(
    sql`select ${recipientColumns} ${withInstallation} where ${within(appId, slice)} and d.state = 'queued'`,
  );
}

export function findRecipient(db: Db, appId: string, deliveryId: string): Promise<PushRecipient | undefined> {
  return db.one<PushRecipient>(
    sql`select ${recipientColumns} ${withInstallation}
      where d.app_id = ${appId} and d.object_id = ${deliveryId} and d.state = 'queued'`,
  );
}

/** When the next delivery of the slice is due; undefined: none is left. */
export async function nextDue(db: Db, appId: string, slice: Slice): Promise<number | undefined> {
  const row = await db.one<{ due: number | null }>(
    sql`select min(d.run_at) as due from deliveries d where ${within(appId, slice)} and d.state = 'queued'`,
  );
  return row?.due ?? undefined;
}

/** Makes due what the slice has put off for these providers. */
export async function endPauses(
  db: Db,
  appId: string,
  { kinds, now, ...slice }: Slice & { readonly kinds: readonly PushSenderKind[]; readonly now: number },
): Promise<void> {
  await db.run(sql`update deliveries set run_at = ${now}
    where app_id = ${appId} and object_id > ${slice.from} and object_id <= ${slice.to} and state = 'queued'
      and run_at > ${now} and sender in (${listOf(kinds)})`);
}

/** Ends everything queued in the slice as `state`; answers the number. */
export function endQueued(
  db: Db,
  appId: string,
  end: Slice & { readonly state: PushDeliveryState; readonly reason: string; readonly now: number },
): Promise<number> {
  return db.run(sql`update deliveries set state = ${end.state}, reason = ${end.reason}, updated_at = ${end.now}
    where app_id = ${appId} and object_id > ${end.from} and object_id <= ${end.to} and state = 'queued'`);
}

export interface NewPushDelivery {
  readonly appId: string;
  readonly deliveryId: string;
  readonly installationId: string;
  readonly eventId: string;
  readonly triggerId: string;
  readonly state: PushDeliveryState;
  readonly reason: string | null;
  readonly language: string | null;
  readonly expiresAt: number;
  readonly now: number;
}

/** The id of a push's message to one installation: one for each, however often it is asked for. */
export const pushDeliveryId = (pushId: string, installationId: string) => `${pushId}-${installationId}`;

const newDeliveries = bulkInsert(deliveries.table, {
  columns: [
    'app_id',
    'object_id',
    'event_id',
    'trigger_id',
    'installation_id',
    'state',
    'reason',
    'language',
    'attempts',
    'run_at',
    'expires_at',
    'created_at',
    'updated_at',
  ],
  conflict: raw('on conflict (app_id, object_id) do nothing returning app_id, object_id'),
});

/** Inserts deliveries, and answers which of them are new. */
export async function insertDeliveries(
  db: Db,
  rows: readonly NewPushDelivery[],
): Promise<(delivery: Pick<NewPushDelivery, 'appId' | 'deliveryId'>) => boolean> {
  const cells = rows.map((row) => ({
    app_id: row.appId,
    object_id: row.deliveryId,
    event_id: row.eventId,
    trigger_id: row.triggerId,
    installation_id: row.installationId,
    state: row.state,
    reason: row.reason,
    language: row.language,
    attempts: 0,
    run_at: row.now,
    expires_at: row.expiresAt,
    created_at: row.now,
    updated_at: row.now,
  }));
  const inserted = new Set<string>();
  for (const statement of newDeliveries.each(db.dialect, cells)) {
    for (const row of await db.all<{ app_id: string; object_id: string }>(statement))
      inserted.add(`${row.app_id} ${row.object_id}`);
  }
  return ({ appId, deliveryId }) => inserted.has(`${appId} ${deliveryId}`);
}

/** An outcome that several deliveries share, written with one statement. */
export interface Settlement {
  readonly state: PushDeliveryState;
  readonly reason: string | null;
  readonly sender: string | null;
  /** 1 if the provider was asked. */
  readonly tries: 0 | 1;
  /** When a queued one is due again. */
  readonly runAt: number;
  /** In which it went out; null keeps what is known. */
  readonly language: string | null;
}

/** Ends or postpones queued deliveries; those that have ended by now stay as they are. Returns how many were changed. */
export function settle(
  db: Db,
  appId: string,
  ids: readonly string[],
  { state, reason, sender, tries, runAt, language, now }: Settlement & { readonly now: number },
): Promise<number> {
  const sentAt = state === 'sent' ? now : null;
  return db.run(sql`update deliveries set state = ${state}, reason = ${reason}, sender = ${sender},
      attempts = attempts + ${tries}, run_at = ${runAt}, language = coalesce(${language}, language), sent_at = ${sentAt}, updated_at = ${now}
    where app_id = ${appId} and state = 'queued' and object_id in (${listOf(ids)})`);
}

/** Filled up to a power of two with the last one, so that there are few different statements to prepare. */
export function listOf(ids: readonly string[]): Sql {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, ids.length)));
  const last = ids.at(-1) ?? '';
  return joinSql(
    Array.from({ length: size }, (_, index) => sql`${ids[index] ?? last}`),
    ', ',
  );
}

interface PushReceipt {
  readonly deliveryId: string;
  readonly installationId: string;
  readonly event: 'received' | 'opened';
  readonly at: number;
  readonly now: number;
}

/** The first report counts. Answers false for a delivery that is not this installation's. */
export async function noteReceipt(db: Db, appId: string, receipt: PushReceipt): Promise<boolean> {
  const { deliveryId, installationId, event, at, now } = receipt;
  // Whoever opens a message has received it.
  const opened = event === 'opened' ? sql`, opened_at = coalesce(opened_at, ${at})` : sql``;
  const changed = await db.run(sql`update deliveries set received_at = coalesce(received_at, ${at})${opened},
      updated_at = ${now}
    where app_id = ${appId} and object_id = ${deliveryId} and installation_id = ${installationId}`);
  return changed > 0;
}

/** A delivery's id begins with the time of its event or push, which is not later than the delivery. */
const isSince = (appId: string, since: number) => sql`app_id = ${appId} and object_id >= ${firstIdAt(since)}`;

interface StateCount {
  readonly state: string;
  readonly n: number;
  readonly received: number;
  readonly opened: number;
}

/** What became of the messages that events have set off. */
export function countProximityStates(db: Db, appId: string, since: number): Promise<StateCount[]> {
  return db.all<StateCount>(
    sql`select state, count(*) as n, count(received_at) as received, count(opened_at) as opened
      from deliveries where ${isSince(appId, since)} and event_id is not null group by state`,
    { tenant: appId },
  );
}

interface FailureCount {
  readonly sender: string | null;
  readonly reason: string | null;
  readonly n: number;
  /** Epoch milliseconds. */
  readonly last_at: number;
}

/** Why messages failed, the five commonest reasons. */
export function countFailures(db: Db, appId: string, since: number): Promise<FailureCount[]> {
  return db.all<FailureCount>(
    sql`select sender, reason, count(*) as n, max(updated_at) as last_at from deliveries
      where ${isSince(appId, since)} and state = 'failed'
      group by sender, reason order by n desc, reason limit 5`,
    { tenant: appId },
  );
}
