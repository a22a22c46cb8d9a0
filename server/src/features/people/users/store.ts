import { secretHash } from '../../../access/access.ts';
import type { UserRole } from '../../../access/context.ts';
import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { rowsOf } from '../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../db/table.ts';
import { users } from './tables.ts';

export type UserRow = RowOf<typeof users> & { readonly role: UserRole };

export interface UserKey {
  readonly appId: string;
  readonly userId: string;
}

const one = ({ appId, userId }: UserKey) => sql`app_id = ${appId} and object_id = ${userId}`;
const ownedBy = ({ appId, userId }: UserKey) => sql`app_id = ${appId} and user_id = ${userId}`;

const maxFormer = 20;

/** The value of `former_addresses` after a change of the address. */
export function formerWith(user: Pick<UserRow, 'email_key' | 'former_addresses'>): string | null {
  if (user.email_key === null) return user.former_addresses;
  const known = JSON.parse(user.former_addresses ?? '[]') as string[];
  return JSON.stringify([...known, secretHash(user.email_key)].slice(-maxFormer));
}

/** Hashes of the addresses that an account has and had. */
export const addressHashes = (user: Pick<UserRow, 'email_key' | 'former_addresses'>): readonly string[] =>
  JSON.parse(formerWith(user) ?? '[]') as string[];

const userRows = rowsOf<typeof users, UserRow>(users);
export const findUserByEmail = userRows.find('app_id', 'email_key');

/** Nobody can change the row until the end of the transaction. */
export const lockUserByEmail = userRows.lock('app_id', 'email_key');

export function findUser(db: Db, key: UserKey): Promise<UserRow | undefined> {
  return db.one<UserRow>(sql`select * from users where ${one(key)}`);
}

/** Nobody can change the row until the end of the transaction. */
export function lockUser(db: Db, key: UserKey): Promise<UserRow | undefined> {
  return db.one<UserRow>(sql`select * from users where ${one(key)}${raw(db.dialect.lockRow)}`);
}

/** In a transaction the user is not erased before its end, so that nothing new can refer to it afterwards. */
export async function userExists(db: Db, appId: string, userId: string): Promise<boolean> {
  const row = await db.one(sql`select 1 as found from users where ${one({ appId, userId })}${raw(db.dialect.holdRow)}`);
  return row !== undefined;
}

/** Sets a password after a reset by mail, which verifies the address. */
export async function setPassword(db: Db, key: UserKey, passwordHash: string, now: number): Promise<void> {
  await db.run(
    sql`update users set password_hash = ${passwordHash}, email_verified_at = coalesce(email_verified_at, ${now}), updated_at = case when updated_at > ${now} then updated_at else ${now} end where ${one(key)}`,
  );
}

/** Any hash that has come from another system; undefined as soon as everybody has signed in here. */
export async function findForeignHash(db: Db, appId: string): Promise<string | undefined> {
  const row = await db.one<{ password_hash: string }>(
    sql`select password_hash from users where app_id = ${appId} and password_hash < '$a' limit 1`,
  );
  return row?.password_hash;
}

/** Replaces the hash of the same password. False if it has changed since. */
export async function replaceHash(db: Db, key: UserKey, from: string, to: string): Promise<boolean> {
  return (await db.run(sql`update users set password_hash = ${to} where ${one(key)} and password_hash = ${from}`)) > 0;
}

export async function clearPassword(db: Db, key: UserKey): Promise<void> {
  await db.run(sql`update users set password_hash = null where ${one(key)}`);
}

/** Notes that the address is verified, if it is still the account's. */
export async function noteVerified(db: Db, key: UserKey, emailKey: string, now: number): Promise<void> {
  await db.run(sql`update users set email_verified_at = ${now}
    where ${one(key)} and email_key = ${emailKey} and email_verified_at is null`);
}

export async function setRole(db: Db, key: UserKey, role: UserRole): Promise<boolean> {
  return (await db.run(sql`update users set role = ${role} where ${one(key)}`)) > 0;
}

/** The venues to which a user belongs; undefined for none. */
export const venuesOf = ({ venues }: Pick<UserRow, 'venues'>): readonly string[] | undefined =>
  venues === '[]' ? undefined : (JSON.parse(venues) as readonly string[]);

export async function setVenues(db: Db, key: UserKey, venueIds: readonly string[]): Promise<boolean> {
  return (await db.run(sql`update users set venues = ${JSON.stringify(venueIds)} where ${one(key)}`)) > 0;
}

export async function setDisabledAt(db: Db, key: UserKey, disabledAt: number | null): Promise<boolean> {
  return (await db.run(sql`update users set disabled_at = ${disabledAt} where ${one(key)}`)) > 0;
}

export async function insertReset(
  db: Db,
  reset: UserKey & { readonly tokenHash: string; readonly expiresAt: number },
): Promise<void> {
  await db.run(sql`insert into password_resets (app_id, token_hash, user_id, expires_at)
    values (${reset.appId}, ${reset.tokenHash}, ${reset.userId}, ${reset.expiresAt})`);
}

export async function findReset(db: Db, appId: string, tokenHash: string, now: number): Promise<string | undefined> {
  const row = await db.one<{ user_id: string }>(sql`select user_id from password_resets
    where app_id = ${appId} and token_hash = ${tokenHash} and expires_at > ${now}`);
  return row?.user_id;
}

/** Uses up the token: true for one caller only. */
export async function useReset(db: Db, appId: string, tokenHash: string, now: number): Promise<boolean> {
  return (
    (await db.run(sql`delete from password_resets
      where app_id = ${appId} and token_hash = ${tokenHash} and expires_at > ${now}`)) > 0
  );
}

export async function deleteResetsOf(db: Db, key: UserKey): Promise<void> {
  await db.run(sql`delete from password_resets where ${ownedBy(key)}`);
}

/** The users who have a role, in the order of their ids. */
export async function listUserIds(db: Db, appId: string, role: UserRole): Promise<string[]> {
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from users where app_id = ${appId} and role = ${role} order by object_id`,
  );
  return rows.map(({ object_id }) => object_id);
}

/** Users after `after`, in the order of their ids, at most `limit` of them. */
export async function walkUsers(db: Db, appId: string, after: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ object_id: string }>(
    sql`select object_id from users where app_id = ${appId} and object_id > ${after} order by object_id limit ${limit}`,
  );
  return rows.map(({ object_id }) => object_id);
}
