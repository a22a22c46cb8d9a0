import { joinSql, sql } from '../../../base/sql.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { Db } from '../../../db/db.ts';
import type { JobHandler } from '../../../jobs/job.ts';
import { blobKeyOf } from './place/file-name.ts';

/** Deletes the files of an erased user, with their bytes. */

/** The job that earlier versions have enqueued. */
export const eraseFilesJob = 'files.erase';

interface Erasure {
  readonly userId: string;
}

const atOnce = 100;

/**
 * May be repeated: a record stays, hidden, until its bytes are gone, so that what could not be deleted is not counted as erased. `count` is
 * called in the transaction that removes a record.
 */
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
    const ids = joinSql(
      files.map(({ object_id }) => sql`${object_id}`),
      ', ',
    );
    // The addresses no longer work, whatever happens to the bytes.
    if (files.length > 0)
      await db.run(sql`update files set bytes_missing_at = coalesce(bytes_missing_at, created_at)
        where app_id = ${appId} and object_id in (${ids})`);
    for (const { object_id, stored_name } of files) {
      await blobs.remove(blobKeyOf(appId, stored_name));
      await db.transaction(async (db) => {
        const gone = await db.run(sql`delete from files where app_id = ${appId} and object_id = ${object_id}`);
        if (gone > 0) await count(db, gone);
      });
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
