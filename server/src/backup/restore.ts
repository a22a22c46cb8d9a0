import { join } from 'node:path';
import { joinSql, raw, sql } from '../base/sql.ts';
import type { BlobStore, FolderMark } from '../blobs/blob-store.ts';
import { claimFolder, forgetFolder } from '../blobs/claim-folder.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import type { Database, Db, Row } from '../db/db.ts';
import { knownMigrations, migrate, newestMigration } from '../db/migrate.ts';
import { countChange } from '../db/nodes/cache-version.ts';
import { digesting, fileDigest, readLines } from './files.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { clearRestoreMarker, hasRestoreMarker, setRestoreMarker } from './marker.ts';
import { type BackupTable, isOfApp, tablesOf } from './tables.ts';

export interface RestoreOptions {
  readonly db: Database;
  readonly blobs: BlobStore & { readonly folderMark?: FolderMark };
  /** A folder written by `writeBackup`. */
  readonly folder: string;
  readonly now: number;
  /** What has to be done before anybody uses the database; until then the restore counts as interrupted. */
  readonly finish?: () => Promise<void>;
}

/** Both databases take more, but a statement of this size is fast and needs little memory. */
const batchValues = 4_000;
const batchBytes = 2 * 1024 * 1024;

interface BlobLine {
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Reads through a backup once. @throws Error that names the first missing or damaged file */
export async function verifyBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest.appId !== undefined)
    throw new Error('This is an archive of one app, not a backup. Import it with pharos import.');
  return verifyParts(folder, manifest);
}

/** Verifies the parts of a backup or of an app's archive. */
export async function verifyParts(folder: string, manifest: Manifest): Promise<Manifest> {
  const known = knownMigrations();
  const newest = known.at(-1)?.id ?? 0;
  if (manifest.migration > newest)
    throw new Error(
      `The backup was made at migration ${manifest.migration}, this version of Pharos knows ${newest}. Restore it with a newer version.`,
    );
  const missing = tablesIn(manifest).find(({ name }) => !Object.hasOwn(manifest.tables, name));
  if (missing) throw new Error(`The backup is damaged: the table ${missing.name} is not in it.`);
  for (const { file, sha256 } of [...Object.values(manifest.tables), manifest.blobs]) {
    const found = await fileDigest(join(folder, file)).catch(() => undefined);
    if (found !== sha256) throw new Error(`The backup is damaged: ${file} is missing or has been changed.`);
  }
  const stored = createDiskBlobStore(join(folder, 'files'));
  for await (const line of readLines(join(folder, manifest.blobs.file))) {
    const { key, sha256 } = line as BlobLine;
    if ((await blobDigest(stored, key)) !== sha256)
      throw new Error(`The backup is damaged: files/${key} is missing or has been changed.`);
  }
  return manifest;
}

/** The tables that it has, in the order in which they are loaded. */
export function tablesIn({ migration, appId }: Pick<Manifest, 'migration' | 'appId'>): readonly BackupTable[] {
  const all = tablesOf(knownMigrations().filter(({ id }) => id <= migration));
  return appId === undefined ? all : all.filter(isOfApp);
}

async function blobDigest(store: BlobStore, key: string): Promise<string | undefined> {
  const source = await store.get(key);
  if (!source) return undefined;
  const digest = digesting();
  for await (const _ of digest.through(source));
  return digest.result().sha256;
}

/**
 * Fills an empty database and an empty file storage from a verified backup. First it removes what an interrupted
 * restore has left; when it fails, it removes what it has written. The file storage is not touched if the backup has left the
 * files where they are.
 *
 * @throws Error when the database or the file storage is not empty
 */
export async function restoreBackup(options: RestoreOptions, manifest: Manifest): Promise<void> {
  const { db, folder, now } = options;
  // Files that were left where they are stay there, whatever becomes of the restore.
  const blobs = manifest.blobs.elsewhere ? undefined : options.blobs;
  await migrate(db, now, manifest.migration);
  const present = await newestMigration((statement) => db.all(statement));
  if (present !== manifest.migration)
    throw new Error(
      `The database is at migration ${present}, the backup at ${manifest.migration}. Restore into a new database.`,
    );
  const tables = tablesOf(knownMigrations().filter(({ id }) => id <= manifest.migration));
  if (await hasRestoreMarker(db)) await empty(db, blobs, tables);
  await assertEmpty(db, blobs, tables);
  await setRestoreMarker(db);
  try {
    for (const { name } of tablesIn(manifest)) await loadTable(db, { table: name, folder, manifest });
    if (blobs) await loadBlobs(blobs, { folder, manifest });
  } catch (error) {
    await empty(db, blobs, tables);
    throw error;
  }
  await migrate(db, now);
  await options.finish?.();
  await db.transaction(async (db) => {
    await countChange(db, 'access');
    await (blobs ? claimFolder(db, blobs) : forgetFolder(db));
    await clearRestoreMarker(db);
  });
}

async function assertEmpty(db: Database, blobs: BlobStore | undefined, tables: readonly BackupTable[]): Promise<void> {
  for (const { name } of tables) {
    const row = await db.one(sql`select 1 as found from ${raw(name)} limit 1`);
    if (row) throw new Error(`The database is not empty: ${name} has rows. Restore into a new database.`);
  }
  if (blobs && (await blobs.list({ limit: 1 })).length > 0)
    throw new Error('The folder of files is not empty. Restore into a new data folder, or with S3 into a new prefix.');
}

async function empty(db: Database, blobs: BlobStore | undefined, tables: readonly BackupTable[]): Promise<void> {
  // The marker is in the settings. That table goes last, so that an interruption leaves the marker there.
  const inOrder = [...tables].sort((a, b) => Number(a.name === 'settings') - Number(b.name === 'settings'));
  if (blobs) await removeAll(blobs);
  for (const { name } of inOrder) await db.run(sql`delete from ${raw(name)}`);
}

async function removeAll(blobs: BlobStore): Promise<void> {
  for (let page = await blobs.list({ limit: 500 }); page.length > 0; page = await blobs.list({ limit: 500 }))
    for (const { key } of page) await blobs.remove(key);
}

interface Loading {
  readonly table: string;
  readonly folder: string;
  readonly manifest: Manifest;
  /** Rows of other apps are passed over, and those that are there already stay as they are. */
  readonly appId?: string;
}

/** @throws Error when there are fewer rows than the manifest says, or more */
export async function loadTable(db: Database, { table, folder, manifest, appId }: Loading): Promise<void> {
  const described = manifest.tables[table];
  if (!described) throw new Error(`The backup is damaged: the table ${table} is not in it.`);
  let [batch, bytes, read]: [Row[], number, number] = [[], 0, 0];
  const insert = () => insertRows(db, table, batch, appId === undefined ? '' : ' on conflict do nothing');
  for await (const value of readLines(join(folder, described.file))) {
    const row = value as Row;
    read++;
    if (appId !== undefined && row['app_id'] !== appId) continue;
    batch.push(row);
    for (const cell of Object.values(row)) bytes += typeof cell === 'string' ? cell.length : 8;
    if (bytes < batchBytes && (batch.length + 1) * Object.keys(row).length <= batchValues) continue;
    await insert();
    [batch, bytes] = [[], 0];
    await db.caughtUp();
  }
  if (batch.length > 0) await insert();
  if (read !== described.rows)
    throw new Error(`The backup is damaged: ${table} has ${read} rows instead of ${described.rows}.`);
}

export async function insertRows(db: Db, table: string, rows: readonly Row[], ending = ''): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  if (!columns.every((column) => /^[a-z][a-z0-9_]*$/.test(column)))
    throw new Error(`The backup is damaged: ${table} has a column of an impossible name.`);
  const tuples = rows.map((row) => {
    const cells = columns.map((column) => sql`${row[column] ?? null}`);
    return sql`(${joinSql(cells, ', ')})`;
  });
  const values = joinSql(tuples, ', ');
  await db.run(sql`insert into ${raw(table)} (${raw(columns.join(', '))}) values ${values}${raw(ending)}`);
}

export async function loadBlobs(blobs: BlobStore, { folder, manifest, appId }: Omit<Loading, 'table'>): Promise<void> {
  const stored = createDiskBlobStore(join(folder, 'files'));
  for await (const line of readLines(join(folder, manifest.blobs.file))) {
    const { key, sha256, bytes } = line as BlobLine;
    if (appId !== undefined && (!key.startsWith(`${appId}/`) || (await blobs.stat(key))?.size === bytes)) continue;
    const source = await stored.get(key);
    const digest = digesting();
    if (source) await blobs.put(key, digest.through(source));
    if (!source || digest.result().sha256 !== sha256)
      throw new Error(`The backup is damaged: files/${key} is missing or has been changed.`);
  }
}
