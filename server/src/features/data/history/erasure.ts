import type { Database, Db } from '../../../db/db.ts';
import * as store from './store.ts';

const atOnce = 100;

interface FilesErasing {
  readonly db: Database;
  readonly removeBytes: (appId: string, storedName: string) => Promise<unknown>;
}

/**
 * Removes the files of an erased user that are in the trash, with their bytes. May be repeated. `count` is called in the transaction
 * that removes an entry.
 */
export async function eraseDeletedFilesOf(
  { db, removeBytes }: FilesErasing,
  { appId, userId }: { readonly appId: string; readonly userId: string },
  count: (db: Db, entries: number) => Promise<void>,
): Promise<void> {
  for (;;) {
    const entries = await store.listFilesOf(db, appId, userId, atOnce);
    for (const { object_id: trashId, stored_name: storedName } of entries) {
      // The entry stays until its bytes are gone: what could not be deleted is not counted as erased.
      if (storedName !== null) await removeBytes(appId, storedName);
      await db.transaction(async (db) => {
        if (await store.takeTrash(db, appId, trashId)) await count(db, 1);
      });
    }
    if (entries.length < atOnce) return;
  }
}
