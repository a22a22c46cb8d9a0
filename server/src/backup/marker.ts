import type { Db } from '../db/db.ts';
import { deleteSetting, findSetting, insertSetting } from '../db/settings.ts';

const name = 'restoring';

/** Marks a restore in progress. If it is found later, not all rows have arrived. */
export async function setRestoreMarker(db: Db): Promise<void> {
  await insertSetting(db, name, '1');
}

export async function clearRestoreMarker(db: Db): Promise<void> {
  await deleteSetting(db, name);
}

export async function hasRestoreMarker(db: Db): Promise<boolean> {
  return (await findSetting(db, name)) !== undefined;
}

/**
 * @throws Error when a restore into this database was interrupted, so that a partial copy is never served as a whole
 * one
 */
export async function assertNoUnfinishedRestore(db: Db): Promise<void> {
  if (await hasRestoreMarker(db))
    throw new Error('A restore into this database was not finished. Run the same pharos restore again to finish it.');
}
