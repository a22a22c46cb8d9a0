import { secretHash } from '../../../access/access.ts';
import { type Actor, recordChange, service } from '../../../access/audit.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId, randomText } from '../../../base/id.ts';
import { restorableMs } from '../../../base/restorable.ts';
import type { Db } from '../../../db/db.ts';
import type { Context } from '../../context.ts';
import * as store from './store.ts';

/** What is shown once, when a key is made; afterwards only its hash is known. */
export interface AppCredentials {
  readonly appId: string;
  readonly keyId: string;
  readonly appKey: string;
}

type KeyDeps = Pick<Context, 'cacheVersion' | 'db' | 'now'>;

/** With two, a new key can be rolled out before the old one is switched off. */
const maxLiveKeys = 2;

/** Those of pretend phones end by themselves. */
const isLive = ({ disabled_at, expires_at }: store.KeyRow) => disabled_at === null && expires_at === null;
const trialMs = 3_600_000;
const maxTrialKeys = 20;

export class AppKeys {
  readonly #deps: KeyDeps;

  constructor(deps: KeyDeps) {
    this.#deps = deps;
  }

  async live(appId: string) {
    const keys = (await store.listKeys(this.#deps.db, appId)).filter(isLive);
    return keys.map((key) => ({
      keyId: key.key_id,
      hint: key.hint,
      createdAt: new Date(key.created_at).toISOString(),
      lastUsedAt: key.last_used_at === null ? null : new Date(key.last_used_at).toISOString(),
    }));
  }

  /** A new key, and the row by which it is stored. */
  make(appId: string) {
    const { now } = this.#deps;
    const appKey = randomText(43);
    const keyId = newObjectId(now());
    return {
      credentials: { appId, keyId, appKey },
      row: { app_id: appId, key_id: keyId, key_hash: secretHash(appKey), hint: appKey.slice(-4), created_at: now() },
    };
  }

  /**
   * Adds a key. With two live ones the older is switched off; the answer names it.
   */
  async rotate(
    appId: string,
    by: Actor = service,
  ): Promise<AppCredentials & { readonly disabledKeyIds: readonly string[] }> {
    const { cacheVersion, now } = this.#deps;
    const key = this.make(appId);
    const disabledKeyIds = await cacheVersion.change(appId, async (db) => {
      if (!(await store.lockApp(db, appId))) throw noSuchApp(appId);
      const live = (await store.listKeys(db, appId)).filter(isLive);
      const outgoing = live.slice(maxLiveKeys - 1).map((old) => old.key_id);
      for (const keyId of outgoing) await store.disableKey(db, appId, keyId, now());
      await store.insertKey(db, key.row);
      const after = { keyId: key.row.key_id, disabledKeyIds: outgoing };
      await this.#audit(db, by, 'key.rotate', { appId, after });
      return outgoing;
    });
    return { ...key.credentials, disabledKeyIds };
  }

  /**
   * A key for a pretend phone, which opens what every key of the app does, for an hour. It is in no list and takes nobody's place.
   */
  async makeTrial(appId: string, by: Actor): Promise<{ readonly appKey: string; readonly expiresAt: number }> {
    const { cacheVersion, now } = this.#deps;
    const { credentials, row } = this.make(appId);
    const expiresAt = row.created_at + trialMs;
    await cacheVersion.change(appId, async (db) => {
      if (!(await store.lockApp(db, appId))) throw noSuchApp(appId);
      await store.deleteTrialKeys(db, appId, { now: now(), kept: maxTrialKeys - 1 });
      await store.insertKey(db, { ...row, expires_at: expiresAt });
      await this.#audit(db, by, 'key.trial', { appId, after: { keyId: row.key_id } });
    });
    return { appKey: credentials.appKey, expiresAt };
  }

  async disable(appId: string, keyId: string, by: Actor = service): Promise<void> {
    const { cacheVersion, now } = this.#deps;
    await cacheVersion.change(appId, async (db) => {
      const done = await store.disableKey(db, appId, keyId, now());
      if (!done) throw fail('ObjectNotFound', `The app ${appId} has no live key ${keyId}.`);
      await this.#audit(db, by, 'key.disable', { appId, before: { keyId } });
    });
  }

  /**
   * Switches a key on again that was switched off within the last hour. In the place of `insteadOf`, a live key, which is
   * switched off.
   *
   * @throws Failure ObjectNotFound, OperationForbidden when there would be too many live keys
   */
  async restore(appId: string, keyId: string, how: { readonly insteadOf?: string; readonly by: Actor }) {
    const { cacheVersion, now } = this.#deps;
    const { insteadOf, by } = how;
    await cacheVersion.change(appId, async (db) => {
      if (!(await store.lockApp(db, appId))) throw noSuchApp(appId);
      if (insteadOf !== undefined && !(await store.disableKey(db, appId, insteadOf, now())))
        throw fail('ObjectNotFound', `The app ${appId} has no live key ${insteadOf}.`);
      if (!(await store.enableKey(db, appId, keyId, now() - restorableMs)))
        throw fail(
          'ObjectNotFound',
          `The app ${appId} has no key ${keyId} that was switched off within the last hour.`,
        );
      const live = (await store.listKeys(db, appId)).filter(isLive);
      if (live.length > maxLiveKeys)
        throw fail('OperationForbidden', `The app has ${maxLiveKeys} live keys already. Switch one off first.`);
      await this.#audit(db, by, 'key.restore', {
        appId,
        after: { keyId, disabledKeyIds: insteadOf ? [insteadOf] : [] },
      });
    });
  }

  #audit(db: Db, by: Actor, action: string, what: { appId: string; before?: unknown; after?: unknown }) {
    return recordChange(db, { by, action, subject: what.appId, now: this.#deps.now(), ...what });
  }
}

export function noSuchApp(appId: string) {
  return fail('ObjectNotFound', `There is no app ${appId}.`);
}
