import { type Actor, recordChange } from '../../../access/audit.ts';
import type { Db } from '../../../db/db.ts';
import type { AdminRow } from '../accounts/store.ts';
import * as store from './store.ts';

type Standing = Pick<AdminRow, 'role' | 'disabled_at'>;

const isOwner = ({ role, disabled_at }: Standing) => role === 'owner' && disabled_at === null;

/**
 * In the transaction that changes an administrator: who stops being an owner comes back by no link. Where no mail is sent, links are handed
 * over, and a former owner may have kept one, for an invitation or for somebody else's new password. Nobody knows which: all end, and
 * what others have invited can be sent again.
 */
export async function voidLinksOf(
  db: Db,
  { email, before, after }: { readonly email: string; readonly before: Standing; readonly after: Standing },
  { by, now }: { readonly by: Actor; readonly now: number },
): Promise<void> {
  if (!isOwner(before) || isOwner(after)) return;
  await store.deleteAllLinks(db);
  for (const invitation of await store.listInvitations(db)) {
    if (invitation.invited_by !== email) continue;
    await store.deleteInvitation(db, invitation.invitation_id);
    await recordChange(db, { by, action: 'administrator.uninvite', subject: invitation.email, now });
  }
}
