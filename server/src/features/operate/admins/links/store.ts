import type { AdminRole } from '../../../../access/roles.ts';
import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../../db/table.ts';
import { adminInvitations, adminLinks } from '../accounts/tables.ts';

export type InvitationRow = RowOf<typeof adminInvitations> & { readonly role: AdminRole };

export const linkKinds = ['invitation', 'reset'] as const;
export type LinkKind = (typeof linkKinds)[number];

export type LinkRow = RowOf<typeof adminLinks> & { readonly kind: LinkKind };

const adminInvitationRows = rowsOf<typeof adminInvitations, InvitationRow>(adminInvitations);
export const listInvitations = adminInvitationRows.list([], ['invitation_id']);
export const findInvitation = adminInvitationRows.find('invitation_id');

/** The invitation of an address that has not expired. */
export function findInvitationOf(db: Db, emailKey: string, now: number): Promise<InvitationRow | undefined> {
  return db.one(sql`select * from admin_invitations where email_key = ${emailKey} and expires_at > ${now}`);
}

/** @throws UniqueViolation when the address is invited already */
export const insertInvitation = adminInvitationRows.insert;

export async function extendInvitation(db: Db, invitationId: string, expiresAt: number): Promise<void> {
  await db.run(sql`update admin_invitations set expires_at = ${expiresAt} where invitation_id = ${invitationId}`);
}

/** Deletes an invitation with its links. False if there is none. */
export async function deleteInvitation(db: Db, invitationId: string): Promise<boolean> {
  await deleteLinksOf(db, invitationId);
  return (await db.run(sql`delete from admin_invitations where invitation_id = ${invitationId}`)) > 0;
}

const adminLinkRows = rowsOf<typeof adminLinks, LinkRow>(adminLinks);
export const insertLink = adminLinkRows.insert;

export function findLink(db: Db, tokenHash: string, now: number): Promise<LinkRow | undefined> {
  return db.one(sql`select * from admin_links where token_hash = ${tokenHash} and expires_at > ${now}`);
}

/** Uses up a link. False if it was used or has expired. */
export async function takeLink(db: Db, tokenHash: string, now: number): Promise<boolean> {
  return (await db.run(sql`delete from admin_links where token_hash = ${tokenHash} and expires_at > ${now}`)) > 0;
}

export const deleteLinksOf = adminLinkRows.remove('subject');

export async function deleteAllLinks(db: Db): Promise<void> {
  await db.run(sql`delete from admin_links`);
}

export async function deleteExpiredLinks(db: Db, now: number): Promise<void> {
  await db.run(sql`delete from admin_links where expires_at <= ${now}`);
}
