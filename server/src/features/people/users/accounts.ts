import { fail } from '../../../base/errors.ts';
import { isLongerThan } from '../../../base/text-length.ts';
import type { Db } from '../../../db/db.ts';
import type { Account, AccountProof, Accounts } from '../../../sign-in/accounts.ts';
import { emailKey, isEmailAddress } from '../../../sign-in/email.ts';
import { passwordProof } from '../../../sign-in/link-mail.ts';
import type { Context } from '../../context.ts';
import { currentPasswordMissing, maxPasswordLength } from './schemas.ts';
import { deleteSessionsOf, findSessionStart, hasToken, setSecondFactor } from './session-store.ts';
import { beginSession, finishHalf, readHalf } from './sessions.ts';
import * as store from './store.ts';
import { profileTable } from './tables.ts';

export type AccountDeps = Pick<Context, 'db' | 'cacheVersion' | 'now' | 'passwords' | 'tell' | 'findMissing'>;

const freshMinutes = 10;
export const wrongPassword = 'currentPassword is wrong.';

/** The key of an e-mail address; undefined for any other text. */
const keyOf = (email: string) => (isEmailAddress(email) && emailKey(email)) || undefined;

function accountOf(row: store.UserRow | undefined): Account | undefined {
  return (
    row && {
      userId: row.object_id,
      role: row.role,
      isDisabled: row.disabled_at !== null,
      hasPassword: row.password_hash !== null && row.email_key !== null,
      hasVerifiedEmail: row.email_verified_at !== null,
      passwordProof: passwordProof(row.password_hash),
      email: row.email,
      name: `${row.firstname} ${row.lastname}`.trim(),
      venueIds: store.venuesOf(row),
    }
  );
}

export function createAccounts(deps: AccountDeps): Accounts {
  const { db, cacheVersion, now } = deps;
  return {
    lock: async (db, key) => accountOf(await store.lockUser(db, key)),
    async lockOneself(db, key, proof) {
      const account = accountOf(await store.lockUser(db, key));
      if (!account || !(await isSignedIn(db, key, proof))) throw fail('InvalidSessionToken');
      return account;
    },
    async lockByEmail(db, appId, email) {
      const key = keyOf(email);
      return key === undefined ? undefined : accountOf(await store.lockUserByEmail(db, appId, key));
    },
    async create(db, { appId, userId }, { email, role, now, ...names }) {
      const email_key = email === undefined ? undefined : keyOf(email);
      const columns = {
        app_id: appId,
        object_id: userId,
        email_key: email_key ?? null,
        password_hash: null,
        email_verified_at: email_key === undefined ? null : now,
        role,
      };
      const validemail = email_key === undefined ? '' : email?.trim();
      await profileTable.insert(db, columns, { ...names, metadata: null, validemail, createdAt: now, updatedAt: now });
    },
    async noteVerified(db, key, email) {
      const address = keyOf(email);
      if (address !== undefined) await store.noteVerified(db, key, address, now());
    },
    async changeAddress(db, key, email) {
      const user = await store.lockUser(db, key);
      const address = keyOf(email);
      if (!user || address === undefined) return;
      const at = Math.max(now(), user.updated_at);
      await profileTable.update(
        db,
        { app_id: key.appId, object_id: key.userId },
        { validemail: email, updatedAt: at },
        { email_key: address, email_verified_at: at, former_addresses: store.formerWith(user) },
      );
      // A mail to the former address must no longer open the account.
      await store.deleteResetsOf(db, key);
      if (user.email_key !== null) await deps.tell?.(db, { ...key, email: user.email, change: 'email', at });
    },
    async dropPassword(db, key) {
      await store.clearPassword(db, key);
      await deleteSessionsOf(db, key);
      await store.deleteResetsOf(db, key);
      // Last, as where a single session is ended: the same order keeps two transactions from blocking each other.
      await cacheVersion.note(db, key.appId);
    },
    async setRole(db, key, role) {
      await cacheVersion.note(db, key.appId);
      await store.setRole(db, key, role);
    },
    beginSession: (db, app, userId, how) => beginSession(db, app, { ...how, userId, now: now() }, deps.findMissing),
    readHalf: (appId, challenge) => readHalf(db, { appId, challenge, now: now(), counts: false }),
    tryHalf: (appId, challenge) => readHalf(db, { appId, challenge, now: now(), counts: true }),
    finishHalf: (db, app, challenge) => finishHalf(db, app, { challenge, now: now() }),
    async settleSession(db, key, tokenHash, hasSecondFactor) {
      await deleteSessionsOf(db, key, tokenHash);
      await setSecondFactor(db, key, tokenHash, hasSecondFactor);
      await cacheVersion.note(db, key.appId);
    },
    async assertFresh(key, tokenHash) {
      if (!(await isFresh(deps, key, tokenHash))) throw notFresh('This changes how you sign in.');
    },
    async assertOneself(key, proof) {
      const user = await store.findUser(db, key);
      if (!user) throw fail('InvalidSessionToken');
      if (proof.currentPassword === undefined && (await isFresh(deps, key, proof.tokenHash))) return;
      if (user.password_hash === null) throw notFresh();
      await assertPassword(deps, user, proof);
    },
  };
}

/** Whether the session of the request has not ended since, in a transaction that holds the user. */
export async function isSignedIn(
  db: Db,
  key: store.UserKey,
  { tokenHash, hasSession }: Pick<AccountProof, 'tokenHash' | 'hasSession'>,
): Promise<boolean> {
  return !hasSession || (await hasToken(db, key, tokenHash));
}

/** Whether the session has begun a few minutes ago. */
export async function isFresh({ db, now }: Pick<AccountDeps, 'db' | 'now'>, key: store.UserKey, tokenHash: string) {
  const begun = await findSessionStart(db, key, tokenHash);
  return begun !== undefined && now() - begun <= freshMinutes * 60_000;
}

/** The error of a session that is not fresh, for an account without a password. */
export function notFresh(why = 'This account has no password.') {
  const message = `${why} Sign in again first: within ${freshMinutes} minutes of it, no password is needed.`;
  return fail('OperationForbidden', message);
}

export const notFreshToMove = () => notFresh('This account has a second factor.');
export const notFreshToErase = () => notFresh('This erases your account.');

/** Whether a password is the user's. Impossible passwords are refused without hashing; an unknown user takes as long as a known one. */
export async function isPassword(
  { db, passwords }: Pick<AccountDeps, 'db' | 'passwords'>,
  given: string,
  { appId, stored }: { readonly appId: string; readonly stored: string | null | undefined },
): Promise<boolean> {
  if (isLongerThan(given, maxPasswordLength)) return false;
  return passwords.matches(given, stored ?? undefined, appId, await store.findForeignHash(db, appId));
}

/** @throws Failure PasswordMissing, UserInvalidLoginParams, APICallLimit */
export async function assertPassword(
  deps: Pick<AccountDeps, 'db' | 'passwords'>,
  user: store.UserRow,
  { currentPassword, confirm }: Pick<AccountProof, 'currentPassword' | 'confirm'>,
): Promise<void> {
  if (!currentPassword) throw currentPasswordMissing();
  await confirm(user.email_key ?? user.object_id, async () => {
    const of = { appId: user.app_id, stored: user.password_hash };
    if (!(await isPassword(deps, currentPassword, of))) throw fail('UserInvalidLoginParams', wrongPassword);
  });
}
