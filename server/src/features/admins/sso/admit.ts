import { recordChange } from '../../../access/audit.ts';
import type { AdminRole } from '../../../access/roles.ts';
import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import * as accounts from '../accounts/store.ts';
import { deleteInvitation, findInvitationOf } from '../links/store.ts';
import type { Person } from './person.ts';
import * as store from './store.ts';

/** Why a person whom the provider vouches for is not let in. */
export type Refusal = 'role' | 'address' | 'taken' | 'off';

export type Admission = { readonly row: accounts.AdminRow } | { readonly refusal: Refusal; readonly email?: string };

interface Admitting {
  readonly provider: store.ProviderRow;
  readonly address: string;
  readonly now: number;
}

/**
 * Finds or makes the administrator of a person. In a transaction, which has to be committed after a refusal too: who has
 * left the groups loses the other sessions as well.
 *
 * @throws UniqueViolation when the same person signs in for the first time twice at once
 */
export async function admit(db: Db, person: Person, how: Admitting): Promise<Admission> {
  // Before the administrator, as wherever an owner may be demoted.
  const owners = await accounts.lockOwners(db);
  const identity = await store.findIdentity(db, person.issuer, person.subject);
  const row = identity && (await accounts.lockAdmin(db, identity.admin_id));
  if (!identity || !row) return welcome(db, person, how);
  if (row.disabled_at !== null) return { refusal: 'off', email: row.email };
  const isLastOwner = owners.length === 1 && owners[0]?.admin_id === row.admin_id;
  // The last owner stays: without one nobody could put right what the groups say.
  const role = isLastOwner || person.role === undefined ? row.role : person.role;
  if (role === null) {
    await store.deleteSingleSignOnSessions(db, row.admin_id);
    return { refusal: 'role', email: row.email };
  }
  await store.noteIdentityUse(db, identity, how.now);
  return { row: role === row.role ? row : await changeRole(db, row, role, how) };
}

async function changeRole(
  db: Db,
  row: accounts.AdminRow,
  role: AdminRole,
  { provider, address, now }: Admitting,
): Promise<accounts.AdminRow> {
  const next = { ...row, role, updated_at: Math.max(now, row.updated_at) };
  await accounts.updateAdmin(db, next);
  await recordChange(db, {
    by: { name: 'service', address },
    action: 'administrator.change',
    subject: row.email,
    before: { role: row.role },
    after: { role, groupsOf: provider.name },
    now,
  });
  return next;
}

/**
 * Somebody comes for the first time. An account that is there already is not taken over: whoever has it signs in as
 * before and connects the two.
 */
async function welcome(db: Db, person: Person, { provider, address, now }: Admitting): Promise<Admission> {
  const { email, issuer, subject } = person;
  if (email === undefined) return { refusal: 'address' };
  const emailKey = accounts.adminEmailKey(email);
  if (await accounts.findAdminByEmail(db, emailKey)) return { refusal: 'taken', email };
  const invitation = await findInvitationOf(db, emailKey, now);
  const role = person.role === undefined ? (invitation?.role ?? provider.default_role) : person.role;
  if (role === null) return { refusal: 'role', email };
  const row: accounts.AdminRow = {
    admin_id: invitation?.admin_id ?? newObjectId(now),
    email,
    email_key: emailKey,
    name: person.name ?? email,
    password_hash: null,
    role,
    apps: invitation?.apps ?? null,
    disabled_at: null,
    local_until: null,
    created_at: now,
    updated_at: now,
    has_factor: 0,
  };
  if (invitation) await deleteInvitation(db, invitation.invitation_id);
  await accounts.insertAdmin(db, row);
  await store.insertIdentity(db, { issuer, subject, admin_id: row.admin_id, created_at: now, last_used_at: now });
  await recordChange(db, {
    by: { name: email, address },
    action: 'single-sign-on.join',
    subject: email,
    after: { role, through: provider.name, ...(invitation ? { invitedBy: invitation.invited_by } : {}) },
    now,
  });
  return { row };
}
