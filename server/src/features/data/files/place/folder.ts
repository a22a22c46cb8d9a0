import { Failure, fail } from '../../../../base/errors.ts';
import { randomText } from '../../../../base/id.ts';
import { raw, sql } from '../../../../base/sql.ts';
import {
  type BlobStorage,
  type FolderMark,
  type FolderUse,
  folderSetting,
  StorageFault,
} from '../../../../blobs/blob-store.ts';
import type { Db } from '../../../../db/db.ts';
import { findSetting, insertSetting } from '../../../../db/settings.ts';
import { blobKeyOf } from './file-name.ts';

/**
 * A folder of files may be a disk of its own, or one of another machine. While it is not mounted, what is stored would be below it, and gone
 * once it is mounted. So the folder has a mark that the database knows ([ADR 134](../../../../../docs/adr/0134-file-folder-identity-mark.md)).
 */

type FolderStorage = Pick<BlobStorage, 'place' | 'folderMark'>;

/** How many of the listed files are looked for. */
const sampled = 20;

/** Whether the folder has most of some files that are listed; undefined if none is. */
async function hasListed(db: Db, mark: FolderMark, which: 'shown' | 'all'): Promise<boolean | undefined> {
  const shown = which === 'all' ? raw('true') : raw('bytes_missing_at is null');
  const listed = await db.all<{ app_id: string; stored_name: string }>(
    sql`select app_id, stored_name from files where ${shown} order by app_id, object_id limit ${sampled}`,
  );
  if (listed.length === 0) return undefined;
  return (await mark.count(listed.map((file) => blobKeyOf(file.app_id, file.stored_name)))) * 2 >= listed.length;
}

interface Judgement {
  /** `new`: database and folder do not know one another yet; `bare`: only the folder's mark is missing. */
  readonly state: 'right' | 'new' | 'bare' | 'unused' | 'missing' | 'another';
  readonly known: string | undefined;
  readonly found: string | undefined;
}

async function judge(db: Db, mark: FolderMark): Promise<Judgement> {
  // In this order: a folder is marked before the database knows the mark, and another request or node may be doing so now.
  const known = await findSetting(db, folderSetting);
  const found = await mark.read();
  const state = async (): Promise<Judgement['state']> => {
    if (known !== undefined && found !== undefined) return known === found ? 'right' : 'another';
    // Copied without its mark.
    if (known !== undefined) return (await hasListed(db, mark, 'all')) ? 'bare' : 'missing';
    // Files that are hidden already have been missing for longer than there are marks.
    const has = await hasListed(db, mark, 'shown');
    if (has === undefined) return 'unused';
    return has ? 'new' : 'missing';
  };
  return { state: await state(), known, found };
}

const claiming = 'If the files are to be in this folder from now on, run: pharos files claim';

/** What is wrong, for whoever runs the service. */
function explain({ place }: FolderStorage, state: Judgement['state']): string | undefined {
  if (state === 'missing')
    return `The folder ${place} does not have the files of this database. Is its disk mounted? ${claiming}`;
  if (state === 'another')
    return `The folder ${place} is not the one in which the files of this database are. Is the right disk mounted? ${claiming}`;
  return undefined;
}

/** What is wrong with the folder; undefined: nothing. Changes nothing. */
export async function folderFault(db: Db, storage: FolderStorage): Promise<string | undefined> {
  return storage.folderMark && explain(storage, (await judge(db, storage.folderMark)).state);
}

/** From now on the storage stores nothing in another folder, and does not say of it that files are missing. */
export function guardFolder(db: Db, storage: FolderStorage): void {
  const { folderMark: mark } = storage;
  let known: string | undefined;
  mark?.guard(async (use) => {
    if (known !== undefined && (await mark.read()) === known) return;
    known = await settled(db, storage, mark, use);
  });
}

/** The mark of the folder, once it is the right one. @throws Failure Timeout whose cause says what to do */
async function settled(db: Db, storage: FolderStorage, mark: FolderMark, use: FolderUse): Promise<string | undefined> {
  const { state, known, found } = await judge(db, mark);
  const fault = explain(storage, state);
  if (fault !== undefined) throw unavailable(new StorageFault(fault));
  if (state === 'right') return found;
  // A node that only does jobs may have no folder at all. The first file says which it is.
  if (state === 'unused' && use === 'read') return undefined;
  // The folder first: a database that knows a mark which no folder has would take nothing.
  if (found === undefined)
    await mark.write(known ?? randomText(20)).catch((error: unknown) => {
      throw unmarked(storage, error);
    });
  const written = await mark.read();
  if (written === undefined) throw unmarked(storage, undefined);
  await insertSetting(db, folderSetting, written);
  if ((await findSetting(db, folderSetting)) !== written)
    throw unavailable(new StorageFault(explain(storage, 'another')));
  return written;
}

function unmarked({ place }: FolderStorage, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return unavailable(new StorageFault(`The mark of the folder ${place} cannot be written.`, { cause: error }));
}

const unavailable = (cause: StorageFault) =>
  fail('Timeout', {
    message: 'The file storage cannot take or give this now. Try again.',
    retryAfter: 5,
    cause,
  });
