import { setImmediate as nextTick } from 'node:timers/promises';
import type { BlobStorage } from '../../../blobs/blob-store.ts';
import type { Db } from '../../../db/db.ts';
import type { Context } from '../../context.ts';
import { blobKeyOf } from './place/file-name.ts';
import { findFilesAfter, markBytes, type StoredFile } from './store.ts';

const pageSize = 200;
const maxNamed = 10;
/** A remote storage answers several questions in the time of one. */
const atOnce = 16;

export interface ContentDeps extends Pick<Context, 'blobs' | 'now'> {
  readonly db: Db;
  readonly isStopping: () => boolean;
  /** Called at most once per kind and pass: content is missing, or is back. */
  readonly log: (level: 'info' | 'error', message: string) => void;
}

/**
 * Hides the records of files whose content is missing from the storage, and shows them again once it is back. Nothing
 * is deleted: an unmounted folder looks the same as lost files. With `all` every record is checked, otherwise only the
 * hidden ones. It works in small steps, so that requests are not delayed.
 */
export async function checkContent({ db, blobs, now, isStopping, log }: ContentDeps, all: boolean): Promise<void> {
  // A storage that does not answer, or is another one than was meant, has not lost files.
  await blobs.check();
  const lost: string[] = [];
  let [lostCount, foundCount] = [0, 0];
  for (let last: StoredFile | undefined; !isStopping(); ) {
    const page = await findFilesAfter(db, last, { limit: pageSize, all });
    for await (const { file, isThere } of checked(blobs, page)) {
      if (isThere === (file.bytes_missing_at === null)) continue;
      if (!(await markBytes(db, file, isThere ? null : now()))) continue;
      if (isThere) foundCount++;
      else if (lostCount++ < maxNamed) lost.push(`${file.app_id}/${file.stored_name}`);
    }
    last = page.at(-1);
    if (page.length < pageSize) break;
    await nextTick();
  }
  if (lostCount > 0)
    log(
      'error',
      `files without content in the storage, hidden until it is back: ${lostCount} (${lost.join(', ')}${lostCount > lost.length ? ', …' : ''})`,
    );
  if (foundCount > 0) log('info', `files whose content is back in the storage: ${foundCount}`);
}

async function* checked(blobs: BlobStorage, files: readonly StoredFile[]) {
  for (let from = 0; from < files.length; from += atOnce) {
    const some = files.slice(from, from + atOnce);
    const found = await Promise.all(some.map((file) => blobs.stat(blobKeyOf(file.app_id, file.stored_name))));
    for (const [index, file] of some.entries()) yield { file, isThere: found[index] !== undefined };
  }
}
