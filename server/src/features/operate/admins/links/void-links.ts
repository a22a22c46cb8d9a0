import { recordChange } from '../../../../access/audit.ts';
import type { AfterAdminChange, Standing } from '../accounts/after-change.ts';
import * as store from './store.ts';

const isOwner = ({ role, disabled_at }: Pick<Standing, 'role' | 'disabled_at'>) =>
  role === 'owner' && disabled_at === null;

/**
 * In the transaction in which an administrator stops being an owner: ends all links and the invitations of this owner, who may have kept
 * a link that was handed over. Invitations of others can be sent again.
 */
export const voidLinksOf: AfterAdminChange = async (db, { email, before, after }, { by, now }) => {
  if (!isOwner(before) || isOwner(after)) return;
  await store.deleteAllLinks(db);
  for (const invitation of await store.listInvitations(db)) {
    if (invitation.invited_by !== email) continue;
    await store.deleteInvitation(db, invitation.invitation_id);
    await recordChange(db, { by, action: 'administrator.uninvite', subject: invitation.email, now });
  }
};
