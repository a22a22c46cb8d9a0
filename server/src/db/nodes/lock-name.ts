import type { Db } from '../db.ts';

/**
 * In a transaction: one after the other of those who lock this name, where transactions that write do not anyway. For what is counted before
 * a row is inserted, and has no row of its own that could be locked.
 */
export async function lockName(db: Db, name: string): Promise<void> {
  const { lockNames } = db.dialect;
  if (lockNames) await db.all(lockNames.all([name]));
}
