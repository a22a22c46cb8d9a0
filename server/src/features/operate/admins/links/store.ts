import type { AdminRole } from '../../../../access/roles.ts';
import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import type { adminInvitations } from '../accounts/tables.ts';

export type InvitationRow = RowOf<typeof adminInvitations> & { readonly role: AdminRole };

export const linkKinds = ['invitation', 'reset'] as const;
export type LinkKind = (typeof linkKinds)[number];

export interface LinkRow {
  readonly token_hash: string;
  readonly kind: LinkKind;
  readonly subject: string;
  readonly expires_at: number;
}

export function listInvitations(db: Db): Promise<InvitationRow[]> {
  return db.all(sql`select * from admin_invitations order by invitation_id`);
}

export function findInvitation(db: Db, invitationId: string): Promise<InvitationRow | undefined> {
  return db.one(sql`select * from admin_invitations where invitation_id = ${invitationId}`);
}

/** The invitation of an address that has not expired. */
export function findInvitationOf(db: Db, emailKey: string, now: number): Promise<InvitationRow | undefined> {
  return db.one(sql`select * from admin_invitations where email_key = ${emailKey} and expires_at > ${now}`);
}

/** @throws UniqueViolation when the address is invited already */
export async function insertInvitation(db: Db, row: InvitationRow): Promise<void> {
  await db.run(sql`insert into admin_invitations (invitation_id, admin_id, email, email_key, role, apps, invited_by,
      created_at, expires_at)
    values (${row.invitation_id}, ${row.admin_id}, ${row.email}, ${row.email_key}, ${row.role}, ${row.apps}, ${row.invited_by},
      ${row.created_at}, ${row.expires_at})`);
}

export async function extendInvitation(db: Db, invitationId: string, expiresAt: number): Promise<void> {
  await db.run(sql`update admin_invitations set expires_at = ${expiresAt} where invitation_id = ${invitationId}`);
}

/** Deletes an invitation with its links. False if there is none. */
export async function deleteInvitation(db: Db, invitationId: string): Promise<boolean> {
  await deleteLinksOf(db, invitationId);
  return (await db.run(sql`delete from admin_invitations where invitation_id = ${invitationId}`)) > 0;
}

export async function insertLink(db: Db, link: LinkRow): Promise<void> {
  await db.run(sql`insert into admin_links (token_hash, kind, subject, expires_at)
    values (${link.token_hash}, ${link.kind}, ${link.subject}, ${link.expires_at})`);
}

export function findLink(db: Db, tokenHash: string, now: number): Promise<LinkRow | undefined> {
  return db.one(sql`select * from admin_links where token_hash = ${tokenHash} and expires_at > ${now}`);
}

/** Uses up a link. False if it was used or has expired. */
export async function takeLink(db: Db, tokenHash: string, now: number): Promise<boolean> {
  return (await db.run(sql`delete from admin_links where token_hash = ${tokenHash} and expires_at > ${now}`)) > 0;
}

export async function deleteLinksOf(db: Db, subject: string): Promise<void> {
  await db.run(sql`delete from admin_links where subject = ${subject}`);
}

export async function deleteAllLinks(db: Db): Promise<void> {
  await db.run(sql`delete from admin_links`);
}

export async function deleteExpiredLinks(db: Db, now: number): Promise<void> {
  await db.run(sql`delete from admin_links where expires_at <= ${now}`);
}
