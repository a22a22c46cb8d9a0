import { bigint, type Columns, type DbTable, nullable, text } from '../../db/table.ts';

export const totpColumns = {
  /** Sealed, like `pending`, which becomes the secret once a code proves that the app has it. */
  secret: nullable(text),
  pending: nullable(text),
  /** No code of this step of time or an earlier one is accepted. */
  last_step: bigint,
  /** Epoch milliseconds. */
  enabled_at: nullable(bigint),
  /** A hash of the network from which a code was last right. */
  known_network: nullable(text),
};

export const passkeyColumns = {
  passkey_id: text,
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
};

interface Owners<R extends Columns, O extends Columns> {
  /** The folder that may name the tables in SQL. */
  readonly owner: string;
  /** Columns that say among whose a row is, and whose it is. */
  readonly realm: R;
  readonly person: O;
  /** What holds of all tables with a person. */
  readonly facts?: Partial<Pick<DbTable, 'childOf' | 'users'>>;
}

/** The tables of second factors and passkeys, whose names begin with `kind`. */
export function factorTables<const R extends Columns, const O extends Columns>(
  kind: 'admin' | 'user',
  { owner, realm, person, facts }: Owners<R, O>,
) {
  const among = Object.keys(realm);
  const whose = [...among, ...Object.keys(person)];
  const define = <C extends Columns>(
    name: string,
    columns: C,
    others: Pick<DbTable, 'key'> & Partial<Pick<DbTable, 'indexes' | 'secrets' | 'childOf' | 'users'>>,
  ): DbTable<C> => ({ name: `${kind}_${name}`, owner, columns, ...others });
  const own = { ...realm, ...person };
  return {
    totp: define(
      'totp',
      { ...own, ...totpColumns },
      { key: whose, secrets: ['secret', 'pending', 'known_network'], ...facts },
    ),
    recoveryCodes: define(
      'recovery_codes',
      { ...own, code_hash: text },
      { key: [...whose, 'code_hash'], secrets: ['code_hash'], ...facts },
    ),
    passkeys: define(
      'passkeys',
      { ...own, ...passkeyColumns },
      {
        key: [...among, 'passkey_id'],
        indexes: {
          [`${kind}_passkeys_credential`]: { on: [...among, 'credential_id'], isUnique: true },
          [`${kind}_passkeys_${kind}`]: { on: whose },
        },
        ...facts,
      },
    ),
    /** What a passkey has been asked to sign; each is taken once. */
    challenges: define(
      'challenges',
      { ...realm, challenge: text, purpose: text, expires_at: bigint },
      { key: [...among, 'challenge'], indexes: { [`${kind}_challenges_expiry`]: { on: ['expires_at'] } } },
    ),
  };
}
