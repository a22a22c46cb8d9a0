import type { AppContext } from '../../../access/context.ts';
import type { Db } from '../../../db/db.ts';
import type { AccountKey, FindMissing } from '../../../sign-in/accounts.ts';
import { FactorStore, type PasskeyRow as StoredPasskey } from '../../../sign-in/factors/factor-store.ts';

/** Whose factors: the columns that name a user. */
export type UserColumns = { readonly app_id: string; readonly user_id: string };
export type PasskeyRow = StoredPasskey & UserColumns;

export const columnsOf = ({ appId, userId }: AccountKey): UserColumns => ({ app_id: appId, user_id: userId });

/** What users prove beside a password or instead of it. */
export const store = new FactorStore<UserColumns>('user');

/** Whether an authenticator app is set up. */
export async function hasAuthenticator(db: Db, key: AccountKey): Promise<boolean> {
  return ((await store.findTotp(db, columnsOf(key)))?.enabled_at ?? null) !== null;
}

/** Where the app has switched second factors off, nobody is asked for one. */
export const findMissing: FindMissing = async (db: Db, { policy }: AppContext, key: AccountKey) => {
  if (policy.totp === 'off') return undefined;
  if (await hasAuthenticator(db, key)) return 'code';
  return policy.totp === 'required' ? 'enrolment' : undefined;
};

/** Removes everything other than a password that signs in: whoever set it up has not proven to be the person. */
export async function forgetFactors(db: Db, appId: string, userId: string): Promise<void> {
  await store.deleteFactors(db, { app_id: appId, user_id: userId });
}
