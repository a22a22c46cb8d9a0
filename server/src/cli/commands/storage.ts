import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { createServices } from '../../app/services.ts';
import { assertNotHalfRestored } from '../../backup/in-place.ts';
import { assertNoUnfinishedRestore } from '../../backup/marker.ts';
import type { Clock } from '../../base/clock.ts';
import { makeRoomToStart } from '../../base/disk/disk-reserve.ts';
import { makeFolder } from '../../base/disk/make-folder.ts';
import type { BlobStorage } from '../../blobs/blob-store.ts';
import { openBlobs } from '../../blobs/open.ts';
import { backupsFolder, blobPlaces, type Config, databaseFile, filesFolder } from '../../config/config.ts';
import type { Database } from '../../db/db.ts';
import { migrateNew } from '../../db/migrate.ts';
import { openTime } from '../../db/nodes/shared-time.ts';
import { openSqlite } from '../../db/sqlite/sqlite.ts';
import type { Services } from '../../features/services.ts';

/** Creates the data folder for this user only, and checks that it can be written, even on a full disk. */
export async function prepareFolder({ dataFolder, databaseUrl }: Config): Promise<void> {
  await makeFolder(dataFolder, 0o700);
  accessSync(dataFolder, constants.W_OK | constants.X_OK);
  if (!databaseUrl) makeRoomToStart(dataFolder);
}

/**
 * Denies other users of the machine access to the stored data, also in an existing data folder with wider permissions.
 * Only the owner of a file can change its permissions; `doctor` reports the others.
 */
function closeToOthers(config: Config): void {
  const file = databaseFile(config);
  const own = process.getuid?.();
  for (const [path, mode] of [
    [filesFolder(config), 0o700],
    [backupsFolder(config), 0o700],
    ...['', '-wal', '-shm'].map((end) => [file + end, 0o600] as const),
  ] as const) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && found.uid === own && (found.mode & 0o077) !== 0) chmodSync(path, mode);
  }
}

/** Opens the configured database; an embedded one is created if it does not exist. */
export async function openDatabase(config: Config): Promise<Database> {
  const { databaseUrl, databasePool: poolSize, databaseTimeoutMs: timeoutMs, queryDeadlineMs } = config;
  if (databaseUrl) {
    // Loaded only when used: it takes 3 MB.
    const { openPostgres } = await import('../../db/postgres/postgres.ts');
    return openPostgres({ url: databaseUrl, poolSize, queryDeadlineMs, timeoutMs });
  }
  await prepareFolder(config);
  await assertNotHalfRestored(config.dataFolder);
  // SQLite creates its other files with the permissions of the first.
  const file = databaseFile(config);
  closeSync(openSync(file, 'a', 0o600));
  closeToOthers(config);
  return openSqlite({ file, queryDeadlineMs });
}

/** @throws Error when there is no embedded database yet */
export function assertDatabaseExists(config: Config): void {
  if (config.databaseUrl || existsSync(databaseFile(config))) return;
  throw new Error(`There is no database in ${config.dataFolder}. Name its folder with --data or PHAROS_DATA.`);
}

/** The configured storage of files, open while `work` runs. */
export async function withBlobs<T>(config: Config, work: (blobs: BlobStorage) => Promise<T>): Promise<T> {
  const blobs = await openBlobs(blobPlaces(config));
  try {
    return await work(blobs);
  } finally {
    blobs.close();
  }
}

export async function withDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(config);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

type WithServices = <T>(
  config: Config,
  work: (services: Services, db: Database, now: Clock) => Promise<T>,
) => Promise<T>;

/**
 * The services on the configured database. A running service sees every change.
 *
 * @throws Error when there is no embedded database yet, or it is not at the version of this code
 */
export const withServices: WithServices = async (config, work) => {
  assertDatabaseExists(config);
  return withFirstServices(config, work);
};

/** As `withServices`, for commands that may come before the first start: they make the embedded database. */
export const withFirstServices: WithServices = (config, work) =>
  withDatabase(config, async (db) => {
    await migrateNew(db, Date.now());
    await assertNoUnfinishedRestore(db);
    const services = await servicesOn(config, db);
    return work(services, db, services.now);
  });

export async function servicesOn({ privateTargets }: Config, db: Database): Promise<Services> {
  const { now } = await openTime(db);
  return createServices({ db, now, privateTargets });
}
