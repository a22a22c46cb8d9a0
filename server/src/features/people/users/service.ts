import { type Actor, recordChange, service } from '../../../access/audit.ts';
import type { AppContext, UserRole } from '../../../access/context.ts';
import { type Failure, fail } from '../../../base/errors.ts';
import { isForeign } from '../../../base/foreign-passwords.ts';
import { newObjectId } from '../../../base/id.ts';
import { sql } from '../../../base/sql.ts';
import { type Db, ifTaken, UniqueViolation } from '../../../db/db.ts';
import { deleteInSteps } from '../../../db/delete-in-steps.ts';
import { type AssertUnchanged, newTag, tagOfRow } from '../../../resources/entity-tag.ts';
import { mergePatch } from '../../../resources/merge-patch.ts';
import type { AccountProof, SessionClient, SignedIn } from '../../../sign-in/accounts.ts';
import { emailKey } from '../../../sign-in/email.ts';
import { type AskToVerify, passwordProof, wantsVerified } from '../../../sign-in/link-mail.ts';
import type { Context } from '../../context.ts';
import { assertMetadata } from '../../own-metadata.ts';
import {
  assertPassword,
  isFresh,
  isPassword,
  isSignedIn,
  notFresh,
  notFreshToErase,
  notFreshToMove,
  wrongPassword,
} from './accounts.ts';
import { type Changing, changeManaged, type ManagedChanges, noSuchUser } from './managed.ts';
import type { AccountBody, AccountChanges, SignIn } from './schemas.ts';
import { beginSession, endSessions } from './sessions.ts';
import * as store from './store.ts';
import { profileTable } from './tables.ts';

export interface UserDeps
  extends Pick<Context, 'db' | 'cacheVersion' | 'now' | 'passwords' | 'findMissing' | 'lockVenueForShare' | 'tell'> {
  /** Undefined while no mail server is configured. */
  readonly askToVerify: AskToVerify | undefined;
  /**
   * Removes the name of an erased user from everything else, and has the rest erased. Called in the transaction that erases the
   * account; answers the id of the receipt.
   */
  readonly forget: (db: Db, user: Forgotten) => Promise<string>;
}

interface Forgotten extends store.UserKey {
  readonly isManager: boolean;
  /** Undefined for the person herself. */
  readonly by: Actor | undefined;
}

interface SigningUp {
  /** The caller is neither a server with a secret key nor an administrator. */
  readonly isStranger: boolean;
  /** Whether one more mail may go to the address. */
  readonly mayTell: (emailKey: string) => boolean;
}

interface Wanted extends Pick<SigningUp, 'mayTell'> {
  readonly appId: string;
  /** The key of the address that is wanted. */
  readonly key: string;
  /** Epoch ms. */
  readonly at: number;
}

interface Updating extends Omit<AccountProof, 'currentPassword'> {
  readonly app: AppContext;
  readonly merge: boolean;
  /** A new address gets a mail that asks to confirm it. */
  readonly asksToVerify: boolean;
  /** The account gets a new address only when it is confirmed. */
  readonly confirmsFirst: boolean;
  /** Counts a mail to a new address. @throws Failure APICallLimit */
  readonly countMail: (emailKey: string) => void;
  /** Whether one more mail may go to the address of the account. */
  readonly mayTell: (emailKey: string) => boolean;
  readonly assertUnchanged: AssertUnchanged | undefined;
}

/** Accounts and their tokens. Everything that ends a token changes the cache version, so that no cache outlives it. */
export class UserService {
  readonly #deps: UserDeps;

  constructor(deps: UserDeps) {
    this.#deps = deps;
  }

  /**
   * Where the owner of an address has to confirm it, a sign-up with one that is taken gets the same answer, and the owner a mail.
   *
   * @throws Failure UserEmailTaken
   */
  async signUp(
    app: AppContext,
    account: AccountBody,
    how: SigningUp,
  ): Promise<{ objectId: string; createdAt: number }> {
    const { db, now, passwords } = this.#deps;
    const { email, password, ...members } = account;
    const key = emailKey(email);
    const tellsNothing = how.isStranger && this.#confirmsFirst(app);
    // A taken address is refused before hashing, unless the time saved would reveal it; the unique index decides.
    const isTaken = async () => (await store.findUserByEmail(db, app.appId, key)) !== undefined;
    if (!tellsNothing && (await isTaken())) throw emailTaken();
    const passwordHash = await passwords.hash(password, app.appId);
    const createdAt = now();
    const objectId = newObjectId(createdAt);
    if (tellsNothing && (await isTaken())) {
      await this.#tellOwner(db, { appId: app.appId, key, mayTell: how.mayTell, at: createdAt });
      return { objectId, createdAt };
    }
    const columns = {
      app_id: app.appId,
      object_id: objectId,
      email_key: key,
      password_hash: passwordHash,
      role: 'user',
    };
    const values = { metadata: null, ...members, validemail: email.trim(), createdAt, updatedAt: createdAt };
    const ask = wantsVerified(app) ? this.#deps.askToVerify : undefined;
    const asked = { appId: app.appId, userId: objectId, email, at: createdAt };
    const isFree = await orTaken(() =>
      ask
        ? db.transaction(async (db) => {
            await profileTable.insert(db, columns, values);
            await ask(db, asked);
          })
        : profileTable.insert(db, columns, values),
    );
    if (!isFree && !tellsNothing) throw emailTaken();
    return { objectId, createdAt };
  }

  /** Whether an address is only used when a mail to it has been answered. */
  #confirmsFirst({ policy }: Pick<AppContext, 'policy'>): boolean {
    return policy.emailVerification === 'required' && this.#deps.askToVerify !== undefined;
  }

  /** Notifies the holder of an address that somebody else wanted it. */
  async #tellOwner(db: Db, { appId, key, mayTell, at }: Wanted): Promise<void> {
    const owner = await store.findUserByEmail(db, appId, key);
    if (owner?.email_key == null || !mayTell(key)) return;
    await this.#deps.tell?.(db, { appId, userId: owner.object_id, email: owner.email, change: 'wanted', at });
  }

  /**
   * @throws Failure UserInvalidLoginParams, the same and in the same time for a wrong e-mail address and a wrong
   * password
   */
  async signIn(app: AppContext, { email, password }: SignIn, client: SessionClient): Promise<SignedIn> {
    const { db, passwords } = this.#deps;
    const user = await store.findUserByEmail(db, app.appId, emailKey(email));
    const isRight = await isPassword(this.#deps, password, { appId: app.appId, stored: user?.password_hash });
    const isConfirmed = app.policy.emailVerification !== 'required' || user?.email_verified_at !== null;
    // A more precise answer would tell whoever signed up with somebody else's address that it was free.
    if (!user || !isRight || !isConfirmed) throw wrongLogin(app);
    if (user.disabled_at !== null) throw fail('OperationForbidden', 'This account is disabled.');
    if (user.password_hash === null || !isForeign(user.password_hash)) return this.#beginSession(app, user, client);
    const key = { appId: app.appId, userId: user.object_id };
    const hash = await passwords.hash(password, app.appId);
    // Another device has just rehashed it, or the password has changed.
    if (!(await store.replaceHash(db, key, user.password_hash, hash)))
      return this.signIn(app, { email, password }, client);
    return this.#beginSession(app, { ...user, password_hash: hash }, client);
  }

  /**
   * Replaces the members that are set and clears the others that are named; `merge` merges metadata (RFC 7396)
   * instead. A new password ends all tokens. The address that the account had is told of a new one and of a new password.
   * Where a new address has to be confirmed first, the account keeps the one that it has until then. Returns the time of the update
   * and the new tag.
   *
   * @throws Failure PreconditionFailed, UserEmailTaken, InvalidSessionToken when the user is gone, PasswordMissing and
   * UserInvalidLoginParams when a new e-mail address or password needs the current one, OperationForbidden when the
   * account has none and its session is not fresh
   */
  async update(
    key: store.UserKey,
    changes: AccountChanges,
    how: Updating,
  ): Promise<{ readonly updatedAt: number; readonly tag: string }> {
    const { db, cacheVersion, now, passwords, tell, askToVerify } = this.#deps;
    const { email, password, metadata, ...members } = changes.set;
    const confirmed = await this.#assertCurrent(key, changes, how);
    const passwordHash = password === undefined ? undefined : await passwords.hash(password, key.appId);
    const id = { app_id: key.appId, object_id: key.userId };
    const write = async (db: Db) => {
      const user = await store.lockUser(db, key);
      if (!user) throw fail('InvalidSessionToken');
      how.assertUnchanged?.(tagOfRow(profileTable, user));
      // Changed by another request while it was checked.
      if (confirmed && user.password_hash !== confirmed.password_hash)
        throw fail('UserInvalidLoginParams', wrongPassword);
      if (confirmed && !(await isSignedIn(db, key, how))) throw fail('InvalidSessionToken');
      const updatedAt = Math.max(now(), user.updated_at);
      const merged = metadata && how.merge ? mergePatch(JSON.parse(user.metadata), metadata) : metadata;
      assertMetadata(merged);
      const cleared = Object.fromEntries(changes.cleared.map((member) => [member, null]));
      const isNewAddress = email !== undefined && emailKey(email) !== user.email_key;
      const isAsked = isNewAddress && how.confirmsFirst && askToVerify !== undefined;
      const isTaken = isAsked && (await store.findUserByEmail(db, key.appId, emailKey(email))) !== undefined;
      const columns = {
        ...(isNewAddress && !isAsked
          ? { email_key: emailKey(email), email_verified_at: null, former_addresses: store.formerWith(user) }
          : {}),
        ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
      };
      await profileTable.update(
        db,
        id,
        {
          ...cleared,
          ...members,
          metadata: merged ?? cleared['metadata'],
          validemail: isAsked ? undefined : email?.trim(),
          updatedAt,
        },
        columns,
      );
      const change = isAsked
        ? 'new-email'
        : isNewAddress
          ? 'email'
          : passwordHash === undefined
            ? undefined
            : 'password';
      if (change && user.email_key !== null && how.mayTell(user.email_key))
        await tell?.(db, { ...key, email: user.email, change, at: updatedAt });
      if (isNewAddress && how.asksToVerify && askToVerify) {
        how.countMail(emailKey(email));
        const wanted = { appId: key.appId, key: emailKey(email), mayTell: how.mayTell, at: updatedAt };
        const proof = isAsked ? { proof: passwordProof(passwordHash ?? user.password_hash) } : {};
        if (isTaken) await this.#tellOwner(db, wanted);
        else await askToVerify(db, { ...key, email, at: updatedAt, ...proof });
      }
      if (passwordHash !== undefined) await endSessions(db, key);
      // A mail to the old address must no longer open the account.
      else if (isNewAddress && !isAsked) await store.deleteResetsOf(db, key);
      return { updatedAt, tag: await newTag(db, profileTable, id) };
    };
    const written = passwordHash === undefined ? db.transaction(write) : cacheVersion.change(key.appId, write);
    return written.catch(ifTaken(emailTaken));
  }

  /** @throws Failure OperationForbidden unless the session of the token began a few minutes ago */
  async assertFresh(key: store.UserKey, tokenHash: string): Promise<void> {
    if (!(await isFresh(this.#deps, key, tokenHash))) throw notFreshToErase();
  }

  /**
   * Removes the user, their tokens and resets, their name from what belonged to them, and the traces of their
   * installations. `by` is the acting administrator; the audit names the receipt, and nothing about the person. Answers the id
   * of the receipt.
   *
   * @throws Failure ObjectNotFound
   */
  async erase(key: store.UserKey, by?: Actor): Promise<string> {
    const { cacheVersion, now, forget } = this.#deps;
    const erasureId = await cacheVersion.change(key.appId, async (db) => {
      const user = await store.lockUser(db, key);
      if (!user) return undefined;
      const receipt = await forget(db, { ...key, isManager: user.role === 'manager', by });
      if (by) await recordChange(db, { by, action: 'user.erase', subject: receipt, appId: key.appId, now: now() });
      return receipt;
    });
    if (erasureId === undefined) throw noSuchUser();
    return erasureId;
  }

  /**
   * What managers decide about an account, all of it or nothing. Switching off ends all tokens at once; venues, of which rules speak as
   * `$auth.venues`, count from the next request on. Answers the account's new tag.
   *
   * @throws Failure ObjectNotFound, PreconditionFailed, ValidationError for a new venue that there is not
   */
  changeUser(key: store.UserKey, changes: ManagedChanges, how: Changing): Promise<string> {
    return changeManaged(this.#deps, key, changes, how);
  }

  /** @throws Failure ObjectNotFound */
  async setUserRole(key: store.UserKey, role: UserRole, by: Actor = service): Promise<void> {
    await this.changeUser(key, { role }, { by });
  }

  /** @throws Failure ObjectNotFound */
  async setUserDisabled(key: store.UserKey, disabled: boolean, by: Actor = service): Promise<void> {
    await this.changeUser(key, { disabled }, { by });
  }

  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    const scope = sql`expires_at <= ${now()}`;
    for (const table of ['tokens', 'password_resets', 'half_sign_ins'])
      await deleteInSteps(db, { table, id: 'token_hash', scope });
    await deleteInSteps(db, { table: 'sessions', id: 'object_id', scope });
  }

  /** @throws Failure UserInvalidLoginParams when the account changed after its password was checked */
  #beginSession(app: AppContext, checked: store.UserRow, client: SessionClient): Promise<SignedIn> {
    const { db, now, findMissing } = this.#deps;
    const key = { appId: app.appId, userId: checked.object_id };
    return db.transaction(async (db) => {
      const user = await store.lockUser(db, key);
      if (user?.password_hash !== checked.password_hash || user.disabled_at !== null)
        throw fail('UserInvalidLoginParams');
      const begun = { ...client, method: 'password', userId: key.userId, now: now() } as const;
      return beginSession(db, app, begun, findMissing);
    });
  }

  /**
   * Anyone who has found or borrowed a phone has its token, so changing the account itself takes the password; without
   * one, a fresh session. Returns the account that was checked; undefined if nothing requires it.
   */
  async #assertCurrent(
    key: store.UserKey,
    { set: { email, password }, currentPassword }: AccountChanges,
    { app, confirm, tokenHash }: Updating,
  ): Promise<store.UserRow | undefined> {
    const { db, findMissing } = this.#deps;
    if (email === undefined && password === undefined) return undefined;
    const user = await store.findUser(db, key);
    if (!user) throw fail('InvalidSessionToken');
    const isNewAddress = email !== undefined && emailKey(email) !== user.email_key;
    if (password === undefined && !isNewAddress) return undefined;
    // Proving a new address removes the second factor, so the password alone must not suffice to change it.
    const hasFactor = isNewAddress && (await findMissing(db, app, key)) === 'code';
    if (hasFactor && !(await isFresh(this.#deps, key, tokenHash))) throw notFreshToMove();
    if (user.password_hash !== null) await assertPassword(this.#deps, user, { currentPassword, confirm });
    else if (!(await isFresh(this.#deps, key, tokenHash))) throw notFresh();
    return user;
  }
}

function emailTaken(): Failure {
  return fail('UserEmailTaken', { details: [{ field: 'email', problem: 'is already used' }] });
}

const wrongLogin = ({ policy }: AppContext): Failure =>
  policy.emailVerification === 'required'
    ? fail(
        'UserInvalidLoginParams',
        'The e-mail address or the password is wrong, or the address has not been confirmed yet: open the link in the mail, or ask for another one at /users/email/verification.',
      )
    : fail('UserInvalidLoginParams');

/** False if the address was taken in the meantime. */
async function orTaken(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof UniqueViolation) return false;
    throw error;
  }
}
