import { parseInstant } from '@pharos/query';
import { secretHash } from '../../../access/access.ts';
import { type Actor, recordChange } from '../../../access/audit.ts';
import { readNetworks } from '../../../access/keys/networks.ts';
import { readScopes } from '../../../access/keys/scopes.ts';
import { secretKeyPrefix } from '../../../access/keys/secret-key.ts';
import { fail, invalid } from '../../../base/errors.ts';
import { newObjectId, randomText } from '../../../base/id.ts';
import { restorableMs } from '../../../base/restorable.ts';
import type { Context } from '../../context.ts';
import * as store from './secret-key-store.ts';
import { lockApp } from './store.ts';

export interface NewSecretKey {
  readonly name: string;
  /** What it may do, as `StoredScope`. */
  readonly scopes: unknown;
  /** ISO 8601; without it the key stays until it is revoked. */
  readonly expiresAt?: string | undefined;
  /** From where it may be used, such as 192.0.2.0/24; from everywhere without them. */
  readonly networks?: readonly string[] | undefined;
}

export type SecretKeyView = ReturnType<typeof viewOf>;

/** All of an app's keys are kept in memory while it is used. */
const maxLiveKeys = 100;

const isoOrNull = (at: number | null) => (at === null ? null : new Date(at).toISOString());

export type SecretKeyDeps = Pick<Context, 'db' | 'cacheVersion' | 'now'>;

export class SecretKeyService {
  readonly #deps: SecretKeyDeps;

  constructor(deps: SecretKeyDeps) {
    this.#deps = deps;
  }

  /** Those that are not revoked, newest first; expired ones too. */
  async list(appId: string): Promise<readonly SecretKeyView[]> {
    return (await store.listSecretKeys(this.#deps.db, appId)).map(viewOf);
  }

  /** @throws Failure ValidationError, ObjectNotFound for an unknown app */
  /** The key itself is known only here; afterwards only its hash. */
  async create(appId: string, asked: NewSecretKey, by: Actor) {
    const { cacheVersion, now } = this.#deps;
    const name = readName(asked.name);
    const scopes = readScopes(asked.scopes);
    const networks = readNetworks(asked.networks ?? []);
    const createdAt = now();
    const expiresAt = readExpiry(asked.expiresAt, createdAt);
    const secretKey = secretKeyPrefix + randomText(43);
    const row = {
      app_id: appId,
      key_id: newObjectId(createdAt),
      name,
      key_hash: secretHash(secretKey),
      hint: secretKey.slice(-4),
      scopes: JSON.stringify(scopes),
      networks: JSON.stringify(networks),
      made_by: by.name,
      created_at: createdAt,
      expires_at: expiresAt,
    };
    await cacheVersion.change(appId, async (db) => {
      if (!(await lockApp(db, appId))) throw fail('ObjectNotFound', `There is no app ${appId}.`);
      const live = await store.listSecretKeys(db, appId);
      if (live.length >= maxLiveKeys)
        throw invalid('name', `cannot be given: the app has ${maxLiveKeys} secret keys already. Revoke one first`);
      if (live.some((key) => key.name === name)) throw invalid('name', 'is that of another secret key of the app');
      await store.insertSecretKey(db, row);
      const after = { name, scopes, networks, expiresAt: isoOrNull(expiresAt) };
      await recordChange(db, { by, action: 'secretKey.create', subject: row.key_id, appId, after, now: createdAt });
    });
    const key = viewOf({ ...row, last_used_at: null, last_used_from: null, revoked_at: null });
    return { appId, secretKey, key };
  }

  /** Refuses a key from now on. @throws Failure ObjectNotFound */
  async revoke(appId: string, keyId: string, by: Actor): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    await cacheVersion.change(appId, async (db) => {
      const name = await store.revokeSecretKey(db, { appId, keyId, now: now() });
      if (name === undefined) throw fail('ObjectNotFound', `The app ${appId} has no secret key ${keyId}.`);
      await recordChange(db, { by, action: 'secretKey.revoke', subject: keyId, appId, before: { name }, now: now() });
    });
  }

  /**
   * Makes a key valid again that was revoked within the last hour.
   *
   * @throws Failure ObjectNotFound, OperationForbidden if its name or its place was taken since
   */
  async restore(appId: string, keyId: string, by: Actor): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    await cacheVersion.change(appId, async (db) => {
      if (!(await lockApp(db, appId))) throw fail('ObjectNotFound', `There is no app ${appId}.`);
      const live = await store.listSecretKeys(db, appId);
      const name = await store.restoreSecretKey(db, { appId, keyId, since: now() - restorableMs });
      if (name === undefined)
        throw fail(
          'ObjectNotFound',
          `The app ${appId} has no secret key ${keyId} that was revoked within the last hour.`,
        );
      if (live.length >= maxLiveKeys || live.some((key) => key.name === name))
        throw fail('OperationForbidden', `Its name or its place was taken since by another secret key.`);
      await recordChange(db, { by, action: 'secretKey.restore', subject: keyId, appId, after: { name }, now: now() });
    });
  }
}

function viewOf(row: store.SecretKeyRow) {
  return {
    keyId: row.key_id,
    name: row.name,
    hint: row.hint,
    scopes: store.readStoredScopes(row),
    networks: store.readStoredNetworks(row),
    expiresAt: isoOrNull(row.expires_at),
    lastUsedAt: isoOrNull(row.last_used_at),
    lastUsedFrom: row.last_used_from,
    createdBy: row.made_by,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

function readName(name: string): string {
  const tidy = typeof name === 'string' ? name.trim() : '';
  // It is written into log lines.
  if (tidy.length >= 1 && tidy.length <= 100 && !/\p{Cc}/u.test(tidy)) return tidy;
  throw invalid('name', 'must have 1 to 100 characters, without control characters');
}

function readExpiry(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const at = parseInstant(text);
  if (at === undefined) throw invalid('expiresAt', 'must be an ISO 8601 date such as 2027-01-31T00:00:00.000Z');
  if (at <= now) throw invalid('expiresAt', 'must be in the future');
  return at;
}
