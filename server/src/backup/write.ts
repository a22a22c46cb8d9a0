import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../base/disk/make-folder.ts';
import { randomText } from '../base/id.ts';
import { joinSql, raw, type Sql, sql } from '../base/sql.ts';
import type { BlobStorage, BlobStore } from '../blobs/blob-store.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import { version } from '../config/version.ts';
import type { Database, Row } from '../db/db.ts';
import type { HeldLock } from '../db/folder-lock.ts';
import { knownMigrations, newestMigration } from '../db/migrate.ts';
import { digesting, flushFolder, type LinesFile, writeLines } from './files.ts';
import { findKnownLost, findLostFiles, type LostFile, type LostFiles } from './lost.ts';
import { type Elsewhere, type Manifest, manifestName } from './manifest.ts';
import { type BackupTable, isOfApp, tablesOf } from './tables.ts';

export interface BackupOptions {
  readonly db: Database;
  readonly blobs: BlobStorage;
  /** Whether the bytes of files are copied; by default only if they lie on this machine. */
  readonly copiesFiles?: boolean;
  /** Only what belongs to this app. */
  readonly appId?: string;
  /** Must not exist yet, or be empty. */
  readonly folder: string;
  readonly now: number;
  readonly onProgress?: (progress: BackupProgress) => void;
  /** Ends it early; what was written is removed. */
  readonly signal?: AbortSignal;
}

export interface BackupProgress {
  /** What is being copied: the name of a table, or `files`. */
  readonly part: string;
  /** The number of completed tables, and of all. */
  readonly tables: number;
  readonly ofTables: number;
  readonly rows: number;
  readonly files: number;
}

type Watch = Pick<BackupOptions, 'onProgress' | 'signal'>;

/** A page has this size whatever the size of its rows, so that memory stays constant. */
const pageBytes = 4 * 1024 * 1024;
const firstPage = 100;
const maxPage = 2_000;

type Read = (statement: Sql) => Promise<Row[]>;

/**
 * Copies everything, while the service runs, into a folder from which either database can be restored. The rows are
 * read from one snapshot, so that everything acknowledged before the start is in it.
 *
 * Files in a storage of their own stay there, and the manifest says so: such a storage keeps copies by its own means.
 *
 * The folder gets its name only when it is complete. The manifest's `lost` names files whose bytes the storage does not
 * have.
 *
 * @throws Error when the folder exists, or the database is newer than this code
 */
export async function writeBackup(options: BackupOptions): Promise<Manifest> {
  const { db, blobs, folder, now, appId, copiesFiles = !blobs.isRemote, ...watch } = options;
  await assertFree(folder);
  const unfinished = `${folder}.unfinished-${randomText(6)}`;
  await makeFolder(dirname(folder), 0o700);
  const lock = await lockUnfinished(unfinished);
  try {
    await mkdir(unfinished, { mode: 0o700 });
    // A folder whose disk is not mounted would make a backup without files.
    if (copiesFiles) await blobs.check();
    const progress = watched(watch);
    const rows = await db.snapshot((read) => copyRows({ read, appId, progress }, unfinished));
    const { copied, lost } = copiesFiles
      ? await copyFiles({ db, blobs, appId, progress }, unfinished, rows.tables)
      : await leaveFiles({ db, blobs, appId, progress }, unfinished, rows.tables);
    const createdAt = new Date(now).toISOString();
    const manifest: Manifest = {
      format: 'pharos-backup',
      version: 1,
      pharos: version,
      createdAt,
      ...(appId === undefined ? {} : { appId }),
      ...rows,
      blobs: copied,
      lost,
    };
    await writeManifest(unfinished, manifest);
    await flushFolder(unfinished);
    await rename(unfinished, folder);
    await flushFolder(dirname(folder));
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(lockOf(unfinished), { force: true });
    lock?.release();
  }
}

const lockOf = (unfinished: string) => `${unfinished}.lock`;

/** Before the folder is created, because a folder without a lock may be removed. */
async function lockUnfinished(unfinished: string): Promise<HeldLock | undefined> {
  // Loaded only when used, because a service on PostgreSQL does not need it.
  const { tryLockFile } = await import('../db/folder-lock.ts');
  return tryLockFile(lockOf(unfinished));
}

/** It is gone at once: what a process that is killed in the middle leaves is not taken for a backup, and removed later. */
export async function removeBackup(folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished-${randomText(6)}`;
  const lock = await lockUnfinished(unfinished);
  try {
    await rename(folder, unfinished);
    await flushFolder(dirname(folder));
    await rm(unfinished, { recursive: true, force: true });
  } finally {
    await rm(lockOf(unfinished), { force: true });
    lock?.release();
  }
}

/** Removes what killed processes have left in a folder of backups, but nothing that a process is writing. */
export async function removeUnfinished(folder: string): Promise<void> {
  const { tryLockFile } = await import('../db/folder-lock.ts');
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const left = names.filter((name) => /\.unfinished-\w+$/.test(name));
  for (const name of left) {
    const unfinished = join(folder, name);
    const lock = tryLockFile(lockOf(unfinished));
    if (!lock) continue;
    try {
      await rm(unfinished, { recursive: true, force: true });
      await rm(lockOf(unfinished), { force: true });
    } finally {
      lock.release();
    }
  }
}

async function assertFree(folder: string): Promise<void> {
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty. Name a folder that does not exist yet.`);
}

/** Notes the progress of the copying, and ends it on request. */
function watched({ onProgress, signal }: Watch) {
  let progress: BackupProgress = { part: '', tables: 0, ofTables: 0, rows: 0, files: 0 };
  return {
    note(change: (known: BackupProgress) => Partial<BackupProgress>): void {
      signal?.throwIfAborted();
      progress = { ...progress, ...change(progress) };
      onProgress?.(progress);
    },
  };
}
type Progress = ReturnType<typeof watched>;

interface Reading {
  readonly read: Read;
  readonly appId: string | undefined;
  readonly progress: Progress;
}

async function copyRows(reading: Reading, folder: string): Promise<Pick<Manifest, 'migration' | 'tables'>> {
  const { read, appId, progress } = reading;
  const migration = await newestMigration(read);
  const known = knownMigrations();
  if (migration > (known.at(-1)?.id ?? 0))
    throw new Error(`The database is at migration ${migration}, which this version of Pharos does not know.`);
  const tables: Record<string, LinesFile> = {};
  const all = tablesOf(known.filter(({ id }) => id <= migration));
  const present = appId === undefined ? all : all.filter(isOfApp);
  for (const [index, table] of present.entries()) {
    const file = `${table.name}.ndjson.gz`;
    progress.note(() => ({ part: table.name, tables: index, ofTables: present.length }));
    tables[table.name] = { file, ...(await writeLines(join(folder, file), rowsOf(reading, table))) };
  }
  progress.note(() => ({ part: 'files', tables: present.length }));
  return { migration, tables };
}

async function* rowsOf({ read, appId, progress }: Reading, table: BackupTable): AsyncGenerator<Row> {
  let limit = firstPage;
  for (let last: Row | undefined; ; ) {
    const page = await read(pageAfter(table, { appId, last, limit }));
    let size = 0;
    for (const row of page) {
      size += sizeOf(row);
      yield row;
    }
    progress.note(({ rows }) => ({ rows: rows + page.length }));
    if (page.length < limit) return;
    last = page.at(-1);
    limit = Math.max(10, Math.min(maxPage, Math.floor(pageBytes / (size / page.length))));
  }
}

interface PageOf {
  readonly appId: string | undefined;
  readonly last: Row | undefined;
  readonly limit: number;
}

function pageAfter({ name, key }: BackupTable, { appId, last, limit }: PageOf): Sql {
  const columns = raw(key.join(', '));
  const values = joinSql(
    key.map((column) => sql`${last?.[column] ?? null}`),
    ', ',
  );
  const scope = appId === undefined ? raw('1 = 1') : sql`app_id = ${appId}`;
  const behind = last ? sql` and (${columns}) > (${values})` : raw('');
  return sql`select * from ${raw(name)} where ${scope}${behind} order by ${columns} limit ${limit}`;
}

function sizeOf(row: Row): number {
  let size = 1;
  for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : 8;
  return size;
}

interface Copying {
  readonly db: Database;
  readonly blobs: BlobStorage;
  readonly appId: string | undefined;
  readonly progress: Progress;
}
interface Files {
  readonly copied: Manifest['blobs'];
  readonly lost: LostFiles;
}

/** After the rows: a file's bytes are stored before its row, so by then every row that was read has its bytes. */
async function copyFiles(copying: Copying, folder: string, tables: Manifest['tables']): Promise<Files> {
  const { db } = copying;
  const copied = await copyBlobs(copying, folder);
  // Deleted since the rows were read: its bytes are not missing.
  const isDeleted = async ({ appId, objectId }: LostFile) =>
    (await db.one(sql`select 1 as found from files where app_id = ${appId} and object_id = ${objectId}`)) === undefined;
  return { copied, lost: await findLostFiles(folder, tables, isDeleted) };
}

async function leaveFiles({ db, blobs }: Copying, folder: string, tables: Manifest['tables']): Promise<Files> {
  const file = 'blobs.ndjson.gz';
  const none = await writeLines(join(folder, file), (async function* () {})());
  const sum = await db.one<{ files: number; bytes: number }>(
    raw('select count(*) as files, coalesce(sum(size), 0) as bytes from files'),
  );
  const elsewhere: Elsewhere = {
    place: blobs.place,
    files: Number(sum?.files ?? 0),
    bytes: Number(sum?.bytes ?? 0),
  };
  return { copied: { file, ...none, bytes: 0, elsewhere }, lost: await findKnownLost(folder, tables) };
}

/** Copies the stored files in the order of the list; each line of the list is one file. */
async function copyBlobs({ blobs, appId, progress }: Copying, folder: string): Promise<Manifest['blobs']> {
  const target = createDiskBlobStore(join(folder, 'files'));
  let bytes = 0;
  async function* copies() {
    for await (const key of keysOf(blobs, appId)) {
      const source = await blobs.get(key);
      // Deleted since it was listed.
      if (!source) continue;
      const digest = digesting();
      await target.put(key, digest.through(source));
      const copied = digest.result();
      bytes += copied.bytes;
      progress.note(({ files }) => ({ files: files + 1 }));
      yield { key, ...copied };
    }
  }
  const file = 'blobs.ndjson.gz';
  const lines = await writeLines(join(folder, file), copies());
  return { file, ...lines, bytes };
}

async function* keysOf(blobs: BlobStore, appId: string | undefined): AsyncGenerator<string> {
  const limit = 500;
  const prefix = appId === undefined ? '' : `${appId}/`;
  for (let after = prefix; ; ) {
    const page = await blobs.list(after === '' ? { limit } : { after, limit });
    for (const { key } of page) {
      if (!key.startsWith(prefix)) return;
      yield key;
    }
    if (page.length < limit) return;
    after = page.at(-1)?.key ?? '';
  }
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const file = await open(join(folder, manifestName), 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
