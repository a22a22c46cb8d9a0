import { bigint, defineTable, nullable, text, withDefault } from '../../../../db/table.ts';

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

export const adminTotp = defineTable({
  name: 'admin_totp',
  owner: 'admins',
  columns: {
    admin_id: text,
    /** Sealed, like `pending`, which becomes the secret once a code proves that the app has it. */
    secret: nullable(text),
    pending: nullable(text),
    /** No code of this step of time or an earlier one is accepted. */
    last_step: bigint,
    enabled_at: nullable(bigint),
    /** A hash of the network from which a code was last right. */
    known_network: nullable(text),
  },
  key: ['admin_id'],
});

export const adminRecoveryCodes = defineTable({
  name: 'admin_recovery_codes',
  owner: 'admins',
  columns: { admin_id: text, code_hash: text },
  key: ['admin_id', 'code_hash'],
});

export const adminPasskeys = defineTable({
  name: 'admin_passkeys',
  owner: 'admins',
  columns: {
    passkey_id: text,
    admin_id: text,
    name: text,
    /** As the authenticator calls it, base64url. */
    credential_id: text,
    /** COSE, base64url. */
    public_key: text,
    counter: bigint,
    /** How the browser reaches it (`usb`, `internal` …), a JSON list. */
    transports: text,
    rp_id: text,
    /** Whether a password manager may copy it to other devices. */
    is_synced: bigint,
    created_at: bigint,
    last_used_at: nullable(bigint),
  },
  key: ['passkey_id'],
  indexes: {
    admin_passkeys_credential: { on: ['credential_id'], isUnique: true },
    admin_passkeys_admin: { on: ['admin_id'] },
  },
});

/** What a passkey has been asked to sign; each is taken once. */
export const adminChallenges = defineTable({
  name: 'admin_challenges',
  owner: 'admins',
  columns: { challenge: text, purpose: text, expires_at: bigint },
  key: ['challenge'],
  indexes: { admin_challenges_expiry: { on: ['expires_at'] } },
});

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
