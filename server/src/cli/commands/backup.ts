import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type RestoreResult, restoreInPlace } from '../../backup/in-place.ts';
import { describeLost, findLostFiles, type LostFiles } from '../../backup/lost.ts';
import type { Manifest } from '../../backup/manifest.ts';
import { assertNoUnfinishedRestore } from '../../backup/marker.ts';
import { restoreBackup, verifyBackup } from '../../backup/restore.ts';
import { restoreInto } from '../../backup/trial.ts';
import { writeBackup } from '../../backup/write.ts';
import type { Config } from '../../config/config.ts';
import { lockFolder } from '../../db/folder-lock.ts';
import { openTime } from '../../db/nodes/shared-time.ts';
import { guardFolder } from '../../features/data/files/place/folder.ts';
import { becomeAnother } from '../../features/data/files/place/ownership.ts';
import { eraseAgain } from '../../features/people/privacy/erase-again.ts';
import { addToLedger, ledgerName, readLedger } from '../../features/people/privacy/ledger.ts';
import type { Command, CommandResult } from '../support/command.ts';
import { stoppable } from '../support/stop-signal.ts';
import { assertDatabaseExists, prepareFolder, servicesOn, withBlobs, withDatabase, withServices } from './storage.ts';

const noneLost: LostFiles = { count: 0, files: [] };

function summary({ tables, blobs, createdAt, migration }: Manifest, lost: LostFiles) {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  const filesElsewhere = blobs.elsewhere ?? null;
  return { rows, files: blobs.rows, filesElsewhere, bytes: blobs.bytes, createdAt, migration, lost };
}

/** A sentence about files that stayed where they are. */
function elsewhereText({ blobs: { elsewhere } }: Manifest): string {
  if (!elsewhere) return '';
  const files = elsewhere.files === 1 ? '1 file is' : `${elsewhere.files} files are`;
  return ` ${files} not in it: their bytes stay in ${elsewhere.place}.`;
}

/** The outcome of a backup or restore: a failure if files have no bytes; it names them. */
function outcome(done: string, lost: LostFiles, advice: string, json: object): CommandResult {
  if (lost.count === 0) return { text: done, json };
  return { text: `${done}\n${describeLost(lost)} ${advice}`, json, isFailure: true };
}

/** A serving process must not find half of the rows, so the embedded database is reserved for the restore. */
async function alone<T>(config: Config, work: () => Promise<T>): Promise<T> {
  await prepareFolder(config);
  const lock = config.databaseUrl ? undefined : await lockFolder(config.dataFolder);
  try {
    return await work();
  } finally {
    lock?.release();
  }
}

export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'copy everything into a folder, even while the service runs',
    details:
      'The folder can be restored into the embedded database and into PostgreSQL. It contains all data, and the hashes of\nkeys, tokens and passwords: keep it as safe as the database. Files whose bytes the storage has lost are named at the\nend, and the exit code is then 1. Files in S3 (PHAROS_FILES_URL) stay there: keep older versions of them by its own\nmeans, or copy them with --with-files.',
    options: {
      'with-files': { help: 'copy the files too that lie in S3' },
      to: { value: 'FOLDER', help: 'a folder that does not exist yet, or is empty', required: true },
    },
    async run(call) {
      const config = call.config();
      const folder = resolve(call.text('to') ?? '');
      const how = call.has('with-files') ? { copiesFiles: true } : {};
      assertDatabaseExists(config);
      const manifest = await withDatabase(config, async (db) => {
        await db.assertUsable();
        await assertNoUnfinishedRestore(db);
        const { now } = await openTime(db);
        return withBlobs(config, (blobs) => {
          guardFolder(db, blobs);
          return stoppable((signal) => writeBackup({ db, blobs, folder, now: now(), signal, ...how }));
        });
      });
      const lost = manifest.lost ?? noneLost;
      const made = summary(manifest, lost);
      const done = `Copied ${made.rows} rows and ${made.files} files to ${folder}.${elsewhereText(manifest)}`;
      return outcome(
        done,
        lost,
        'The storage has lost them, so they are not in the backup. Look for them in an older one.',
        { folder, ...made },
      );
    },
  },
  {
    name: 'restore',
    summary: 'fill an empty database and an empty data folder from a backup',
    details:
      'All checksums are verified before anything is written. Files that are listed but not in the backup are named at the end,\nand the exit code is then 1. Whoever was erased after the backup was made is erased again: the list of erasures is\nerasures.ndjson of the data folder that the backup came from.',
    options: {
      from: { value: 'FOLDER', help: 'a folder made by pharos backup', required: true },
      erasures: {
        value: 'FILE',
        help: 'a list of erasures; without it the one of the data folder, or of that in which the backup lies',
        multiple: true,
      },
    },
    async run(call) {
      const config = call.config();
      const folder = resolve(call.text('from') ?? '');
      const lists = ledgersOf(config, folder, call.texts('erasures'));
      const entries = (await Promise.all(lists.map(readLedger))).flat();
      let again = 0;
      const own = join(config.dataFolder, ledgerName);
      const manifest = await verifyBackup(folder);
      await alone(config, () =>
        withDatabase(config, (db) =>
          withBlobs(config, async (blobs) => {
            const finish = async () => {
              again = await eraseAgain(await servicesOn(config, db), { entries, now: Date.now() });
            };
            await restoreBackup({ db, blobs, folder, now: Date.now(), finish }, manifest);
            // The database from which the backup came may still use the same bucket.
            await becomeAnother(db);
          }),
        ),
      );
      // For a backup that is older still.
      if (entries.length > 0 && !lists.includes(own)) await addToLedger(own, entries);
      // Older versions did not check this when they made a backup.
      const lost = manifest.lost ?? (await findLostFiles(folder, manifest.tables));
      const made = summary(manifest, lost);
      const restored = `Restored ${made.rows} rows and ${made.files} files of ${made.createdAt}.${elsewhereText(manifest)}`;
      const done = `${restored} ${erasuresText(lists.length, again)}`;
      return outcome(
        done,
        lost,
        'They were not in the backup. They are not shown until their bytes are in the folder of files.',
        { folder, ...made, erasedAgain: again },
      );
    },
  },
  {
    name: 'drill',
    summary: 'restore a backup for trial, into a folder that is removed afterwards',
    details:
      'Verifies all checksums, restores the backup into an empty embedded database, migrates it to this version and looks for\ndamage. Nothing of the service is touched.',
    options: {
      from: { value: 'FOLDER', help: 'a folder made by pharos backup', required: true },
      in: { value: 'FOLDER', help: 'where to restore; by default a new folder for temporary files' },
    },
    async run(call) {
      const from = resolve(call.text('from') ?? '');
      const target = await mkdtemp(join(resolve(call.text('in') ?? tmpdir()), 'pharos-drill-'));
      try {
        const manifest = await restoreInto(target, from, Date.now());
        const lost = manifest.lost ?? (await findLostFiles(from, manifest.tables));
        const made = summary(manifest, lost);
        const done = `The backup of ${made.createdAt} can be restored: ${made.rows} rows and ${made.files} files.${elsewhereText(manifest)}`;
        return outcome(done, lost, 'They were not in the storage when the backup was made.', { folder: from, ...made });
      } finally {
        await rm(target, { recursive: true, force: true });
      }
    },
  },
];

/** Does a restore that was prepared in the console, before the service opens its database. */
export async function restorePrepared(config: Config): Promise<RestoreResult | undefined> {
  const { dataFolder } = config;
  if (config.databaseUrl) return undefined;
  return restoreInPlace({
    dataFolder,
    now: Date.now(),
    eraseAgain: async (restored, backup) => {
      const lists = ledgersOf(config, backup, []);
      const entries = (await Promise.all(lists.map(readLedger))).flat();
      const inRestored = { ...config, dataFolder: restored };
      await withServices(inRestored, (services) => eraseAgain(services, { entries, now: services.now() }));
    },
  });
}

/** A line about it for the terminal. */
export function restoredText({ ok, backupId, message }: RestoreResult): string {
  return ok ? `The backup ${backupId} was restored. ${message}` : `The backup ${backupId} was not restored. ${message}`;
}

/** The lists that were named, or those that are where they usually are. */
function ledgersOf(config: Config, folder: string, named: readonly string[]): readonly string[] {
  if (named.length > 0) return named.map((file) => resolve(file));
  const usual = [join(config.dataFolder, ledgerName), resolve(folder, '..', '..', ledgerName)];
  return [...new Set(usual.map((file) => resolve(file)))].filter((file) => existsSync(file));
}

function erasuresText(lists: number, again: number): string {
  if (lists === 0)
    return 'No list of erasures was found: if somebody was erased after the backup was made, erase them again.';
  return again === 0
    ? 'Nobody was erased since.'
    : `${again} erasures since then are done again when the service runs.`;
}
