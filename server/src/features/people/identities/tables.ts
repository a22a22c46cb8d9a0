import { bigint, defineTable, nullable, text } from '../../../db/table.ts';
import type { Tag } from '../../../http/endpoint.ts';

export const identitiesTag: Tag = {
  name: 'Identities',
  description: 'Signing in through Google, Apple or another provider of OpenID Connect.',
  place: 52,
};

export const identityProviders = defineTable({
  name: 'identity_providers',
  owner: 'identities',
  columns: {
    app_id: text,
    object_id: text,
    name: text,
    kind: text,
    issuer: text,
    jwks_uri: nullable(text),
    audiences: text,
    roles: nullable(text),
    is_enabled: bigint,
    accepts_tokens: bigint,
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: {
    identity_providers_name: { on: ['app_id', 'name'], isUnique: true },
    identity_providers_issuer: { on: ['app_id', 'issuer'], isUnique: true },
  },
});

/** Who a user is at an issuer. */
export const identities = defineTable({
  name: 'identities',
  owner: 'identities',
  columns: {
    app_id: text,
    object_id: text,
    user_id: text,
    issuer: text,
    subject: text,
    email: nullable(text),
    created_at: bigint,
    last_used_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: {
    identities_subject: { on: ['app_id', 'issuer', 'subject'], isUnique: true },
    identities_user: { on: ['app_id', 'user_id'] },
  },
  childOf: ['users'],
  users: ['user_id'],
});

/** Who was erased and may still have tokens; a hash of issuer and subject, for a while. */
export const erasedIdentities = defineTable({
  name: 'erased_identities',
  owner: 'identities',
  columns: { app_id: text, person_hash: text, erased_at: bigint },
  key: ['app_id', 'person_hash'],
  indexes: { erased_identities_time: { on: ['erased_at'] } },
});

export const usedIdTokens = defineTable({
  name: 'used_id_tokens',
  owner: 'identities',
  columns: { app_id: text, token_hash: text, expires_at: bigint },
  key: ['app_id', 'token_hash'],
  indexes: { used_id_tokens_expiry: { on: ['expires_at'] } },
});
