import { randomText } from '../../../../base/id.ts';
import type { BlobStorage } from '../../../../blobs/blob-store.ts';
import type { Db } from '../../../../db/db.ts';
import { findSetting, insertSetting, saveSetting } from '../../../../db/settings.ts';

/**
 * A bucket can be reached by several databases: a copy for trial, one that was restored, a mistake in a setting. So the first
 * database writes its id into the bucket, and only that one deletes files of which it has no record.
 */
const ownSetting = 'files_owner';

async function ownId(db: Db): Promise<string> {
  await insertSetting(db, ownSetting, randomText(20));
  return (await findSetting(db, ownSetting)) ?? '';
}

export type Ownership = 'own' | 'foreign';

/** Claims files that belong to no database yet. @throws Failure Timeout when the storage does not answer */
export async function findOwnership(db: Db, { mark }: Pick<BlobStorage, 'mark'>): Promise<Ownership> {
  if (!mark) return 'own';
  const own = await ownId(db);
  const found = await mark.read();
  if (found !== undefined) return found === own ? 'own' : 'foreign';
  await mark.write(own);
  // Another one may have done the same in the meantime.
  return (await mark.read()) === own ? 'own' : 'foreign';
}

/** Changes nothing. @throws Failure Timeout when the storage does not answer */
export async function readOwnership(db: Db, { mark }: Pick<BlobStorage, 'mark'>): Promise<Ownership> {
  const found = await mark?.read();
  return found === undefined || found === (await findSetting(db, ownSetting)) ? 'own' : 'foreign';
}

/** From now on the files belong to this database, and to no other. */
export async function claimFiles(db: Db, { mark }: Pick<BlobStorage, 'mark'>): Promise<void> {
  await mark?.write(await ownId(db));
}

/** Gives a copy of a database an identity of its own, so that it does not take itself for the owner. */
export async function becomeAnother(db: Db): Promise<void> {
  await saveSetting(db, ownSetting, randomText(20));
}
