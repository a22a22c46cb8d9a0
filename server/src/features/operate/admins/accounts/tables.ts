import { bigint, defineTable, nullable, text, withDefault } from '../../../../db/table.ts';
import { factorTables } from '../../../../sign-in/factors/factor-tables.ts';

export const admins = defineTable({
  name: 'admins',
  owner: 'admins',
  columns: {
    admin_id: text,
    email: text,
    email_key: text,
    name: text,
    /** Null for whoever signs in with a passkey only. */
    password_hash: nullable(text),
    role: text,
    /** JSON: where the role holds; null: everywhere. */
    apps: nullable(text),
    /** 1: `apps` follows the groups of single sign-on. */
    apps_by_groups: withDefault(bigint),
    disabled_at: nullable(bigint),
    /** Until when an owner may sign in with a password although only single sign-on is allowed. */
    local_until: nullable(bigint),
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['admin_id'],
  indexes: { admins_email: { on: ['email_key'], isUnique: true } },
});

/**
 * In which the console was last opened; mails come in it. Not a column of `admins`, of which nodes of the version before read all columns
 * with prepared statements.
 */
export const adminLanguages = defineTable({
  name: 'admin_languages',
  owner: 'admins',
  columns: { admin_id: text, language: text },
  key: ['admin_id'],
});

export const adminSessions = defineTable({
  name: 'admin_sessions',
  owner: 'admins',
  columns: {
    session_hash: text,
    admin_id: text,
    created_at: bigint,
    last_used_at: bigint,
    expires_at: bigint,
    confirmed_at: withDefault(bigint),
    /** How and from where it was begun; null for a session from before this was noted. */
    method: nullable(text),
    address: nullable(text),
    user_agent: nullable(text),
    /** Through whom it was begun; null: with a password or a passkey. */
    provider_id: nullable(text),
    /** 1: the provider vouched for a second factor. */
    factor_proved: withDefault(bigint),
  },
  key: ['session_hash'],
  indexes: {
    admin_sessions_admin: { on: ['admin_id'] },
    admin_sessions_provider: { on: ['provider_id'] },
  },
});

export const adminFactors = factorTables('admin', { owner: 'admins', realm: {}, person: { admin_id: text } });

export const adminInvitations = defineTable({
  name: 'admin_invitations',
  owner: 'admins',
  columns: {
    invitation_id: text,
    /** Of the administrator who will accept it. */
    admin_id: text,
    email: text,
    email_key: text,
    role: text,
    /** As of administrators. */
    apps: nullable(text),
    invited_by: text,
    created_at: bigint,
    expires_at: bigint,
  },
  key: ['invitation_id'],
  indexes: { admin_invitations_email: { on: ['email_key'], isUnique: true } },
});

/** What the one-time links open. */
export const adminLinks = defineTable({
  name: 'admin_links',
  owner: 'admins',
  columns: {
    token_hash: text,
    kind: text,
    /** The invitation, or the administrator who gets a new password. */
    subject: text,
    expires_at: bigint,
  },
  key: ['token_hash'],
  indexes: { admin_links_subject: { on: ['subject'] }, admin_links_expiry: { on: ['expires_at'] } },
});
