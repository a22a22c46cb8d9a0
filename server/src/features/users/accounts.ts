import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { Passwords } from '../../base/passwords.ts';
import type { CacheVersion } from '../../db/cache-version.ts';
import type { Database } from '../../db/db.ts';
import type { Account, Accounts, Proof } from '../../sign-in/accounts.ts';
import { emailKey, isEmailAddress } from '../../sign-in/email.ts';
import { currentPasswordMissing, maxPasswordLength } from './schemas.ts';
import { findSessionStart } from './session-store.ts';
import { beginSession } from './sessions.ts';
import * as store from './store.ts';
import { profileTable } from './tables.ts';

export interface AccountDeps {
  readonly db: Database;
  readonly cacheVersion: CacheVersion;
  readonly now: Clock;
  readonly passwords: Passwords;
}

/** How long a sign-in counts as fresh. */
const freshMinutes = 10;
export const wrongPassword = 'currentPassword is wrong.';

/** The key of an address that an account can have; undefined for any other text. */
const keyOf = (email: string) => (isEmailAddress(email) && emailKey(email)) || undefined;

function accountOf(row: store.UserRow | undefined): Account | undefined {
  return (
    row && {
      userId: row.object_id,
      role: row.role,
      isDisabled: row.disabled_at !== null,
      hasPassword: row.password_hash !== null && row.email_key !== null,
      hasVerifiedEmail: row.email_verified_at !== null,
    }
  );
}

export function createAccounts(deps: AccountDeps): Accounts {
  const { db, cacheVersion, now } = deps;
  return {
    lock: async (db, key) => accountOf(await store.lockUser(db, key)),
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
    async setRole(db, key, role) {
      await cacheVersion.note(db);
      await store.setRole(db, key, role);
    },
    beginSession: (db, app, userId, how) => beginSession(db, app, { ...how, userId, now: now() }),
    async assertOneself(key, proof) {
      const user = await store.findUser(db, key);
      if (!user) throw fail('InvalidSessionToken');
      if (proof.currentPassword === undefined && (await isFresh(deps, key, proof.tokenHash))) return;
      if (user.password_hash === null) throw notFresh();
      await assertPassword(deps, user, proof);
    },
  };
}

/** Whether the session has begun a few minutes ago. */
export async function isFresh({ db, now }: Pick<AccountDeps, 'db' | 'now'>, key: store.UserKey, tokenHash: string) {
  const begun = await findSessionStart(db, key, tokenHash);
  return begun !== undefined && now() - begun <= freshMinutes * 60_000;
}

/** For an account without a password. */
export function notFresh() {
  const message = `This account has no password. Sign in again first: within ${freshMinutes} minutes of it, no password is needed.`;
  return fail('OperationForbidden', message);
}

/** @throws Failure PasswordMissing, UserInvalidLoginParams, APICallLimit */
export async function assertPassword(
  { passwords }: Pick<AccountDeps, 'passwords'>,
  user: store.UserRow,
  { currentPassword, confirm }: Pick<Proof, 'currentPassword' | 'confirm'>,
): Promise<void> {
  if (!currentPassword) throw currentPasswordMissing();
  await confirm(user.email_key ?? user.object_id, async () => {
    const isPossible = currentPassword.length <= 2 * maxPasswordLength;
    const stored = user.password_hash ?? undefined;
    if (!isPossible || !(await passwords.matches(currentPassword, stored, user.app_id)))
      throw fail('UserInvalidLoginParams', wrongPassword);
  });
}
