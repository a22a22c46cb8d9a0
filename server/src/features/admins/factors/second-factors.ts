import { type Actor, recordChange } from '../../../access/audit.ts';
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import type { SecretBox } from '../../../base/secrets.ts';
import type { Database, Db } from '../../../db/db.ts';
import type { AdminContext } from '../../../http/console/console-endpoint.ts';
import type { RateLimiter } from '../../../limits/rate-limit.ts';
import {
  type AdminRow,
  deleteOtherSessions,
  deleteSessionsOf,
  findAdmin,
  isFactorRequired,
  lockAdmin,
} from '../accounts/store.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts';
import * as store from './store.ts';
import { newTotpSecret, readCode, stepOfCode, totpAddress } from './totp.ts';

/**
 * Codes of one account, from wherever they come: a guesser who knows the password may use many addresses, and of a
 * million codes three are right. Ten at once, then twelve an hour.
 */
const guesses = Object.freeze({ perSecond: 1 / 300, burst: 10 });

/** What can be given beside the password. */
export type Proof = 'code' | 'passkey' | 'recoveryCode';

export interface FactorState {
  readonly hasPassword: boolean;
  /** When the authenticator app was set up, epoch milliseconds. */
  readonly totpSince: number | undefined;
  readonly passkeys: readonly store.PasskeyRow[];
  readonly recoveryCodesLeft: number;
  readonly isRequired: boolean;
}

export interface SecondFactorDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly secrets: SecretBox;
  readonly limiter: RateLimiter;
}

const sealedFor = (adminId: string) => `admin ${adminId} totp`;

/** What administrators prove beside their password, or instead of it. */
export class SecondFactors {
  readonly #deps: SecondFactorDeps;

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps;
  }

  async stateOf(adminId: string): Promise<FactorState> {
    const { db } = this.#deps;
    const [admin, totp] = [await findAdmin(db, adminId), await store.findTotp(db, adminId)];
    return {
      hasPassword: typeof admin?.password_hash === 'string',
      totpSince: totp?.enabled_at ?? undefined,
      passkeys: await store.listPasskeys(db, adminId),
      recoveryCodesLeft: await store.countRecoveryCodes(db, adminId),
      isRequired: await isFactorRequired(db),
    };
  }

  /** What the administrator can give beside the password. */
  async proofsOf(adminId: string): Promise<readonly Proof[]> {
    const { totpSince, passkeys, recoveryCodesLeft } = await this.stateOf(adminId);
    return [
      ...(totpSince === undefined ? [] : (['code'] as const)),
      ...(passkeys.length === 0 ? [] : (['passkey'] as const)),
      ...(recoveryCodesLeft === 0 ? [] : (['recoveryCode'] as const)),
    ];
  }

  /** Uses up the code; the same one is not accepted again. @throws Failure UserInvalidLoginParams, APICallLimit */
  async useCode({ admin_id: adminId }: AdminRow, typed: string): Promise<void> {
    const { db, now, limiter } = this.#deps;
    const code = readCode(typed);
    const wait = limiter.tryTake(`factor ${adminId}`, guesses, now());
    if (wait !== undefined)
      throw fail('APICallLimit', {
        message: `Too many codes were tried. Try again in ${wait} s, or use a recovery code or a passkey.`,
        retryAfter: wait,
      });
    const totp = await store.findTotp(db, adminId);
    const step = totp?.secret ? await stepOfCode(this.#open(adminId, totp.secret), code, now()) : undefined;
    if (totp?.secret && step !== undefined && (await store.useTotpStep(db, adminId, totp.secret, step))) {
      limiter.giveBack(`factor ${adminId}`, guesses);
      return;
    }
    throw fail(
      'UserInvalidLoginParams',
      step === undefined
        ? 'This code is wrong. Enter the one that the app shows now; its clock must be right.'
        : 'This code was used already. Wait for the next one.',
    );
  }

  /** @throws Failure UserInvalidLoginParams */
  async useRecoveryCode({ admin_id: adminId }: AdminRow, typed: string): Promise<void> {
    const { db } = this.#deps;
    if (await store.useRecoveryCode(db, adminId, recoveryCodeHash(typed))) return;
    throw fail('UserInvalidLoginParams', 'This recovery code is wrong, or was used already.');
  }

  /** @throws Failure ObjectNotFound */
  async reset(adminId: string, by: Actor): Promise<AdminRow> {
    return resetFactors(this.#deps, adminId, by);
  }

  /** A secret for the authenticator app. It counts once a code proves that the app has it. */
  async startTotp({ adminId, email }: AdminContext, host: string): Promise<{ secret: string; address: string }> {
    const { db, secrets } = this.#deps;
    const secret = await newTotpSecret();
    await store.savePendingTotp(db, adminId, secrets.seal(secret, sealedFor(adminId)));
    return { secret, address: await totpAddress(secret, email, `Pharos ${host}`) };
  }

  /** Recovery codes if it is the first factor. @throws Failure ValidationError, ObjectNotFound when none was started */
  async enableTotp(admin: AdminContext, typed: string, by: Actor): Promise<readonly string[]> {
    const { db, now } = this.#deps;
    const { adminId } = admin;
    const code = readCode(typed);
    const { pending } = (await store.findTotp(db, adminId)) ?? { pending: null };
    if (pending === null) throw fail('ObjectNotFound', 'No authenticator app is being set up. Start again.');
    const step = await stepOfCode(this.#open(adminId, pending), code, now());
    if (step === undefined) {
      const problem = 'is wrong; enter the one that the app shows now, and check the clock of the phone';
      throw fail('ValidationError', { message: `The code ${problem}.`, details: [{ field: 'code', problem }] });
    }
    return this.change(admin, { by, action: 'factor.enable', subject: admin.email }, async (db) => {
      if (!(await store.enableTotp(db, { adminId, pending, step, now: now() })))
        throw fail('ObjectNotFound', 'This secret was replaced by another one. Start again.');
    });
  }

  /** @throws Failure ObjectNotFound, OperationForbidden when it is the last factor and one is required */
  async disableTotp(admin: AdminContext, by: Actor): Promise<void> {
    await this.change(admin, { by, action: 'factor.disable', subject: admin.email }, async (db) => {
      if (!(await store.deleteTotp(db, admin.adminId))) throw fail('ObjectNotFound', 'There is no authenticator app.');
    });
  }

  /** New recovery codes; the former ones no longer work. @throws Failure OperationForbidden without a second factor */
  async renewCodes({ adminId, email }: AdminContext, by: Actor): Promise<readonly string[]> {
    const { db, now } = this.#deps;
    const codes = newRecoveryCodes();
    await db.transaction(async (db) => {
      const admin = await lockAdmin(db, adminId);
      if (!admin?.has_factor)
        throw fail('OperationForbidden', 'Recovery codes belong to a second factor. Set one up first.');
      await store.replaceRecoveryCodes(db, adminId, codes.map(recoveryCodeHash));
      await recordChange(db, { by, action: 'factor.renewCodes', subject: email, now: now() });
    });
    return codes;
  }

  /**
   * Changes the factors of somebody who is signed in: her other sessions end, and it is recorded. Answers the recovery
   * codes that come with the first factor; without a factor there are none.
   *
   * @throws Failure OperationForbidden when she could no longer sign in, or as the installation requires
   */
  async change(
    { adminId, sessionHash }: AdminContext,
    entry: { readonly by: Actor; readonly action: string; readonly subject: string },
    work: (db: Db) => Promise<void>,
  ): Promise<readonly string[]> {
    const { db, now } = this.#deps;
    return db.transaction(async (db) => {
      const before = await lockAdmin(db, adminId);
      if (!before) throw fail('InvalidSessionToken');
      await work(db);
      const after = (await findAdmin(db, adminId)) ?? before;
      await assertCanSignIn(db, after);
      if (before.has_factor && !after.has_factor) await assertNotRequired(db);
      const codes = after.has_factor && !(await store.countRecoveryCodes(db, adminId)) ? newRecoveryCodes() : [];
      if (codes.length > 0 || !after.has_factor)
        await store.replaceRecoveryCodes(db, adminId, codes.map(recoveryCodeHash));
      await deleteOtherSessions(db, adminId, sessionHash);
      await recordChange(db, { ...entry, now: now() });
      return codes;
    });
  }

  #open(adminId: string, sealed: string): string {
    const { secrets } = this.#deps;
    try {
      return secrets.open(sealed, sealedFor(adminId));
    } catch (cause) {
      throw fail('OperationForbidden', {
        message:
          'Codes cannot be checked: the key with which their secret was stored is not configured here (PHAROS_SECRET_KEY, or secret.key in the data folder). Use a recovery code or a passkey.',
        cause,
      });
    }
  }
}

/** Takes away every factor and ends every session, for somebody who has lost them. @throws Failure ObjectNotFound */
export async function resetFactors(
  { db, now }: Pick<SecondFactorDeps, 'db' | 'now'>,
  adminId: string,
  by: Actor,
): Promise<AdminRow> {
  return db.transaction(async (db) => {
    const admin = await lockAdmin(db, adminId);
    if (!admin) throw fail('ObjectNotFound', `There is no administrator ${adminId}.`);
    await store.deleteFactors(db, adminId);
    await deleteSessionsOf(db, adminId);
    await recordChange(db, { by, action: 'factor.reset', subject: admin.email, now: now() });
    return { ...admin, has_factor: 0 };
  });
}

async function assertCanSignIn(db: Db, { admin_id, password_hash }: AdminRow): Promise<void> {
  if (password_hash !== null || (await store.listPasskeys(db, admin_id)).length > 0) return;
  throw fail('OperationForbidden', 'This passkey is your only way to sign in. Set a password first.');
}

async function assertNotRequired(db: Db): Promise<void> {
  if (!(await isFactorRequired(db))) return;
  throw fail(
    'OperationForbidden',
    'Every administrator of this installation needs a second factor. Add another one before you remove this one.',
  );
}
