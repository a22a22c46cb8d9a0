import { bigint, defineTable, nullable, text } from '../../../db/table.ts';
import type { Tag } from '../../../http/endpoint.ts';

export const factorsTag: Tag = {
  name: 'Second factors and passkeys',
  description:
    'Authenticator apps, recovery codes and passkeys of the people who use the app, where the app has switched them on.',
  place: 58,
};

export const userTotp = defineTable({
  name: 'user_totp',
  owner: 'second-factors',
  columns: {
    app_id: text,
    user_id: text,
    /** Sealed, like `pending`, which becomes the secret once a code proves that the app has it. */
    secret: nullable(text),
    pending: nullable(text),
    /** No code of this step of time or an earlier one is accepted. */
    last_step: bigint,
    enabled_at: nullable(bigint),
    /** A hash of the network from which a code was last right, with the account in it. */
    known_network: nullable(text),
  },
  key: ['app_id', 'user_id'],
  childOf: ['users'],
  users: ['user_id'],
  secrets: ['secret', 'pending', 'known_network'],
});

export const userRecoveryCodes = defineTable({
  name: 'user_recovery_codes',
  owner: 'second-factors',
  columns: { app_id: text, user_id: text, code_hash: text },
  key: ['app_id', 'user_id', 'code_hash'],
  childOf: ['users'],
  users: ['user_id'],
  secrets: ['code_hash'],
});

export const userPasskeys = defineTable({
  name: 'user_passkeys',
  owner: 'second-factors',
  columns: {
    app_id: text,
    passkey_id: text,
    user_id: text,
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
  key: ['app_id', 'passkey_id'],
  indexes: {
    user_passkeys_credential: { on: ['app_id', 'credential_id'], isUnique: true },
    user_passkeys_user: { on: ['app_id', 'user_id'] },
  },
  childOf: ['users'],
  users: ['user_id'],
});

/** What a passkey has been asked to sign; each is taken once. */
export const userChallenges = defineTable({
  name: 'user_challenges',
  owner: 'second-factors',
  columns: { app_id: text, challenge: text, purpose: text, expires_at: bigint },
  key: ['app_id', 'challenge'],
  indexes: { user_challenges_expiry: { on: ['expires_at'] } },
});
