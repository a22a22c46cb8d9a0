import type { Translations, Worded } from '@pharos/engine/decide';
import { raw, type Sql, sql } from '../../../base/sql.ts';
import type { Db, Row } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import { pushes } from './resource.ts';
import type { PushDeliveryState } from './schemas.ts';

/** Members that count recipients. */
export const countMembers = ['audience', 'sent', 'failed', 'expired', 'noTarget', 'cancelled'] as const;

/** A push without its counts: somebody who chooses an audience could learn from them what is stored about other people. */
export function withoutCounts(row: Row): Row {
  const hidden = countMembers.map((member) => [pushes.records.members[member].column, null]);
  return { ...row, ...Object.fromEntries(hidden) };
}

/** Whether the audience was chosen, so that its size reveals something. */
export const hasChosenAudience = (row: Row): boolean => row['audience'] !== null && row['audience'] !== '{}';

export interface PushRow extends Row {
  readonly object_id: string;
  readonly data: string;
  /** JSON text. */
  readonly options: string | null;
  readonly audience: string | null;
  readonly language: string | null;
  /** JSON text. */
  readonly translations: string | null;
  readonly state: 'accepted' | 'sending' | 'done' | 'cancelled' | 'failed';
  readonly send_at: number | null;
  readonly expires_at: number | null;
  readonly expanded_to: string | null;
  /** JSON text. */
  readonly authors: string | null;
  /** 1 while it waits for a second person. */
  readonly waits: number;
  /** JSON text; null where nobody has to approve it. */
  readonly approval: string | null;
  /** 1 if its sender must not learn the size of the audience; null in pushes of earlier versions. */
  readonly is_blind: number | null;
  /** Counts its changes. */
  readonly edition: number;
  readonly audience_count: number;
  readonly sent_count: number;
  readonly failed_count: number;
  readonly expired_count: number;
  readonly no_target_count: number;
  readonly cancelled_count: number;
  readonly created_at: number;
}

export interface NewPush {
  readonly appId: string;
  readonly pushId: string;
  /** JSON text. */
  readonly data: string;
  /** JSON text. */
  readonly options: string | null;
  /** A where-object as JSON text; null for every installation. */
  readonly audience: string | null;
  readonly language: string | null;
  /** JSON text. */
  readonly translations: string | null;
  readonly userId: string | null;
  /** JSON text; null where nobody has to approve it. */
  readonly approval: string | null;
  /** JSON text. */
  readonly authors: string;
  /** Whether its sender must not learn the size of the audience. */
  readonly isBlind: boolean;
  readonly sendAt: number | null;
  readonly expiresAt: number;
  readonly now: number;
}

export async function insertPush(db: Db, push: NewPush): Promise<void> {
  await db.run(sql`insert into pushes (app_id, object_id, data, options, audience, language, translations, approval, waits, authors, is_blind, state, user_id, send_at, expires_at, created_at, updated_at)
    values (${push.appId}, ${push.pushId}, ${push.data}, ${push.options}, ${push.audience}, ${push.language}, ${push.translations}, ${push.approval},
      ${push.approval === null ? 0 : 1}, ${push.authors}, ${push.isBlind ? 1 : 0}, 'accepted',
      ${push.userId}, ${push.sendAt}, ${push.expiresAt}, ${push.now}, ${push.now})`);
}

export const wordsOf = ({ language, translations }: Pick<PushRow, 'language' | 'translations'>): Worded => ({
  language,
  translations: translations === null ? null : (JSON.parse(translations) as Translations),
});

const pushRows = rowsOf<typeof pushes.table, PushRow>(pushes.table);
export const findPush = pushRows.find('app_id', 'object_id');

/** In a transaction: the push, which stays as it is until the transaction ends. */
export const lockPush = pushRows.lock('app_id', 'object_id');

/** What is sent, to whom and when, of a push that still waits. */
export async function changePush(db: Db, push: Omit<NewPush, 'userId'>): Promise<void> {
  await db.run(sql`update pushes set data = ${push.data}, options = ${push.options}, audience = ${push.audience}, language = ${push.language},
      translations = ${push.translations}, approval = ${push.approval}, waits = ${push.approval === null ? 0 : 1},
      authors = ${push.authors}, is_blind = ${push.isBlind ? 1 : 0}, send_at = ${push.sendAt},
      expires_at = ${push.expiresAt}, edition = edition + 1, updated_at = ${push.now}
    where app_id = ${push.appId} and object_id = ${push.pushId}`);
}

/** Approves the push: it goes out, and its earlier jobs do nothing any more. */
export async function approvePush(
  db: Db,
  push: Pick<NewPush, 'appId' | 'pushId' | 'now'> & { readonly approval: string },
): Promise<void> {
  await db.run(sql`update pushes set approval = ${push.approval}, waits = 0, edition = edition + 1, updated_at = ${push.now}
    where app_id = ${push.appId} and object_id = ${push.pushId}`);
}

/** A push that has grown beyond what one person alone may send to waits from now on. */
export async function holdPush(
  db: Db,
  push: Pick<NewPush, 'appId' | 'pushId' | 'now'> & { readonly approval: string; readonly edition: number },
): Promise<boolean> {
  const changed = await db.run(sql`update pushes set approval = ${push.approval}, waits = 1, updated_at = ${push.now}
    where app_id = ${push.appId} and object_id = ${push.pushId} and state = 'accepted' and edition = ${push.edition}
      and approval is null and expanded_to is null`);
  return changed > 0;
}

/** At most this many in the list of what needs a person. */
const maxWaiting = 20;

/** Pushes that wait for a second person, the oldest first: a finding that was reported stays until somebody has decided. */
export async function listWaiting(
  db: Db,
  appId: string,
): Promise<readonly { readonly pushId: string; readonly data: Readonly<Record<string, unknown>> }[]> {
  const rows = await db.all<Pick<PushRow, 'object_id' | 'data'>>(
    sql`select object_id, data from pushes where app_id = ${appId} and waits = 1 and state = 'accepted'
      order by object_id limit ${maxWaiting}`,
  );
  return rows.map((row) => ({
    pushId: row.object_id,
    data: JSON.parse(row.data) as Readonly<Record<string, unknown>>,
  }));
}

/** False when it has ended already. */
export async function cancelPush(db: Db, appId: string, pushId: string, now: number): Promise<boolean> {
  const changed = await db.run(sql`update pushes set state = 'cancelled', updated_at = ${now}
    where app_id = ${appId} and object_id = ${pushId} and state in ('accepted', 'sending')`);
  return changed > 0;
}

/** Resumes a push that was cancelled before its recipients were found; its earlier jobs do nothing any more. */
export async function resumePush(db: Db, push: Pick<NewPush, 'appId' | 'pushId' | 'now'>): Promise<void> {
  await db.run(sql`update pushes set state = 'accepted', edition = edition + 1, updated_at = ${push.now}
    where app_id = ${push.appId} and object_id = ${push.pushId} and state = 'cancelled'`);
}

/** Ends a push that cannot be sent, for a reason that no other try can mend. */
export async function failPush(db: Db, appId: string, pushId: string, problem: string, now: number): Promise<void> {
  await db.run(sql`update pushes set state = 'failed', problem = ${problem}, updated_at = ${now}
    where app_id = ${appId} and object_id = ${pushId} and state in ('accepted', 'sending')`);
}

/** A delivery for each of these installations that is still there and has none yet. Answers how many are new. */
export function insertRecipients(
  db: Db,
  push: { readonly appId: string; readonly pushId: string; readonly expiresAt: number; readonly now: number },
  installations: Sql,
): Promise<number> {
  const { appId, pushId, expiresAt, now } = push;
  return db.run(sql`insert into deliveries (app_id, object_id, push_id, installation_id, state, attempts, run_at,
      expires_at, created_at, updated_at)
    select app_id, cast(${`${pushId}-`} as text) || object_id, cast(${pushId} as text), object_id, 'queued', 0,
      cast(${now} as bigint), cast(${expiresAt} as bigint), cast(${now} as bigint), cast(${now} as bigint)
    from installations where app_id = ${appId} and object_id in (${installations})
    on conflict (app_id, object_id) do nothing`);
}

/** How far the expansion has come. `state` is `sending` while more may follow. */
export async function noteExpansion(
  db: Db,
  push: { readonly appId: string; readonly pushId: string; readonly now: number },
  step: { readonly expandedTo: string; readonly added: number },
): Promise<void> {
  await db.run(sql`update pushes set expanded_to = ${step.expandedTo}, audience_count = audience_count + ${step.added},
      state = case when state = 'accepted' then 'sending' else state end, updated_at = ${push.now}
    where app_id = ${push.appId} and object_id = ${push.pushId}`);
}

/** A value beyond every id: the walk is over. */
export const walkEnd = '~';

const settled = raw('sent_count + failed_count + expired_count + no_target_count + cancelled_count');

/** Adds what has ended; the push itself has ended when everybody has. Answers the push as it is then. */
export async function countEnded(
  db: Db,
  push: { readonly appId: string; readonly pushId: string; readonly now: number },
  counts: ReadonlyMap<PushDeliveryState, number>,
): Promise<PushRow | undefined> {
  const of = (state: PushDeliveryState) => counts.get(state) ?? 0;
  const where = sql`app_id = ${push.appId} and object_id = ${push.pushId}`;
  await db.run(sql`update pushes set sent_count = sent_count + ${of('sent')}, failed_count = failed_count + ${of('failed')},
      expired_count = expired_count + ${of('expired')}, no_target_count = no_target_count + ${of('noTarget')},
      cancelled_count = cancelled_count + ${of('cancelled')}, updated_at = ${push.now}
    where ${where}`);
  await db.run(sql`update pushes set state = 'done'
    where ${where} and state = 'sending' and expanded_to = ${walkEnd} and audience_count = ${settled}`);
  return findPush(db, push.appId, push.pushId);
}

/** Recipients that something has become of. */
export function endedOf(row: PushRow): number {
  return row.sent_count + row.failed_count + row.expired_count + row.no_target_count + row.cancelled_count;
}

export interface ReasonCount {
  readonly state: string;
  readonly reason: string;
  readonly n: number;
}

/** Why recipients were not reached, the commonest first. */
export function countReasons(db: Db, appId: string, pushId: string): Promise<ReasonCount[]> {
  return db.all<ReasonCount>(
    sql`select state, reason, count(*) as n from deliveries
      where app_id = ${appId} and push_id = ${pushId} and reason is not null
      group by state, reason order by n desc, reason limit 50`,
    { tenant: appId },
  );
}

/** How many apps have reported that the message came, and that it was opened. */
export async function countReceipts(
  db: Db,
  appId: string,
  pushId: string,
): Promise<{ received: number; opened: number }> {
  const count = async (column: Sql) => {
    const rows = await db.all<{ n: number }>(
      sql`select count(*) as n from deliveries where app_id = ${appId} and push_id = ${pushId} and ${column} is not null`,
      { tenant: appId },
    );
    return rows[0]?.n ?? 0;
  };
  return { received: await count(raw('received_at')), opened: await count(raw('opened_at')) };
}
