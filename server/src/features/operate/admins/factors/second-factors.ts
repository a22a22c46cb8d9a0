import { type Actor, recordChange } from '../../../../access/audit.ts';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import type { AdminContext } from '../../../../http/console/console-endpoint.ts';
import type { RateLimiter } from '../../../../limits/rate-limit.ts';
import { AuthenticatorCodes } from '../../../../sign-in/factors/authenticator-codes.ts';
import { newRecoveryCodes, recoveryCodeHash } from '../../../../sign-in/factors/recovery-codes.ts';
import type { Context } from '../../../context.ts';
import {
  type AdminRow,
  deleteOtherSessions,
  deleteSessionsOf,
  findAdmin,
  isFactorRequired,
  lockAdmin,
  lockAdminOf,
} from '../accounts/store.ts';
import { type AdminKey, keyOf, type PasskeyRow, store } from './store.ts';

export type FactorKind = 'code' | 'passkey' | 'recoveryCode';

export interface FactorState {
  readonly hasPassword: boolean;
  /** When the authenticator app was set up, epoch milliseconds. */
  readonly totpSince: number | undefined;
  readonly passkeys: readonly PasskeyRow[];
  readonly recoveryCodesLeft: number;
  readonly isRequired: boolean;
}

export interface SecondFactorDeps extends Pick<Context, 'db' | 'now' | 'secrets'> {
  readonly limiter: RateLimiter;
}

/** What administrators prove beside their password, or instead of it. */
export class SecondFactors {
  readonly #deps: SecondFactorDeps;
  readonly #codes: AuthenticatorCodes<AdminKey>;

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps;
    this.#codes = new AuthenticatorCodes({
      ...deps,
      store,
      otherwise: 'a recovery code or a passkey',
      nameOf: ({ admin_id }) => `admin ${admin_id}`,
    });
  }

  async stateOf(adminId: string): Promise<FactorState> {
    const { db } = this.#deps;
    const [admin, totp] = [await findAdmin(db, adminId), await store.findTotp(db, keyOf(adminId))];
    return {
      hasPassword: typeof admin?.password_hash === 'string',
      totpSince: totp?.enabled_at ?? undefined,
      passkeys: await store.listPasskeys(db, keyOf(adminId)),
      recoveryCodesLeft: await store.countRecoveryCodes(db, keyOf(adminId)),
      isRequired: await isFactorRequired(db),
    };
  }

  async proofsOf(adminId: string): Promise<readonly FactorKind[]> {
    const { totpSince, passkeys, recoveryCodesLeft } = await this.stateOf(adminId);
    return [
      ...(totpSince === undefined ? [] : (['code'] as const)),
      ...(passkeys.length === 0 ? [] : (['passkey'] as const)),
      ...(recoveryCodesLeft === 0 ? [] : (['recoveryCode'] as const)),
    ];
  }

  /** Uses up the code; the same one is not accepted again. @throws Failure UserInvalidLoginParams, APICallLimit */
  useCode(db: Db, { admin_id }: AdminRow, given: { readonly code: string; readonly address: string }): Promise<void> {
    return this.#codes.useCode(db, { admin_id }, given);
  }

  /** @throws Failure UserInvalidLoginParams */
  useRecoveryCode(db: Db, { admin_id }: AdminRow, typed: string): Promise<void> {
    return this.#codes.useRecoveryCode(db, { admin_id }, typed);
  }

  /** In a transaction that holds the administrator: it may have been removed since it signed. @throws Failure UserInvalidLoginParams */
  async assertPasskey(db: Db, adminId: string, passkeyId: string): Promise<void> {
    const left = await store.listPasskeys(db, keyOf(adminId));
    if (!left.some(({ passkey_id }) => passkey_id === passkeyId)) throw fail('UserInvalidLoginParams');
  }

  /** @throws Failure ObjectNotFound */
  async reset(adminId: string, by: Actor): Promise<AdminRow> {
    return resetFactors(this.#deps, adminId, by);
  }

  /** A secret for the authenticator app. It counts once a code proves that the app has it. */
  startTotp({ adminId, email }: AdminContext, host: string): Promise<{ secret: string; address: string }> {
    return this.#codes.start(this.#deps.db, keyOf(adminId), { account: email, issuer: `Pharos ${host}` });
  }

  /** Recovery codes if it is the first factor. @throws Failure ValidationError, ObjectNotFound when none was started */
  async enableTotp(admin: AdminContext, typed: string, by: Actor): Promise<readonly string[]> {
    const owner = keyOf(admin.adminId);
    const started = await this.#codes.readStarted(this.#deps.db, owner, typed);
    return this.change(admin, { by, action: 'factor.enable', subject: admin.email }, (db) =>
      this.#codes.enable(db, owner, started),
    );
  }

  /** @throws Failure ObjectNotFound, OperationForbidden when it is the last factor and one is required */
  async disableTotp(admin: AdminContext, by: Actor): Promise<void> {
    await this.change(admin, { by, action: 'factor.disable', subject: admin.email }, async (db) => {
      if (!(await store.deleteTotp(db, keyOf(admin.adminId))))
        throw fail('ObjectNotFound', 'There is no authenticator app.');
    });
  }

  /** New recovery codes; the former ones no longer work. @throws Failure OperationForbidden without a second factor */
  async renewCodes({ adminId, email, sessionHash }: AdminContext, by: Actor): Promise<readonly string[]> {
    const { db, now } = this.#deps;
    const codes = newRecoveryCodes();
    await db.transaction(async (db) => {
      const admin = await lockAdminOf(db, { adminId, sessionHash });
      if (!admin) throw fail('InvalidSessionToken');
      if (!admin.has_factor)
        throw fail('OperationForbidden', 'Recovery codes belong to a second factor. Set one up first.');
      await store.replaceRecoveryCodes(db, keyOf(adminId), codes.map(recoveryCodeHash));
      await recordChange(db, { by, action: 'factor.renewCodes', subject: email, now: now() });
    });
    return codes;
  }

  /**
   * Changes the factors of a signed-in administrator: the other sessions end, and it is recorded. Answers the recovery
   * codes that come with the first factor; without a factor or a password there are none.
   *
   * @throws Failure OperationForbidden when the administrator could no longer sign in, or as the installation requires
   */
  async change(
    { adminId, sessionHash }: AdminContext,
    entry: { readonly by: Actor; readonly action: string; readonly subject: string },
    work: (db: Db) => Promise<void>,
  ): Promise<readonly string[]> {
    const { db, now } = this.#deps;
    return db.transaction(async (db) => {
      // The session was ended meanwhile, as by a new password: it must not add another way to sign in.
      const before = await lockAdminOf(db, { adminId, sessionHash });
      if (!before) throw fail('InvalidSessionToken');
      await work(db);
      const after = (await findAdmin(db, adminId)) ?? before;
      await assertCanSignIn(db, after);
      if (before.has_factor && !after.has_factor) await assertNotRequired(db);
      // Recovery codes complete a sign-in with a password; without one they are of no use.
      const wantsCodes = after.has_factor > 0 && after.password_hash !== null;
      const codes = wantsCodes && !(await store.countRecoveryCodes(db, keyOf(adminId))) ? newRecoveryCodes() : [];
      if (codes.length > 0 || !after.has_factor)
        await store.replaceRecoveryCodes(db, keyOf(adminId), codes.map(recoveryCodeHash));
      await deleteOtherSessions(db, adminId, sessionHash);
      await recordChange(db, { ...entry, now: now() });
      return codes;
    });
  }
}

/** Removes every factor and ends every session, for somebody who has lost them. @throws Failure ObjectNotFound */
export async function resetFactors(
  { db, now }: Pick<SecondFactorDeps, 'db' | 'now'>,
  adminId: string,
  by: Actor,
): Promise<AdminRow> {
  return db.transaction(async (db) => {
    const admin = await lockAdmin(db, adminId);
    if (!admin) throw fail('ObjectNotFound', `There is no administrator ${adminId}.`);
    await store.deleteFactors(db, keyOf(adminId));
    await deleteSessionsOf(db, adminId);
    await recordChange(db, { by, action: 'factor.reset', subject: admin.email, now: now() });
    return { ...admin, has_factor: 0 };
  });
}

async function assertCanSignIn(db: Db, { admin_id, password_hash }: AdminRow): Promise<void> {
  if (password_hash !== null || (await store.listPasskeys(db, keyOf(admin_id))).length > 0) return;
  throw fail('OperationForbidden', 'This passkey is your only way to sign in. Set a password first.');
}

async function assertNotRequired(db: Db): Promise<void> {
  if (!(await isFactorRequired(db))) return;
  throw fail(
    'OperationForbidden',
    'Every administrator of this installation needs a second factor. Add another one before you remove this one.',
  );
}
