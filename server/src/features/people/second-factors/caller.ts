import type { AppContext, UserContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import {
  type Account,
  type AccountKey,
  type AccountProof,
  type Accounts,
  tokenProof,
} from '../../../sign-in/accounts.ts';
import { type AttemptLimits, isWrongLogin } from '../../../sign-in/attempts.ts';
import type { AccountChange, NotifyOfChange } from '../../../sign-in/change-mail.ts';
import { emailKey } from '../../../sign-in/email.ts';
import { hasAuthenticator } from './store.ts';

export interface FactorCaller {
  readonly app: AppContext;
  readonly key: AccountKey;
  readonly proof: AccountProof;
  /** Whether one more mail may go to the address of the account. */
  readonly mayTell: (emailKey: string) => boolean;
}

interface Asked {
  readonly app: AppContext;
  readonly user: UserContext | undefined;
  readonly address: string;
  readonly now: number;
}

export function callerOf(
  { app, user, address, now }: Asked,
  { limits, currentPassword }: { readonly limits: AttemptLimits; readonly currentPassword?: string | undefined },
): FactorCaller {
  if (!user) throw fail('InvalidSessionToken');
  const confirm = (emailKey: string, check: () => Promise<void>) =>
    limits.guess({ app, address, emailKey, now }, check, isWrongLogin);
  return {
    app,
    key: { appId: app.appId, userId: user.userId },
    proof: { currentPassword, ...tokenProof(user), confirm },
    mayTell: (emailKey) => limits.mayTell({ app, address, emailKey, now }),
  };
}

/**
 * To add a way to sign in, a user sends the password or has just signed in. With a second factor the password alone is not
 * enough: a sign-in has used both.
 *
 * @throws Failure PasswordMissing, UserInvalidLoginParams, OperationForbidden
 */
export async function assertMayAdd(
  { db, accounts }: { readonly db: Db; readonly accounts: Accounts },
  { key, proof }: Pick<FactorCaller, 'key' | 'proof'>,
): Promise<void> {
  if (await hasAuthenticator(db, key)) await accounts.assertFresh(key, proof.tokenHash);
  else await accounts.assertOneself(key, proof);
}

/** Notifies the account's address of a change, in its transaction. */
export async function notifyOfChange(
  db: Db,
  tell: NotifyOfChange | undefined,
  notice: Pick<FactorCaller, 'key' | 'mayTell'> & {
    readonly account: Account;
    readonly change: AccountChange;
    readonly at: number;
  },
): Promise<void> {
  const { key, account, change, at, mayTell } = notice;
  const address = emailKey(account.email);
  if (address !== '' && mayTell(address)) await tell?.(db, { ...key, email: account.email, change, at });
}
