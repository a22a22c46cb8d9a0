import { randomText } from '../base/id.ts';
import type { Db } from '../db/db.ts';
import { deleteSetting, saveSetting } from '../db/settings.ts';
import { type BlobStore, type FolderMark, folderSetting } from './blob-store.ts';

/** The files of this database are in this folder, whatever is in it. */
export async function claimFolder(
  db: Db,
  { folderMark: mark }: BlobStore & { readonly folderMark?: FolderMark },
): Promise<void> {
  if (!mark) return;
  if ((await mark.read()) === undefined) await mark.write(randomText(20));
  await saveSetting(db, folderSetting, (await mark.read()) ?? '');
}

/** For a copy of a database whose files are elsewhere. */
export async function forgetFolder(db: Db): Promise<void> {
  await deleteSetting(db, folderSetting);
}
