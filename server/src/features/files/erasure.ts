import { sql } from '../../base/sql.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Db } from '../../db/db.ts';
import type { JobHandler, NewJob } from '../../jobs/job.ts';
import { blobKeyOf } from './file-name.ts';

/** Deletes the files of an erased user, with their bytes. */

export const eraseFilesJob = 'files.erase';

interface Erasure {
  readonly userId: string;
}

/** Schedules the deletion; called in the transaction that erases the user. */
export async function forgetFiles(
  db: Db,
  { appId, userId }: { readonly appId: string; readonly userId: string },
  enqueue: (db: Db, job: NewJob) => Promise<void>,
): Promise<void> {
  const payload: Erasure = { userId };
  await enqueue(db, { appId, kind: eraseFilesJob, payload });
}

const atOnce = 100;

/** May be repeated: bytes whose record is gone are swept anyway. */
async function eraseFiles(db: Db, blobs: BlobStore, { appId, userId }: Erasure & { readonly appId: string }) {
  for (;;) {
    const files = await db.all<{ object_id: string; stored_name: string }>(
      sql`select object_id, stored_name from files where app_id = ${appId} and created_by = ${userId}
        order by object_id limit ${atOnce}`,
    );
    for (const { object_id, stored_name } of files) {
      // The record first: without it the address no longer works, whatever happens to the bytes.
      await db.run(sql`delete from files where app_id = ${appId} and object_id = ${object_id}`);
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
      run: ({ appId, payload }) => eraseFiles(db, blobs, { appId, ...(payload as Erasure) }),
    },
  };
}
