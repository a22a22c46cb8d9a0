import { sql } from '../../base/sql.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Db } from '../../db/db.ts';
import type { JobHandler } from '../../jobs/job.ts';
import { blobKeyOf } from './file-name.ts';

/** Deletes the files of an erased user, with their bytes. */

/** What earlier versions have asked for. */
export const eraseFilesJob = 'files.erase';

interface Erasure {
  readonly userId: string;
}

const atOnce = 100;

/** May be repeated: bytes whose record is gone are swept anyway. `count` is called in the transaction that removes a record. */
export async function eraseFilesOf(
  db: Db,
  blobs: BlobStore,
  { appId, userId }: Erasure & { readonly appId: string },
  count: (db: Db, files: number) => Promise<void> = async () => undefined,
): Promise<void> {
  for (;;) {
    const files = await db.all<{ object_id: string; stored_name: string }>(
      sql`select object_id, stored_name from files where app_id = ${appId} and created_by = ${userId}
        order by object_id limit ${atOnce}`,
    );
    for (const { object_id, stored_name } of files) {
      // The record first: without it the address no longer works, whatever happens to the bytes.
      await db.transaction(async (db) => {
        const gone = await db.run(sql`delete from files where app_id = ${appId} and object_id = ${object_id}`);
        if (gone > 0) await count(db, gone);
      });
      await blobs.remove(blobKeyOf(appId, stored_name));
    }
    if (files.length < atOnce) return;
  }
}

export function fileErasureHandlers(db: Db, blobs: BlobStore): Record<typeof eraseFilesJob, JobHandler> {
  return {
    [eraseFilesJob]: {
      concurrency: 1,
      maxAttempts: 50,
      baseDelayMs: 1_000,
      maxDelayMs: 300_000,
      run: ({ appId, payload }) => eraseFilesOf(db, blobs, { appId, ...(payload as Erasure) }),
    },
  };
}
