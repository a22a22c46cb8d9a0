import { join } from 'node:path';
import type { BlobStore } from '../blobs/blob-store.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import type { Row } from '../db/db.ts';
import { readLines } from './files.ts';
import type { Manifest } from './manifest.ts';

export type LostFiles = NonNullable<Manifest['lost']>;
/** A file that a record lists but whose bytes are missing. */
export type LostFile = LostFiles['files'][number];

/** Beyond this number they are counted but not named. */
const maxNamed = 1_000;

type Tables = Readonly<Record<string, { readonly file: string } | undefined>>;

/**
 * Compares the records of files in a backup with the bytes in it. `tables` names the file of each table in `folder`.
 * `isExpected` may excuse a file, such as one deleted while the backup was made.
 */
export async function findLostFiles(
  folder: string,
  tables: Tables,
  isExpected: (file: LostFile) => Promise<boolean> = async () => false,
): Promise<LostFiles> {
  const store: BlobStore = createDiskBlobStore(join(folder, 'files'));
  return filesOf(folder, tables, async (_row, file) => {
    if (await store.stat(`${file.appId}/${file.name.slice(0, 32)}`)) return false;
    return !(await isExpected(file));
  });
}

/** Those of which the service had noticed, when the backup was made, that their storage no longer has the bytes. */
export function findKnownLost(folder: string, tables: Tables): Promise<LostFiles> {
  return filesOf(
    folder,
    tables,
    async (row) => row['bytes_missing_at'] !== null && row['bytes_missing_at'] !== undefined,
  );
}

async function filesOf(
  folder: string,
  tables: Tables,
  isLost: (row: Row, file: LostFile) => Promise<boolean>,
): Promise<LostFiles> {
  const lines = tables['files'];
  if (!lines) return { count: 0, files: [] };
  const files: LostFile[] = [];
  let count = 0;
  for await (const line of readLines(join(folder, lines.file))) {
    const row = line as Row;
    const file = { appId: String(row['app_id']), objectId: String(row['object_id']), name: String(row['stored_name']) };
    if (!(await isLost(row, file))) continue;
    count++;
    if (files.length < maxNamed) files.push(file);
  }
  return { count, files };
}

export function describeLost({ count, files }: LostFiles, maxShown = maxNamed): string {
  const named = files.slice(0, maxShown).map(({ appId, objectId, name }) => `${name} (app ${appId}, file ${objectId})`);
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  return `${count === 1 ? '1 file has' : `${count} files have`} no bytes: ${named.join(', ')}${more}.`;
}
