import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { makeFolder } from '../base/disk/make-folder.ts';
import type { BlobStorage, BlobStore } from '../blobs/blob-store.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import type { Database, Row } from '../db/db.ts';
import { knownMigrations } from '../db/migrate.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import { archiveOf } from './archive.ts';
import { fileDigest, flushFolder, readLines } from './files.ts';
import { type Manifest, manifestName, readManifest } from './manifest.ts';
import { loadBlobs, loadTable, restoreBackup, tablesIn, verifyParts } from './restore.ts';
import { isOfApp } from './tables.ts';
import { writeBackup } from './write.ts';

/**
 * One app as one file: a tar archive of a backup that has only the rows and files of this app. Either database reads it, beside
 * other apps. A backup of everything is such an archive too, of each app in it.
 */

export interface Export {
  readonly db: Database;
  readonly blobs: BlobStorage;
  readonly appId: string;
  /** Must not exist yet. */
  readonly file: string;
  readonly now: number;
  /** Ends it early; what was written is removed. */
  readonly signal?: AbortSignal;
}

/** Writes the archive from one snapshot, while the service runs. The file gets its name once it is complete. */
export async function exportApp({ file, ...options }: Export): Promise<Manifest> {
  if (existsSync(file)) throw new Error(`${file} exists already. Name a file that does not exist yet.`);
  await makeFolder(dirname(file));
  const work = await mkdtemp(`${file}.unfinished-`);
  try {
    const folder = join(work, 'app');
    const manifest = await writeBackup({ ...options, folder, copiesFiles: true });
    const whole = join(work, 'archive');
    const { appId, signal } = options;
    const into = createWriteStream(whole, { mode: 0o600, flush: true });
    await pipeline(archiveOf(folder, appId), into, signal ? { signal } : {});
    await rename(whole, file);
    await flushFolder(dirname(file));
    return manifest;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** What may be in an archive; nothing else is unpacked, so that no name leads out of the folder. */
const partForm = /^[^/]+\/(manifest\.json|[a-z0-9_]+\.ndjson\.gz|files\/[0-9A-Za-z]{1,64}\/[0-9a-f]{2}\/[0-9a-f]{32})$/;

async function unpack(file: string, folder: string): Promise<void> {
  const reading = extract();
  const done = pipeline(createReadStream(file), reading);
  // Reported below. An entry that ends before it is read would be waited for, and a rejection that nobody awaits ends the process.
  const broken = new AbortController();
  done.catch((cause) => broken.abort(cause));
  try {
    for await (const entry of reading) {
      const part = partForm.exec(entry.header.name)?.[1];
      if (part === undefined || entry.header.type !== 'file') {
        entry.resume();
        continue;
      }
      const path = join(folder, part);
      await makeFolder(dirname(path), 0o700);
      await pipeline(entry, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: broken.signal });
    }
    await done;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOSPC') throw cause;
    throw new Error(`${basename(file)} is no archive of an app, or it is damaged: it cannot be unpacked.`, { cause });
  }
}

export interface Archive {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly appId: string;
  /** Its row, as it was in the other database. */
  readonly app: Row;
  /** Of what the archive contains. */
  readonly digest: string;
}

/**
 * Unpacks an archive, verifies it, and brings it to this version, for as long as `work` runs.
 *
 * @param from a file written by `exportApp`, or a folder written by `writeBackup`
 * @param wanted the app, if there are several
 * @throws Error that says what is missing or damaged
 */
export async function withArchive<T>(
  { from, wanted, scratch }: { readonly from: string; readonly wanted: string | undefined; readonly scratch: string },
  work: (archive: Archive) => Promise<T>,
): Promise<T> {
  const found = await stat(from).catch(() => undefined);
  if (!found) throw new Error(`There is no file ${from}.`);
  const temporary = await mkdtemp(join(scratch, 'pharos-import-'));
  try {
    const source = found.isDirectory() ? from : join(temporary, 'given');
    if (!found.isDirectory()) await unpack(from, source);
    const given = await verifyParts(source, await readManifest(source));
    if (given.blobs.elsewhere)
      throw new Error(
        `The files are not in this backup, they stay in ${given.blobs.elsewhere.place}. Make one with --with-files, or use pharos export.`,
      );
    const digest = await fileDigest(join(source, manifestName));
    const appId = await appIn(source, given, wanted);
    const { folder, manifest } = await upToDate({ folder: source, manifest: given }, { appId, temporary });
    const app = (await appsIn(folder, manifest)).find((row) => row['app_id'] === appId) ?? {};
    return await work({ folder, manifest, appId, app, digest: `${digest}:${appId}` });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const appsIn = (folder: string, { tables }: Manifest) =>
  Array.fromAsync(readLines(join(folder, tables['apps']?.file ?? '')), (line) => line as Row);

async function appIn(folder: string, manifest: Manifest, wanted: string | undefined): Promise<string> {
  const apps = await appsIn(folder, manifest);
  const [first] = apps;
  const app = wanted === undefined && apps.length === 1 ? first : apps.find((row) => row['app_id'] === wanted);
  if (app) return String(app['app_id']);
  const listed = apps.map((row) => `${row['app_id']} ${row['name']}`).join('\n');
  if (wanted === undefined) throw new Error(`Choose one of the apps in it with --app ID:\n${listed}`);
  throw new Error(`The app ${wanted} is not in it, only:\n${listed}`);
}

/** An older one goes through an embedded database of its own, in which the migrations change what they changed elsewhere. */
async function upToDate(
  given: Pick<Archive, 'folder' | 'manifest'>,
  { appId, temporary }: { readonly appId: string; readonly temporary: string },
): Promise<Pick<Archive, 'folder' | 'manifest'>> {
  const { folder: source, manifest } = given;
  if (manifest.migration === knownMigrations().at(-1)?.id) return given;
  const db = openSqlite({ file: join(temporary, 'migrated.db'), queryDeadlineMs: 600_000 });
  try {
    const blobs = createDiskBlobStore(join(temporary, 'files'));
    await restoreBackup({ db, blobs, folder: source, now: Date.now() }, manifest);
    const folder = join(temporary, 'migrated');
    return { folder, manifest: await writeBackup({ db, blobs, appId, folder, now: Date.now() }) };
  } finally {
    await db.close();
  }
}

const sealedForm = /^v1\.[0-9a-f]{8}\./;

/** Whether it has credentials that only the service from which it comes can open, or one that has its key. */
export async function hasSealed({ folder, manifest, appId }: Archive): Promise<boolean> {
  for (const table of ['senders', 'webhooks', 'user_totp', 'identity_providers'])
    for await (const line of readLines(join(folder, manifest.tables[table]?.file ?? ''))) {
      const row = line as Row;
      if (
        row['app_id'] === appId &&
        Object.values(row).some((cell) => typeof cell === 'string' && sealedForm.test(cell))
      )
        return true;
    }
  return false;
}

/** Rows and files, without the row of the app itself: until that is there, nobody can call it. What is there already stays. */
export async function loadApp(
  { db, blobs }: { readonly db: Database; readonly blobs: BlobStore },
  { folder, manifest, appId }: Archive,
): Promise<void> {
  await loadBlobs(blobs, { folder, manifest, appId });
  for (const table of tablesIn(manifest))
    if (isOfApp(table) && table.name !== 'apps') await loadTable(db, { table: table.name, folder, manifest, appId });
}
