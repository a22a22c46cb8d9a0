import type { AdminRole } from '../../access/roles.ts';
import { raw, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { deleteSetting, insertSetting } from '../../db/settings.ts';

export interface AdminRow {
  readonly admin_id: string;
  readonly email: string;
  readonly email_key: string;
  readonly name: string;
  readonly password_hash: string;
  readonly role: AdminRole;
  readonly disabled_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface SessionRow extends AdminRow {
  readonly session_hash: string;
  readonly last_used_at: number;
  readonly expires_at: number;
  readonly confirmed_at: number;
}

export function listAdmins(db: Db): Promise<AdminRow[]> {
  return db.all<AdminRow>(sql`select * from admins order by admin_id`);
}

export function findAdmin(db: Db, adminId: string): Promise<AdminRow | undefined> {
  return db.one<AdminRow>(sql`select * from admins where admin_id = ${adminId}`);
}

/** In a transaction: the row cannot change until the transaction ends. */
export function lockAdmin(db: Db, adminId: string): Promise<AdminRow | undefined> {
  return db.one<AdminRow>(sql`select * from admins where admin_id = ${adminId}${raw(db.dialect.lockRow)}`);
}

export function findAdminByEmail(db: Db, emailKey: string): Promise<AdminRow | undefined> {
  return db.one<AdminRow>(sql`select * from admins where email_key = ${emailKey}`);
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

export async function insertAdmin(db: Db, admin: AdminRow): Promise<void> {
  await db.run(sql`insert into admins (admin_id, email, email_key, name, password_hash, role, created_at, updated_at)
    values (${admin.admin_id}, ${admin.email}, ${admin.email_key}, ${admin.name}, ${admin.password_hash}, ${admin.role},
      ${admin.created_at}, ${admin.updated_at})`);
}

export async function updateAdmin(db: Db, admin: AdminRow): Promise<void> {
  await db.run(sql`update admins set name = ${admin.name}, role = ${admin.role}, disabled_at = ${admin.disabled_at},
    password_hash = ${admin.password_hash}, updated_at = ${admin.updated_at} where admin_id = ${admin.admin_id}`);
}

export async function insertSession(
  db: Db,
  session: {
    readonly sessionHash: string;
    readonly adminId: string;
    readonly now: number;
    readonly expiresAt: number;
  },
): Promise<void> {
  await db.run(sql`insert into admin_sessions (session_hash, admin_id, created_at, last_used_at, expires_at, confirmed_at)
    values (${session.sessionHash}, ${session.adminId}, ${session.now}, ${session.now}, ${session.expiresAt}, ${session.now})`);
}

export function findAdminSession(db: Db, sessionHash: string): Promise<SessionRow | undefined> {
  return db.one<SessionRow>(sql`select a.*, s.session_hash, s.last_used_at, s.expires_at, s.confirmed_at
    from admin_sessions s join admins a on a.admin_id = s.admin_id where s.session_hash = ${sessionHash}`);
}

export async function noteSessionUse(db: Db, sessionHash: string, now: number): Promise<void> {
  await db.run(sql`update admin_sessions set last_used_at = ${now} where session_hash = ${sessionHash}`);
}

export async function noteConfirmation(db: Db, sessionHash: string, now: number): Promise<void> {
  await db.run(sql`update admin_sessions set confirmed_at = ${now} where session_hash = ${sessionHash}`);
}

export async function deleteSession(db: Db, sessionHash: string): Promise<void> {
  await db.run(sql`delete from admin_sessions where session_hash = ${sessionHash}`);
}

export async function deleteSessionsOf(db: Db, adminId: string): Promise<void> {
  await db.run(sql`delete from admin_sessions where admin_id = ${adminId}`);
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

/** Every administrator, and what they are signed in with. */
export async function deleteAllAdmins(db: Db): Promise<void> {
  await db.run(sql`delete from admin_sessions`);
  await db.run(sql`delete from admins`);
}
