import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/db.ts';
import { blobKeyOf } from './file-name.ts';
import { findFilesAfter, markBytes, type StoredFile } from './store.ts';

const pageSize = 200;
const mostNamed = 10;

export interface SettleDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly now: Clock;
  readonly isStopping: () => boolean;
  /** Told once a walk when something was lost, or is there again. */
  readonly log: (level: 'info' | 'error', message: string) => void;
}

/**
 * Hides the records whose bytes the storage does not have, and shows them again once it has them. Nothing is deleted: a
 * folder that is not mounted looks the same as files that are lost. `all` looks at every record, otherwise at those that
 * are hidden. It walks in small steps, so that no request waits for it.
 */
export async function settleFiles({ db, blobs, now, isStopping, log }: SettleDeps, all: boolean): Promise<void> {
  const lost: string[] = [];
  let [lostCount, foundCount] = [0, 0];
  for (let last: StoredFile | undefined; !isStopping(); ) {
    const page = await findFilesAfter(db, last, { limit: pageSize, all });
    for (const file of page) {
      const isThere = (await blobs.stat(blobKeyOf(file.app_id, file.stored_name))) !== undefined;
      if (isThere === (file.bytes_missing_at === null)) continue;
      if (!(await markBytes(db, file, isThere ? null : now()))) continue;
      if (isThere) foundCount++;
      else if (lostCount++ < mostNamed) lost.push(`${file.app_id}/${file.stored_name}`);
    }
    last = page.at(-1);
    if (page.length < pageSize) break;
    await nextTurn();
  }
  if (lostCount > 0)
    log(
      'error',
      `the storage does not have the bytes of ${lostCount} files, which are not shown until it has: ${lost.join(', ')}`,
    );
  if (foundCount > 0) log('info', `the bytes of ${foundCount} files are there again`);
}
