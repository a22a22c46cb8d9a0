import { compileNetworks } from '../../../access/keys/networks.ts';
import { Scopes, type StoredScope } from '../../../access/keys/scopes.ts';
import type { SecretKey } from '../../../access/keys/secret-key.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import type { secretKeys } from './tables.ts';

export type SecretKeyRow = RowOf<typeof secretKeys>;

/** Those that are not revoked, newest first; expired ones too. */
export function listSecretKeys(db: Db, appId: string): Promise<SecretKeyRow[]> {
  return db.all<SecretKeyRow>(
    sql`select * from secret_keys where app_id = ${appId} and revoked_at is null order by created_at desc, key_id desc`,
  );
}

/** Of these ids, those of keys that are not revoked. */
export async function knownSecretKeys(db: Db, appId: string, keyIds: readonly string[]): Promise<ReadonlySet<string>> {
  const wanted = new Set(keyIds);
  const rows = await db.all<Pick<SecretKeyRow, 'key_id'>>(
    sql`select key_id from secret_keys where app_id = ${appId} and revoked_at is null`,
  );
  return new Set(rows.flatMap(({ key_id }) => (wanted.has(key_id) ? [key_id] : [])));
}

export const readStoredScopes = ({ scopes }: Pick<SecretKeyRow, 'scopes'>) => JSON.parse(scopes) as StoredScope[];
export const readStoredNetworks = ({ networks }: Pick<SecretKeyRow, 'networks'>) => JSON.parse(networks) as string[];

/** A row as the guard asks it. */
export function secretKeyOf(row: SecretKeyRow): SecretKey {
  return {
    keyId: row.key_id,
    keyHash: row.key_hash,
    name: row.name,
    scopes: new Scopes(readStoredScopes(row)),
    networks: compileNetworks(readStoredNetworks(row)),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    madeBy: row.made_by,
  };
}

export async function insertSecretKey(
  db: Db,
  key: Omit<SecretKeyRow, 'last_used_at' | 'last_used_from' | 'revoked_at'>,
): Promise<void> {
  await db.run(sql`insert into secret_keys
      (app_id, key_id, name, key_hash, hint, scopes, networks, made_by, created_at, expires_at)
    values (${key.app_id}, ${key.key_id}, ${key.name}, ${key.key_hash}, ${key.hint}, ${key.scopes}, ${key.networks},
      ${key.made_by}, ${key.created_at}, ${key.expires_at})`);
}

/** The name of the key, undefined if there is no such key that is not revoked. */
export async function revokeSecretKey(
  db: Db,
  { appId, keyId, now }: { readonly appId: string; readonly keyId: string; readonly now: number },
): Promise<string | undefined> {
  const row = await db.one<{ name: string }>(
    sql`select name from secret_keys where app_id = ${appId} and key_id = ${keyId} and revoked_at is null`,
  );
  if (!row) return undefined;
  await db.run(sql`update secret_keys set revoked_at = ${now} where app_id = ${appId} and key_id = ${keyId}`);
  return row.name;
}

/** Makes a key valid again that was revoked after `since`. Answers its name, undefined if there is none. */
export async function restoreSecretKey(
  db: Db,
  { appId, keyId, since }: { readonly appId: string; readonly keyId: string; readonly since: number },
): Promise<string | undefined> {
  const row = await db.one<{ name: string }>(
    sql`select name from secret_keys where app_id = ${appId} and key_id = ${keyId} and revoked_at > ${since}`,
  );
  if (row) await db.run(sql`update secret_keys set revoked_at = null where app_id = ${appId} and key_id = ${keyId}`);
  return row?.name;
}

export async function noteSecretKeyUse(
  db: Db,
  appId: string,
  keyId: string,
  { now, address }: { readonly now: number; readonly address: string },
): Promise<void> {
  await db.run(
    sql`update secret_keys set last_used_at = ${now}, last_used_from = ${address} where app_id = ${appId} and key_id = ${keyId}`,
  );
}
