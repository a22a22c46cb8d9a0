import { type Reach, storedReach } from '../../../../access/reach.ts';
import type { AdminRole } from '../../../../access/roles.ts';
import { raw, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { deleteSetting, findSetting, insertSetting, saveSetting } from '../../../../db/settings.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../../db/table.ts';
import { adminSessions, admins } from './tables.ts';

export type AdminRow = RowOf<typeof admins> & {
  readonly role: AdminRole;
  /** In which the console was last opened; null: nobody knows. */
  readonly language: string | null;
  /** 1: the password alone is not enough. */
  readonly has_factor: number;
};

export interface SessionRow extends AdminRow {
  readonly session_hash: string;
  readonly last_used_at: number;
  readonly expires_at: number;
  readonly confirmed_at: number;
  readonly provider_id: string | null;
  readonly factor_proved: number;
  /** Null also for a provider that is gone or switched off. */
  readonly provider_name: string | null;
}

export type SignInMethod = 'password' | 'totp' | 'recovery code' | 'passkey' | 'single sign-on';

/** Enough of the hash of a session's secret to tell the sessions of a person apart; nobody can sign in with it. */
export const sessionIdLength = 16;

export type ListedSession = RowOf<typeof adminSessions>;

/** The columns of `AdminRow`, from a row called `a`. */
const columns =
  raw(`a.*, (select l.language from admin_languages l where l.admin_id = a.admin_id) as language, case when
    exists (select 1 from admin_totp t where t.admin_id = a.admin_id and t.enabled_at is not null)
    or exists (select 1 from admin_passkeys p where p.admin_id = a.admin_id) then 1 else 0 end as has_factor`);

/** Addresses are bounded where they are read. */
export function adminEmailKey(address: string): string {
  return address.trim().toLowerCase();
}

export function listAdmins(db: Db): Promise<AdminRow[]> {
  return db.all<AdminRow>(sql`select ${columns} from admins a order by a.admin_id`);
}

export function findAdmin(db: Db, adminId: string): Promise<AdminRow | undefined> {
  return db.one<AdminRow>(sql`select ${columns} from admins a where a.admin_id = ${adminId}`);
}

/** In a transaction: the row cannot change until the transaction ends. */
export function lockAdmin(db: Db, adminId: string): Promise<AdminRow | undefined> {
  return db.one<AdminRow>(sql`select ${columns} from admins a where a.admin_id = ${adminId}${raw(db.dialect.lockRow)}`);
}

export function findAdminByEmail(db: Db, emailKey: string): Promise<AdminRow | undefined> {
  return db.one<AdminRow>(sql`select ${columns} from admins a where a.email_key = ${emailKey}`);
}

/** In a transaction: where the role of an administrator holds, which stays until the transaction ends; undefined for nobody. */
export async function holdReach(db: Db, email: string): Promise<Reach | undefined> {
  const row = await db.one<Pick<AdminRow, 'role' | 'apps'>>(
    sql`select role, apps from admins where email_key = ${adminEmailKey(email)}${raw(db.dialect.lockRow)}`,
  );
  return row && storedReach(row);
}

export async function hasAdmin(db: Db): Promise<boolean> {
  return (await db.one(sql`select 1 as found from admins limit 1`)) !== undefined;
}

/** In a transaction: owners who can sign in; they cannot change until the transaction ends. */
export function lockOwners(db: Db): Promise<{ admin_id: string }[]> {
  return db.all(
    sql`select admin_id from admins where role = 'owner' and disabled_at is null${raw(db.dialect.lockRow)}`,
  );
}

type NewAdminRow = Pick<AdminRow, 'admin_id' | 'email' | 'name' | 'password_hash' | 'role' | 'apps'>;

/** Of somebody who becomes an administrator now (epoch ms). */
export const newAdminRow = (
  row: NewAdminRow & Partial<Pick<AdminRow, 'apps_by_groups' | 'has_factor'>>,
  now: number,
): AdminRow => ({
  email_key: adminEmailKey(row.email),
  apps_by_groups: 0,
  disabled_at: null,
  language: null,
  local_until: null,
  created_at: now,
  updated_at: now,
  has_factor: 0,
  ...row,
});

const adminRows = rowsOf<typeof admins, AdminRow>(admins);
export const insertAdmin = adminRows.insert;
export const writeAdmin = adminRows.write;

/** Stores the language, if it is another one than before. */
export async function noteLanguage(db: Db, adminId: string, language: string): Promise<void> {
  await db.run(sql`insert into admin_languages (admin_id, language) values (${adminId}, ${language})
    on conflict (admin_id) do update set language = excluded.language where admin_languages.language <> excluded.language`);
}

export function findAdminSession(db: Db, sessionHash: string): Promise<SessionRow | undefined> {
  return db.one<SessionRow>(sql`select ${columns}, s.session_hash, s.last_used_at, s.expires_at, s.confirmed_at,
      s.provider_id, s.factor_proved, p.name as provider_name
    from admin_sessions s join admins a on a.admin_id = s.admin_id
    left join sso_providers p on p.provider_id = s.provider_id and p.is_enabled = 1 where s.session_hash = ${sessionHash}`);
}

/** In a transaction: the administrator of a session, who cannot change until it ends; undefined for a session that was ended. */
export async function lockAdminOf(
  db: Db,
  { adminId, sessionHash }: { readonly adminId: string; readonly sessionHash: string },
): Promise<AdminRow | undefined> {
  const admin = await lockAdmin(db, adminId);
  const session = await db.one(sql`select 1 as found from admin_sessions where session_hash = ${sessionHash}`);
  return session && admin;
}

export async function noteSessionUse(db: Db, sessionHash: string, now: number): Promise<void> {
  await db.run(sql`update admin_sessions set last_used_at = ${now} where session_hash = ${sessionHash}`);
}

export async function noteConfirmation(db: Db, sessionHash: string, now: number): Promise<void> {
  await db.run(sql`update admin_sessions set confirmed_at = ${now} where session_hash = ${sessionHash}`);
}

const adminSessionRows = rowsOf(adminSessions);
export const insertSession = adminSessionRows.insert;
export const deleteSession = adminSessionRows.remove('session_hash');

/** With the agents: they act for whoever was signed in. */
export async function deleteSessionsOf(db: Db, adminId: string): Promise<void> {
  await db.run(sql`delete from admin_sessions where admin_id = ${adminId}`);
  await db.run(sql`delete from admin_agents where admin_id = ${adminId}`);
}

/** Sessions that can still be used, the latest first. */
export function listSessions(db: Db, adminId: string, now: number, idleSince: number): Promise<ListedSession[]> {
  return db.all(sql`select * from admin_sessions where admin_id = ${adminId} and expires_at > ${now}
    and last_used_at > ${idleSince} order by last_used_at desc, session_hash`);
}

/** With the agents. */
export async function deleteOtherSessions(db: Db, adminId: string, sessionHash: string): Promise<number> {
  await db.run(sql`delete from admin_agents where admin_id = ${adminId}`);
  return db.run(sql`delete from admin_sessions where admin_id = ${adminId} and session_hash <> ${sessionHash}`);
}

/** False if this administrator has no such session. */
export async function deleteOwnSession(db: Db, adminId: string, sessionId: string): Promise<boolean> {
  const changed = await db.run(sql`delete from admin_sessions where admin_id = ${adminId}
    and substr(session_hash, 1, ${sessionIdLength}) = ${sessionId}`);
  return changed > 0;
}

export async function deleteEndedSessions(db: Db, now: number, idleSince: number): Promise<void> {
  await db.run(sql`delete from admin_sessions where expires_at <= ${now} or last_used_at <= ${idleSince}`);
}

const setupName = 'setup_token';

/** False if there is a set-up link already. */
export function insertSetupToken(db: Db, tokenHash: string): Promise<boolean> {
  return insertSetting(db, setupName, tokenHash);
}

/** Deletes the set-up link; false if it was another one, or used before. */
export function takeSetupToken(db: Db, tokenHash: string): Promise<boolean> {
  return deleteSetting(db, setupName, tokenHash);
}

export async function deleteSetupToken(db: Db): Promise<void> {
  await deleteSetting(db, setupName);
}

const policyName = 'second_factor';

/** Whether every administrator needs a second factor. */
export async function isFactorRequired(db: Db): Promise<boolean> {
  return (await findSetting(db, policyName)) === 'required';
}

export async function setFactorRequired(db: Db, isRequired: boolean): Promise<void> {
  if (isRequired) await saveSetting(db, policyName, 'required');
  else await deleteSetting(db, policyName);
}

/** Every administrator, and what they sign in with and through: a provider that stayed could make anybody an owner. */
export async function deleteAllAdmins(db: Db): Promise<void> {
  await db.run(sql`delete from admin_sessions`);
  await db.run(sql`delete from admin_agents`);
  await db.run(sql`delete from admin_totp`);
  await db.run(sql`delete from admin_recovery_codes`);
  await db.run(sql`delete from admin_passkeys`);
  await db.run(sql`delete from admin_invitations`);
  await db.run(sql`delete from admin_links`);
  await db.run(sql`delete from admin_identities`);
  await db.run(sql`delete from sso_attempts`);
  await db.run(sql`delete from sso_providers`);
  await db.run(sql`delete from admin_languages`);
  await db.run(sql`delete from admins`);
}
