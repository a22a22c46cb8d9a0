import { join } from 'node:path';
import { makeFolder } from '../base/disk/make-folder.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import type { Manifest } from './manifest.ts';
import { restoreBackup, verifyBackup } from './restore.ts';

/** What a restored copy is called within its folder; a data folder has the same names. */
export const restoredNames = { database: 'pharos.db', files: 'files' } as const;

/**
 * Restores a backup into an embedded database in a separate folder, and checks whether it is sound.
 *
 * @throws Error that says what is wrong with the backup or the copy
 */
export async function restoreInto(target: string, backup: string, now: number): Promise<Manifest> {
  const manifest = await verifyBackup(backup);
  await makeFolder(target, 0o700);
  const db = openSqlite({ file: join(target, restoredNames.database), queryDeadlineMs: 600_000 });
  try {
    const blobs = createDiskBlobStore(join(target, restoredNames.files));
    await restoreBackup({ db, blobs, folder: backup, now }, manifest);
    const faults = await db.check();
    if (faults.length > 0) throw new Error(`The restored database is damaged: ${faults.join(' ')}`);
  } finally {
    await db.close();
  }
  return manifest;
}
