import { bigint, defineTable, nullable, text } from '../../../../db/table.ts';

/** The providers of OpenID Connect through which administrators sign in. */
export const ssoProviders = defineTable({
  name: 'sso_providers',
  owner: 'admins',
  columns: {
    provider_id: text,
    name: text,
    issuer: text,
    client_id: text,
    /** Sealed; null: the provider knows this service as a public client. */
    client_secret: nullable(text),
    scopes: text,
    /** Null if the provider has no say in roles. */
    groups_claim: nullable(text),
    /** JSON: for each role the groups that have it. */
    roles: text,
    /** JSON: the groups that have a role in some apps only; null: none have. */
    app_roles: nullable(text),
    /** Of people in none of the groups; null: they are refused. */
    default_role: nullable(text),
    /** JSON: the values of `amr` or `acr` that prove a second factor. */
    factor_values: text,
    /** Its e-mail addresses count as verified although it does not say so. */
    trusts_email: bigint,
    /** JSON: where the role holds of those who join without an invitation; null: everywhere. */
    join_apps: nullable(text),
    is_enabled: bigint,
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['provider_id'],
  indexes: {
    sso_providers_name: { on: ['name'], isUnique: true },
    sso_providers_issuer: { on: ['issuer'], isUnique: true },
  },
});

/** Who an administrator is at an issuer. */
export const adminIdentities = defineTable({
  name: 'admin_identities',
  owner: 'admins',
  columns: { issuer: text, subject: text, admin_id: text, created_at: bigint, last_used_at: bigint },
  key: ['issuer', 'subject'],
  indexes: { admin_identities_admin: { on: ['admin_id'] } },
});

/** Sign-ins sent to a provider and not back yet. */
export const ssoAttempts = defineTable({
  name: 'sso_attempts',
  owner: 'admins',
  columns: {
    state_hash: text,
    /** Of the cookie of the browser that began. */
    browser_hash: text,
    provider_id: text,
    purpose: text,
    /** Of the session that is confirmed or connected. */
    session_hash: nullable(text),
    nonce: text,
    /** Of PKCE. */
    verifier: text,
    redirect_uri: text,
    /** The page of the console to go on to. */
    next: text,
    created_at: bigint,
    expires_at: bigint,
  },
  key: ['state_hash'],
  indexes: { sso_attempts_expiry: { on: ['expires_at'] } },
});
