import { randomInt } from 'node:crypto';
import { isSecretOf, secretHash } from '../../../../access/access.ts';
import { type Actor, recordChange } from '../../../../access/audit.ts';
import type { Clock } from '../../../../base/clock.ts';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import type { RateLimiter, RateRule } from '../../../../limits/rate-limit.ts';
import { lockInstallation } from '../store.ts';
import * as store from './store.ts';

export const noSuchPhone = () =>
  fail(
    'ObjectNotFound',
    'There is no installation with this objectId and this Installation-Secret. Register the phone with a secret, and send the same one here.',
  );

export interface PairingDeps {
  readonly db: Db;
  readonly now: Clock;
  readonly limiter: RateLimiter;
}

export interface Shower extends store.PairingOwner {
  readonly name: string;
}

export interface PairingClaim {
  readonly appId: string;
  readonly installationId: string;
  /** The header `Installation-Secret`, as it was sent. */
  readonly secret: string | undefined;
  readonly code: string;
  readonly address: string;
}

const codeMs = 5 * 60_000;
/** Without 0, 1, I and O, which look alike. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const codeLength = 8;
/** Somebody who tests on more phones removes the oldest. */
const maxPhones = 5;
/** Of one installation. A code has 40 bits and lives for minutes. */
const tries: RateRule = { perSecond: 1 / 10, burst: 10 };

/**
 * The phones on which administrators test what they write. The console shows a code, and the app on the phone shows that it
 * has seen it, together with the secret of its installation: so each side is proven, and nobody gets somebody else's phone.
 */
export class PairingService {
  readonly #deps: PairingDeps;

  constructor(deps: PairingDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a code, replacing the previous one.
   *
   * @throws Failure OperationForbidden for somebody who has too many phones
   */
  async makeCode(shower: Shower, by: Actor): Promise<{ readonly code: string; readonly expiresAt: number }> {
    const { db, now } = this.#deps;
    const code = Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('');
    const expiresAt = now() + codeMs;
    await db.transaction(async (db) => {
      if ((await store.listPhones(db, shower)).length >= maxPhones)
        throw fail('OperationForbidden', `You test on ${maxPhones} phones already. Remove one of them first.`);
      await store.putCode(db, {
        app_id: shower.appId,
        admin_id: shower.adminId,
        code_hash: secretHash(code),
        asked_by: by.name,
        name: shower.name,
        expires_at: expiresAt,
      });
    });
    return { code, expiresAt };
  }

  /** What an administrator has: the phones, and the code that waits or was used a moment ago. */
  async read(owner: store.PairingOwner) {
    const { db, now } = this.#deps;
    const [phones, code] = [await store.listPhones(db, owner), await store.findCode(db, owner)];
    const isGood = code !== undefined && code.expires_at > now();
    return { phones, code: isGood ? { expiresAt: code.expires_at, claimedBy: code.claimed_by } : null };
  }

  async endCode(owner: store.PairingOwner): Promise<void> {
    await store.deleteCode(this.#deps.db, owner);
  }

  /**
   * Makes the phone one of those of whoever shows the code. The same phone may ask again, since an answer can be lost.
   *
   * @throws Failure ObjectNotFound for an unknown code, and for an installation that there is not or that does not prove
   *   itself, DuplicateValue for a code that another phone has used, APICallLimit
   */
  async claim({ appId, installationId, secret, code, address }: PairingClaim) {
    const { db, now, limiter } = this.#deps;
    limiter.take(`pairing ${appId} ${installationId}`, tries, now());
    return db.transaction(async (db) => {
      const phone = await lockInstallation(db, appId, installationId);
      // The same answer for all of them: with the app's key alone nobody learns which installations exist.
      if (!phone) throw noSuchPhone();
      // Nobody else may speak for it here, not even its user: the phone itself says that it is the one in the hand.
      if (phone.secret_hash === null || secret === undefined || !isSecretOf(phone.secret_hash, secret))
        throw noSuchPhone();
      const shown = await store.lockCode(db, appId, secretHash(code));
      if (!shown || shown.expires_at <= now())
        throw fail('ObjectNotFound', 'This code is wrong, or older than five minutes. Show a new one in the console.');
      const answer = { pairedWith: shown.name, pairedAt: now() };
      if (shown.claimed_by === installationId) return answer;
      if (shown.claimed_by !== null)
        throw fail('DuplicateValue', 'Another phone has used this code. Show a new one in the console.');
      await store.noteClaim(db, shown, installationId);
      await store.putPhone(db, { appId, adminId: shown.admin_id }, installationId, now());
      const by = { name: shown.asked_by, address };
      await recordChange(db, { by, action: 'ownPhone.pair', subject: installationId, appId, now: now() });
      return answer;
    });
  }

  /** @throws Failure ObjectNotFound for a phone that is none of theirs */
  async assertOwn(owner: store.PairingOwner, installationId: string): Promise<void> {
    const phones = await store.listPhones(this.#deps.db, owner);
    if (!phones.some((phone) => phone.object_id === installationId)) throw notTheirs();
  }

  /** @throws Failure ObjectNotFound for a phone that is none of theirs */
  async unpair(owner: store.PairingOwner, installationId: string, by: Actor): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      if ((await store.deletePhone(db, owner, installationId)) === 0) throw notTheirs();
      const { appId } = owner;
      await recordChange(db, { by, action: 'ownPhone.unpair', subject: installationId, appId, now: now() });
    });
  }
}

const notTheirs = () => fail('ObjectNotFound', 'You do not test on this phone.');
