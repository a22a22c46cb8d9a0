import type { Actor } from '../../../access/audit.ts';
import type { AppContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import type { RateLimiter } from '../../../limits/rate-limit.ts';
import type { Account, AccountKey, Session } from '../../../sign-in/accounts.ts';
import { AuthenticatorCodes } from '../../../sign-in/factors/authenticator-codes.ts';
import { newRecoveryCodes, recoveryCodeHash } from '../../../sign-in/factors/recovery-codes.ts';
import { loadTotp } from '../../../sign-in/factors/totp.ts';
import type { Context } from '../../context.ts';
import { assertMayAdd, type FactorCaller, notifyOfChange } from './caller.ts';
import { columnsOf, hasAuthenticator, store, type UserColumns } from './store.ts';
import { lockFor, noteTaken } from './taken.ts';

export interface AuthenticatorDeps extends Pick<Context, 'db' | 'now' | 'secrets' | 'accounts' | 'tell'> {
  readonly limiter: RateLimiter;
}

/** What finishes a sign-in: one of both codes. */
export interface Finishing {
  readonly challenge: string;
  readonly code?: string | undefined;
  readonly recoveryCode?: string | undefined;
}

export interface Finished {
  readonly session: Session;
  /** The recovery codes, if this sign-in set up an authenticator app. */
  readonly recoveryCodes: readonly string[];
}

type Started = { readonly pending: string; readonly step: number };

/** Authenticator apps and recovery codes of an app's users. */
export class Authenticators {
  readonly #deps: AuthenticatorDeps;
  readonly #codes: AuthenticatorCodes<UserColumns>;

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps;
    this.#codes = new AuthenticatorCodes({
      ...deps,
      store,
      otherwise: 'a recovery code',
      nameOf: ({ app_id, user_id }) => `user ${app_id} ${user_id}`,
    });
  }

  async stateOf({ appId, userId }: AccountKey) {
    const { db } = this.#deps;
    const owner = columnsOf({ appId, userId });
    return {
      since: (await store.findTotp(db, owner))?.enabled_at ?? undefined,
      recoveryCodesLeft: await store.countRecoveryCodes(db, owner),
      passkeys: (await store.listPasskeys(db, owner)).length,
    };
  }

  /** A secret for the authenticator app; one that is set up works until a code of the new one has come. */
  async start(caller: FactorCaller): Promise<{ secret: string; address: string }> {
    assertOn(caller.app);
    await assertMayAdd(this.#deps, caller);
    return this.#start(caller.app, caller.key);
  }

  /** For a sign-in that needs a second factor where there is none yet. @throws Failure UserInvalidLoginParams */
  async startAtSignIn(app: AppContext, challenge: string): Promise<{ secret: string; address: string }> {
    const { db, accounts } = this.#deps;
    assertOn(app);
    const key = await accounts.readHalf(app.appId, challenge);
    if (await hasAuthenticator(db, key))
      throw fail('OperationForbidden', 'An authenticator app is set up already. Send a code of it.');
    return this.#start(app, key);
  }

  /** Ends all other sessions. Answers recovery codes if there are none. @throws Failure ValidationError, ObjectNotFound */
  async enable({ app, key, proof, mayTell }: FactorCaller, code: string): Promise<readonly string[]> {
    const { db, accounts } = this.#deps;
    assertOn(app);
    const started = await this.#codes.readStarted(db, columnsOf(key), code);
    return db.transaction(async (db) => {
      const account = await accounts.lockOneself(db, key, proof);
      const codes = await this.#enable(db, key, started);
      await accounts.settleSession(db, key, proof.tokenHash, true);
      await this.#tell(db, { key, account, mayTell });
      return codes;
    });
  }

  /** Ends all other sessions. @throws Failure ObjectNotFound, OperationForbidden */
  async disable({ app, key, proof, mayTell }: FactorCaller): Promise<void> {
    const { db, accounts } = this.#deps;
    await accounts.assertFresh(key, proof.tokenHash);
    if (app.policy.totp === 'required')
      throw fail(
        'OperationForbidden',
        'This app asks everybody for a second factor. Set up another authenticator app; it replaces this one.',
      );
    await db.transaction(async (db) => {
      const account = await accounts.lockOneself(db, key, proof);
      if (!(await store.deleteTotp(db, columnsOf(key)))) throw fail('ObjectNotFound', 'There is no authenticator app.');
      await store.replaceRecoveryCodes(db, columnsOf(key), []);
      await accounts.settleSession(db, key, proof.tokenHash, false);
      await this.#tell(db, { key, account, mayTell });
    });
  }

  /** The former ones no longer work. @throws Failure OperationForbidden */
  async renewCodes({ key, proof }: FactorCaller): Promise<readonly string[]> {
    const { db, accounts } = this.#deps;
    await accounts.assertFresh(key, proof.tokenHash);
    return db.transaction(async (db) => {
      await accounts.lockOneself(db, key, proof);
      if (!(await hasAuthenticator(db, key)))
        throw fail('OperationForbidden', 'Recovery codes belong to an authenticator app. Set one up first.');
      return this.#newCodes(db, key);
    });
  }

  /** The second half of a sign-in. @throws Failure UserInvalidLoginParams, ValidationError, APICallLimit */
  async finish(
    app: AppContext,
    given: Finishing,
    { address, mayTell }: Pick<FactorCaller, 'mayTell'> & { readonly address: string },
  ): Promise<Finished> {
    const { db, accounts } = this.#deps;
    const key = await accounts.tryHalf(app.appId, given.challenge);
    const started = (await hasAuthenticator(db, key))
      ? undefined
      : await this.#codes.readStarted(db, columnsOf(key), given.code ?? '');
    await loadTotp();
    return db.transaction(async (db) => {
      const account = await this.#lock(db, key);
      if (account.isDisabled) throw fail('OperationForbidden', 'This account is disabled.');
      // Together with the sign-in: a code is not used up by one that comes to nothing.
      if (!started) await this.#use(db, key, { ...given, address });
      const session = await accounts.finishHalf(db, app, given.challenge);
      const recoveryCodes = started ? await this.#enable(db, key, started) : [];
      if (started) await this.#tell(db, { key, account, mayTell });
      return { session, recoveryCodes };
    });
  }

  /** Removes the factors and passkeys of somebody who has lost them, and ends every session. @throws Failure ObjectNotFound */
  async reset(key: AccountKey, by: Actor): Promise<void> {
    const { db } = this.#deps;
    await db.transaction(async (db) => {
      const account = await lockFor(this.#deps, db, key);
      const passkeys = (await store.listPasskeys(db, columnsOf(key))).length;
      const before = { authenticatorApp: await hasAuthenticator(db, key), passkeys };
      await store.deleteFactors(db, columnsOf(key));
      const after = { authenticatorApp: false, passkeys: 0 };
      await noteTaken(this.#deps, db, { key, by, account, before, after, change: 'secondFactor' });
    });
  }

  /** Removes the authenticator app, with its recovery codes, of somebody who has lost it. @throws Failure ObjectNotFound */
  async removeFor(key: AccountKey, by: Actor): Promise<void> {
    const { db } = this.#deps;
    await db.transaction(async (db) => {
      const account = await lockFor(this.#deps, db, key);
      if (!(await hasAuthenticator(db, key))) throw fail('ObjectNotFound', 'This user has no authenticator app.');
      await store.deleteTotp(db, columnsOf(key));
      await store.replaceRecoveryCodes(db, columnsOf(key), []);
      const states = { before: { authenticatorApp: true }, after: { authenticatorApp: false } };
      await noteTaken(this.#deps, db, { key, by, account, ...states, change: 'secondFactor' });
    });
  }

  async #use(db: Db, key: AccountKey, given: Finishing & { readonly address: string }): Promise<void> {
    const { code, recoveryCode, address } = given;
    if (code === undefined) await this.#codes.useRecoveryCode(db, columnsOf(key), recoveryCode ?? '');
    else await this.#codes.useCode(db, columnsOf(key), { code, address });
  }

  async #start(app: AppContext, key: AccountKey) {
    const { db } = this.#deps;
    const { email, name } = await this.#lock(db, key);
    return this.#codes.start(db, columnsOf(key), { account: email || name || key.userId, issuer: app.name });
  }

  async #enable(db: Db, key: AccountKey, started: Started): Promise<readonly string[]> {
    await this.#codes.enable(db, columnsOf(key), started);
    return (await store.countRecoveryCodes(db, columnsOf(key))) > 0 ? [] : this.#newCodes(db, key);
  }

  async #newCodes(db: Db, key: AccountKey): Promise<readonly string[]> {
    const codes = newRecoveryCodes();
    await store.replaceRecoveryCodes(db, columnsOf(key), codes.map(recoveryCodeHash));
    return codes;
  }

  async #lock(db: Db, key: AccountKey): Promise<Account> {
    const account = await this.#deps.accounts.lock(db, key);
    if (!account) throw fail('InvalidSessionToken');
    return account;
  }

  #tell(db: Db, notice: Pick<FactorCaller, 'key' | 'mayTell'> & { readonly account: Account }): Promise<void> {
    const { tell, now } = this.#deps;
    return notifyOfChange(db, tell, { ...notice, change: 'secondFactor', at: now() });
  }
}

/** @throws Failure OperationForbidden */
function assertOn({ policy }: AppContext): void {
  if (policy.totp === 'off') throw fail('OperationForbidden', 'This app has no second factors (policy totp).');
}
