import type { SessionAccess } from '../../../access/access.ts';
import type { UserRole } from '../../../access/context.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import { type UserKey, venuesOf } from './store.ts';
import { halfSignIns, sessions, tokens } from './tables.ts';

/** Sessions of users and their access tokens: only SQL. */

export type SessionRow = RowOf<typeof sessions>;

const ownedBy = ({ appId, userId }: UserKey) => sql`app_id = ${appId} and user_id = ${userId}`;

const sessionRows = rowsOf(sessions);
export const insertSession = sessionRows.insert;

export const insertToken = rowsOf(tokens).insert;

export async function findFamilyUser(db: Db, appId: string, familyHash: string): Promise<string | undefined> {
  const row = await db.one<{ user_id: string }>(
    sql`select user_id from sessions where app_id = ${appId} and family_hash = ${familyHash}`,
  );
  return row?.user_id;
}

/** Nobody can change the session until the end of the transaction. */
export const lockFamily = sessionRows.lock('app_id', 'family_hash');

/** Writes the refresh token that is valid now. */
export const updateFamily = sessionRows.write;

/** Deletes access tokens of a session that were issued before a time. */
export async function deleteTokensBefore(db: Db, { app_id, object_id }: SessionRow, before: number): Promise<void> {
  await db.run(
    sql`delete from tokens where app_id = ${app_id} and session_id = ${object_id} and created_at < ${before}`,
  );
}

export interface ListedSession extends SessionRow {
  /** 1: the session of the given access token. */
  readonly is_current: number;
}

/** The sessions of a user that are not over, newest first; `most`: at most so many. */
export function listSessions(
  db: Db,
  key: UserKey,
  { tokenHash, now, most }: { readonly tokenHash: string; readonly now: number; readonly most?: number | undefined },
): Promise<ListedSession[]> {
  const limit = most === undefined ? sql`` : sql` limit ${most}`;
  return db.all<ListedSession>(sql`select sessions.*, case when exists (
        select 1 from tokens where tokens.app_id = sessions.app_id and tokens.session_id = sessions.object_id
          and tokens.token_hash = ${tokenHash}) then 1 else 0 end as is_current
    from sessions where ${ownedBy(key)} and expires_at > ${now} order by created_at desc, object_id desc${limit}`);
}

export async function countSessions(
  db: Db,
  key: UserKey,
  now: number,
): Promise<{ readonly sessions: number; readonly lastUsedAt: number | null }> {
  const row = await db.one<{ n: number; last: number | null }>(
    sql`select count(*) as n, max(last_used_at) as last from sessions where ${ownedBy(key)} and expires_at > ${now}`,
  );
  return { sessions: row?.n ?? 0, lastUsedAt: row?.last ?? null };
}

/** When the session of an access token began; undefined if it is over. */
export async function findSessionStart(db: Db, key: UserKey, tokenHash: string): Promise<number | undefined> {
  const row = await db.one<{ created_at: number }>(sql`select created_at from sessions where ${ownedBy(key)}
    and object_id in (select session_id from tokens where ${ownedBy(key)} and token_hash = ${tokenHash})`);
  return row?.created_at;
}

/** Whether an access token has not been taken back. */
export async function hasToken(db: Db, key: UserKey, tokenHash: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from tokens where ${ownedBy(key)} and token_hash = ${tokenHash}`);
  return row !== undefined;
}

/** Ends a session. False if the user has no such session. */
export async function deleteSession(db: Db, key: UserKey, objectId: string): Promise<boolean> {
  // The session before its tokens: a concurrent renewal then waits, and issues none.
  const ended = await db.run(sql`delete from sessions where ${ownedBy(key)} and object_id = ${objectId}`);
  await db.run(sql`delete from tokens where ${ownedBy(key)} and session_id = ${objectId}`);
  return ended > 0;
}

export async function deleteSessionOf(db: Db, key: UserKey, tokenHash: string): Promise<void> {
  const row = await db.one<{ session_id: string }>(
    sql`select session_id from tokens where ${ownedBy(key)} and token_hash = ${tokenHash}`,
  );
  if (row) await deleteSession(db, key, row.session_id);
}

/** Ends all sessions of a user; `except`: the access token of one that continues. */
export async function deleteSessionsOf(db: Db, key: UserKey, except?: string): Promise<void> {
  const kept = await (except === undefined
    ? undefined
    : db.one<{ session_id: string }>(
        sql`select session_id from tokens where ${ownedBy(key)} and token_hash = ${except}`,
      ));
  const id = kept?.session_id ?? '';
  await db.run(sql`delete from sessions where ${ownedBy(key)} and object_id <> ${id}`);
  await db.run(sql`delete from tokens where ${ownedBy(key)} and session_id <> ${id}`);
  await db.run(sql`delete from half_sign_ins where ${ownedBy(key)}`);
}

export async function setSecondFactor(db: Db, key: UserKey, tokenHash: string, has: boolean): Promise<void> {
  await db.run(sql`update sessions set second_factor = ${has ? 1 : 0} where ${ownedBy(key)}
    and object_id in (select session_id from tokens where ${ownedBy(key)} and token_hash = ${tokenHash})`);
}

export type HalfRow = RowOf<typeof halfSignIns>;

const halfSignInRows = rowsOf(halfSignIns);
export const insertHalf = halfSignInRows.insert;

export function findHalf(db: Db, half: HalfKey): Promise<HalfRow | undefined> {
  return db.one<HalfRow>(sql`select * from half_sign_ins
    where app_id = ${half.appId} and token_hash = ${half.tokenHash} and expires_at > ${half.now}`);
}

export interface HalfKey {
  readonly appId: string;
  readonly tokenHash: string;
  readonly now: number;
}

/** False if it had `most` before, has expired or was used. */
export async function countAttempt(db: Db, { appId, tokenHash, now }: HalfKey, most: number): Promise<boolean> {
  const counted = await db.run(sql`update half_sign_ins set attempts = attempts + 1
    where app_id = ${appId} and token_hash = ${tokenHash} and expires_at > ${now} and attempts < ${most}`);
  return counted > 0;
}

/** False if it was used in the meantime. */
export async function takeHalf(db: Db, { appId, tokenHash }: Omit<HalfKey, 'now'>): Promise<boolean> {
  return (await db.run(sql`delete from half_sign_ins where app_id = ${appId} and token_hash = ${tokenHash}`)) > 0;
}

export async function noteTokenUse(
  db: Db,
  appId: string,
  tokenHash: string,
  use: { readonly now: number; readonly expiresAt: number },
): Promise<void> {
  await db.transaction(async (db) => {
    // The session before the token, the order in which sessions are ended.
    await db.run(sql`update sessions set last_used_at = ${use.now}, expires_at = ${use.expiresAt}
      where app_id = ${appId} and object_id in (
        select session_id from tokens where app_id = ${appId} and token_hash = ${tokenHash})`);
    await db.run(sql`update tokens set last_used_at = ${use.now}, expires_at = ${use.expiresAt}
      where app_id = ${appId} and token_hash = ${tokenHash}`);
  });
}

/** Notes that the access token issued last is in use, so that the refresh token that came with it has arrived. */
export async function noteTokenHeard(db: Db, appId: string, tokenHash: string): Promise<void> {
  await db.run(sql`update sessions set unheard_hash = null where app_id = ${appId} and object_id in (
      select session_id from tokens where app_id = ${appId} and token_hash = ${tokenHash}
      and tokens.created_at >= sessions.rotated_at)`);
}

export async function findUserSession(db: Db, appId: string, tokenHash: string): Promise<SessionAccess | undefined> {
  const row = await db.one<{
    user_id: string;
    role: UserRole;
    expires_at: number;
    last_used_at: number;
    is_short: number;
    second_factor: number | null;
    is_unheard: number;
    venues: string;
  }>(
    sql`select tokens.user_id, users.role, tokens.expires_at, tokens.last_used_at, tokens.is_short,
        users.venues, sessions.second_factor, case when sessions.unheard_hash is not null
          and tokens.created_at >= sessions.rotated_at then 1 else 0 end as is_unheard from tokens
      left join sessions on sessions.app_id = tokens.app_id and sessions.object_id = tokens.session_id
      join users on users.app_id = tokens.app_id and users.object_id = tokens.user_id
      where tokens.app_id = ${appId} and tokens.token_hash = ${tokenHash} and users.app_id = ${appId}
      and users.disabled_at is null`,
  );
  if (!row) return undefined;
  const { user_id: userId, role, expires_at: expiresAt, last_used_at: lastUsedAt } = row;
  return {
    userId,
    role,
    expiresAt,
    lastUsedAt,
    isFixed: row.is_short === 1,
    hasSecondFactor: row.second_factor === 1,
    ...(row.is_unheard === 1 ? { isUnheard: true } : {}),
    venueIds: venuesOf(row),
  };
}
