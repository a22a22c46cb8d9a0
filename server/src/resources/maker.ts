import { type Caller, seesAll } from '../access/caller.ts';
import { fail } from '../base/errors.ts';
import { raw, sql } from '../base/sql.ts';
import type { Db } from '../db/db.ts';
import type { Key, RecordTable } from './table.ts';

/** The columns that store who created a record. */
export function makerColumns({ user, isAdministrator }: Caller): Key {
  return { user_id: user?.userId ?? null, by_admin: isAdministrator ? 1 : 0 };
}

/**
 * A record may be changed and deleted by the user who created it and by managers. If it was created without a signed-in user,
 * or its creator is unknown, every user may change it, provided that the app lets all users write content.
 *
 * @throws Failure OperationForbidden
 */
export async function assertMaker(
  db: Db,
  table: Pick<RecordTable, 'name' | 'match'>,
  { caller, key }: { readonly caller: Caller; readonly key: Key },
): Promise<void> {
  if (seesAll(caller)) return;
  const made = await db.one<{ user_id: string | null; by_admin: number }>(
    sql`select user_id, by_admin from ${raw(table.name)} where ${table.match(key)}`,
  );
  if (!made) return;
  const isFree = made.user_id === null && made.by_admin === 0 && caller.app.policy.writeContent === 'user';
  if (isFree || (made.user_id !== null && made.user_id === caller.user?.userId)) return;
  throw fail('OperationForbidden', 'Only the user who created it, or a manager, may change or delete it.');
}
