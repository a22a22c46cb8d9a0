import { recordChange } from '../../../../access/audit.ts';
import { storedReach } from '../../../../access/reach.ts';
import { newObjectId } from '../../../../base/id.ts';
import type { Db } from '../../../../db/db.ts';
import type { AfterAdminChange } from '../accounts/after-change.ts';
import * as accounts from '../accounts/store.ts';
import { deleteInvitation, findInvitationOf } from '../links/store.ts';
import type { SsoPerson } from './person.ts';
import * as store from './store.ts';

/** Why a person whom the provider vouches for is not let in. */
export type SsoRefusal = 'role' | 'address' | 'taken' | 'off';

export type SsoAdmission =
  | { readonly row: accounts.AdminRow }
  | { readonly refusal: SsoRefusal; readonly email?: string };

interface Admitting {
  readonly provider: store.ProviderRow;
  readonly address: string;
  readonly now: number;
  readonly afterChange: AfterAdminChange;
}

/**
 * Finds or makes the administrator of a person. In a transaction, which has to be committed after a refusal too: who has
 * left the groups loses the other sessions as well.
 *
 * @throws UniqueViolation when the same person signs in for the first time twice at once
 */
export async function admit(db: Db, person: SsoPerson, how: Admitting): Promise<SsoAdmission> {
  // Before the administrator, as wherever an owner may be demoted.
  const owners = await accounts.lockOwners(db);
  const identity = await store.findIdentity(db, person.issuer, person.subject);
  const row = identity && (await accounts.lockAdmin(db, identity.admin_id));
  if (!identity || !row) return welcome(db, person, how);
  if (row.disabled_at !== null) return { refusal: 'off', email: row.email };
  const isLastOwner = owners.length === 1 && owners[0]?.admin_id === row.admin_id;
  // The last owner stays: without one nobody could put right what the groups say.
  const next = isLastOwner ? row : standingOf(row, person, how.provider);
  if (next === undefined) {
    await store.deleteSingleSignOnSessions(db, row.admin_id);
    return { refusal: 'role', email: row.email };
  }
  await store.noteIdentityUse(db, identity, how.now);
  return { row: await changeStanding(db, row, next, how) };
}

type Standing = Pick<accounts.AdminRow, 'role' | 'apps' | 'apps_by_groups'>;

/** The role and apps that the groups give; undefined: none. */
function standingOf(row: Standing, { role, apps }: SsoPerson, provider: store.ProviderRow): Standing | undefined {
  if (role === null) return undefined;
  if (role === undefined) return row;
  if (apps) return { role, apps: JSON.stringify(apps), apps_by_groups: 1 };
  // Somebody who has a role by `roles` again gets the apps of people who join; otherwise an owner's grants stay.
  return row.apps_by_groups > 0
    ? { role, apps: provider.join_apps, apps_by_groups: 0 }
    : { role, apps: row.apps, apps_by_groups: 0 };
}

async function changeStanding(
  db: Db,
  row: accounts.AdminRow,
  { role, apps, apps_by_groups }: Standing,
  { provider, address, now, afterChange }: Admitting,
): Promise<accounts.AdminRow> {
  const isSame = role === row.role && apps === row.apps && apps_by_groups === row.apps_by_groups;
  if (isSame) return row;
  const next = { ...row, role, apps, apps_by_groups, updated_at: Math.max(now, row.updated_at) };
  await accounts.writeAdmin(db, next);
  const by = { name: 'service', address };
  await afterChange(db, { email: row.email, before: row, after: next }, { by, now });
  await recordChange(db, {
    by,
    action: 'administrator.change',
    subject: row.email,
    before: { role: row.role, apps: storedReach(row) },
    after: { role, apps: storedReach(next), groupsOf: provider.name },
    now,
  });
  return next;
}

/**
 * Somebody comes for the first time. An account that is there already is not taken over: whoever has it signs in as
 * before and connects the two.
 */
async function welcome(db: Db, person: SsoPerson, { provider, address, now }: Admitting): Promise<SsoAdmission> {
  const { email, issuer, subject } = person;
  if (email === undefined) return { refusal: 'address' };
  const emailKey = accounts.adminEmailKey(email);
  if (await accounts.findAdminByEmail(db, emailKey)) return { refusal: 'taken', email };
  const invitation = await findInvitationOf(db, emailKey, now);
  const role = person.role === undefined ? (invitation?.role ?? provider.default_role) : person.role;
  if (role === null) return { refusal: 'role', email };
  const joining = {
    admin_id: invitation?.admin_id ?? newObjectId(now),
    email,
    name: person.name ?? email,
    password_hash: null,
    role,
    // Invited people have the apps of the invitation, unless their groups decide.
    apps: person.apps ? JSON.stringify(person.apps) : invitation ? invitation.apps : provider.join_apps,
    apps_by_groups: person.apps ? 1 : 0,
  };
  const row = accounts.newAdminRow(joining, now);
  if (invitation) await deleteInvitation(db, invitation.invitation_id);
  await accounts.insertAdmin(db, row);
  await store.insertIdentity(db, { issuer, subject, admin_id: row.admin_id, created_at: now, last_used_at: now });
  await recordChange(db, {
    by: { name: email, address },
    action: 'single-sign-on.join',
    subject: email,
    after: {
      role,
      through: provider.name,
      ...(invitation ? { invitedBy: invitation.invited_by } : {}),
      apps: storedReach(row),
    },
    now,
  });
  return { row };
}
