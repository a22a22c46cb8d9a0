import { type Actor, recordChange } from '../../../../access/audit.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { Database } from '../../../../db/db.ts';
import { lockAdmin, writeAdmin } from '../accounts/store.ts';
import { isOnlyWay } from './store.ts';

interface Opening {
  readonly adminId: string;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly by: Actor;
}

/**
 * Lets an owner sign in with a password for a while, where only single sign-on is allowed. Others stay shut out. Elsewhere
 * nothing has to be opened.
 */
export async function openLocalSignIn(
  { db, now }: { readonly db: Database; readonly now: Clock },
  { adminId, until, by }: Opening,
): Promise<void> {
  await db.transaction(async (db) => {
    const row = await lockAdmin(db, adminId);
    if (row?.role !== 'owner' || !(await isOnlyWay(db))) return;
    await writeAdmin(db, { ...row, local_until: until });
    const after = { until: new Date(until).toISOString() };
    await recordChange(db, { by, action: 'administrator.openLocal', subject: row.email, after, now: now() });
  });
}
