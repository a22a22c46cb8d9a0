import { type Actor, recordChange } from '../../../access/audit.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import type { Account, AccountKey } from '../../../sign-in/accounts.ts';
import type { AccountChange } from '../../../sign-in/change-mail.ts';
import type { Context } from '../../context.ts';
import { notifyOfChange } from './caller.ts';

/** What administrators remove for somebody who has lost it. */

type Deps = Pick<Context, 'accounts' | 'now' | 'tell'>;

interface Taken {
  readonly key: AccountKey;
  readonly account: Account;
  readonly by: Actor;
  readonly before: object;
  readonly after: object;
  readonly change: AccountChange;
}

/** @throws Failure ObjectNotFound */
export async function lockFor({ accounts }: Pick<Deps, 'accounts'>, db: Db, key: AccountKey): Promise<Account> {
  const account = await accounts.lock(db, key);
  if (!account) throw fail('ObjectNotFound', 'There is no user with this objectId.');
  return account;
}

/** The finder of what was lost may be signed in with it: every session ends, and the account's address is notified. */
export async function noteTaken({ accounts, now, tell }: Deps, db: Db, taken: Taken): Promise<void> {
  const { key, account, by, before, after, change } = taken;
  const at = now();
  await accounts.settleSession(db, key, '', false);
  const { appId, userId: subject } = key;
  await recordChange(db, { by, action: 'user.removeFactor', subject, appId, before, after, now: at });
  await notifyOfChange(db, tell, { key, account, change, at, mayTell: () => true });
}
