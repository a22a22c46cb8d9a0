import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolder } from '../base/disk/make-folder.ts';
import { flushFolder } from './files.ts';
import { readManifest } from './manifest.ts';
import { restoredNames, restoreInto } from './trial.ts';

/**
 * A restore of the embedded database in its own data folder. While the service runs it is only asked for; the next start
 * does it before it opens the database. Each step is done again or recognised as done after an interruption, and what was
 * there is kept aside.
 */

const requestName = 'restore-request.json';
const resultName = 'restore-result.json';
const stagingName = 'restoring';
/** In the folder of what was there: everything has been moved into it. */
const movedName = 'moved';

/** All that belongs to the database and the files. Keys, backups and the list of erasures stay where they are. */
const moved = [
  restoredNames.database,
  `${restoredNames.database}-wal`,
  `${restoredNames.database}-shm`,
  restoredNames.files,
] as const;

export interface RestoreRequest {
  readonly backupId: string;
  readonly folder: string;
  readonly askedAt: string;
  readonly askedBy: string;
}

export interface RestoreResult {
  readonly backupId: string;
  readonly at: string;
  readonly ok: boolean;
  readonly message: string;
  /** The name of the folder, in the data folder, with what was there before. */
  readonly aside: string | null;
  /** Who asked for it, and when the backup was made; absent in results of older versions, as the next two. */
  readonly askedBy?: string;
  readonly madeAt?: string;
  readonly rows?: number;
  readonly files?: number;
}

async function readJson<T>(path: string): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** It is there completely or not at all. */
async function writeJson(dataFolder: string, name: string, value: object): Promise<void> {
  const path = join(dataFolder, name);
  try {
    await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
  } catch (error) {
    await rm(`${path}.new`, { force: true });
    throw error;
  }
  await flushFolder(dataFolder);
}

export const findRestoreRequest = (dataFolder: string) => readJson<RestoreRequest>(join(dataFolder, requestName));
export const findRestoreResult = (dataFolder: string) => readJson<RestoreResult>(join(dataFolder, resultName));

export const requestRestore = (dataFolder: string, request: RestoreRequest) =>
  writeJson(dataFolder, requestName, request);

/** False if none was asked for. */
export async function cancelRestore(dataFolder: string): Promise<boolean> {
  const isThere = existsSync(join(dataFolder, requestName));
  await rm(join(dataFolder, requestName), { force: true });
  return isThere;
}

const asideOf = ({ backupId, askedAt }: RestoreRequest) => `before-${backupId}-${askedAt.replaceAll(/[:.]/g, '-')}`;

/**
 * After an interrupted restore, part of the database may have been moved aside, and opening it would create an empty one. The next start of
 * the service finishes the restore.
 *
 * @throws Error
 */
export async function assertNotHalfRestored(dataFolder: string): Promise<void> {
  const request = await findRestoreRequest(dataFolder);
  if (!request || !existsSync(join(dataFolder, asideOf(request)))) return;
  throw new Error(
    `A restore in ${dataFolder} was interrupted. Start the service first (pharos serve): it finishes it.`,
  );
}

export interface InPlace {
  readonly dataFolder: string;
  readonly now: number;
  /** Repeats in the restored copy the erasures made after the backup. */
  readonly eraseAgain: (restoredFolder: string, backup: string) => Promise<void>;
}

/**
 * Does what was asked for, if anything. Call it while nobody has the database open and the folder is locked. When the backup
 * cannot be restored, everything stays as it is, and the result says why.
 */
export async function restoreInPlace(options: InPlace): Promise<RestoreResult | undefined> {
  const { dataFolder, now } = options;
  const request = await findRestoreRequest(dataFolder);
  if (!request) return undefined;
  const { backupId } = request;
  const aside = asideOf(request);
  const staging = join(dataFolder, stagingName);
  const isMoved = existsSync(join(dataFolder, aside, movedName));
  const result = { backupId, at: new Date(now).toISOString(), askedBy: request.askedBy };
  if (!isMoved) {
    try {
      await rm(staging, { recursive: true, force: true });
      await restoreInto(staging, request.folder, now);
      await options.eraseAgain(staging, request.folder);
      await moveAll(dataFolder, join(dataFolder, aside));
      await writeFile(join(dataFolder, aside, movedName), '', { flush: true });
      await flushFolder(join(dataFolder, aside));
    } catch (error) {
      // Deleted first: otherwise the next start after an interruption would take what is left here for the restored data.
      await rm(join(dataFolder, aside, movedName), { force: true });
      await rm(staging, { recursive: true, force: true });
      await moveBack(dataFolder, join(dataFolder, aside));
      const message = `${(error as Error).message} Nothing was changed.`;
      return end(dataFolder, { ...result, ok: false, message, aside: null });
    }
  }
  // From here on what is in the data folder can only be what was restored.
  if (existsSync(staging)) await moveAll(staging, dataFolder);
  await rm(staging, { recursive: true, force: true });
  const message = `What was there before is in the folder ${basename(aside)} of the data folder. Delete it when you no longer need it.`;
  return end(dataFolder, { ...result, ...(await contentsOf(request.folder)), ok: true, message, aside });
}

/** What the backup has. After an interruption it may be gone by now. */
async function contentsOf(backup: string): Promise<Pick<RestoreResult, 'madeAt' | 'rows' | 'files'>> {
  const manifest = await readManifest(backup).catch(() => undefined);
  if (!manifest) return {};
  const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0);
  return { madeAt: manifest.createdAt, rows, files: manifest.blobs.rows };
}

async function moveAll(from: string, to: string): Promise<void> {
  await makeFolder(to, 0o700);
  for (const name of moved) if (existsSync(join(from, name))) await rename(join(from, name), join(to, name));
  await flushFolder(to);
  await flushFolder(from);
}

/** What this try, or an earlier one that was interrupted, has moved aside. */
async function moveBack(dataFolder: string, aside: string): Promise<void> {
  if (!existsSync(aside)) return;
  await moveAll(aside, dataFolder);
  await rm(aside, { recursive: true, force: true });
}

async function end(dataFolder: string, result: RestoreResult): Promise<RestoreResult> {
  // If there is no space to write it, an earlier result would be taken for this one's. The service starts anyway, and reports it on the
  // terminal.
  await writeJson(dataFolder, resultName, result).catch(() => rm(join(dataFolder, resultName), { force: true }));
  await cancelRestore(dataFolder);
  await flushFolder(dataFolder);
  return result;
}
