import { resolve } from 'node:path';
import type { Manifest } from '../backup/manifest.ts';
import { assertNoUnfinishedRestore } from '../backup/marker.ts';
import { restoreBackup, verifyBackup } from '../backup/restore.ts';
import { writeBackup } from '../backup/write.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import { type Config, filesFolder } from '../config.ts';
import { lockFolder } from '../db/folder-lock.ts';
import type { Command } from './command.ts';
import { assertDatabaseExists, prepareFolder, withDatabase } from './storage.ts';

function summary({ tables, blobs, createdAt, migration }: Manifest) {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return { rows, files: blobs.rows, bytes: blobs.bytes, createdAt, migration };
}

/** A serving process must not meet half of the rows; the embedded database is kept for the restore alone. */
async function alone<T>(config: Config, work: () => Promise<T>): Promise<T> {
  prepareFolder(config);
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
    summary: 'copy everything into a folder, also while the service runs',
    details:
      'The folder can be restored into the embedded database and into PostgreSQL. It holds all data, and the hashes of\nkeys, tokens and passwords: keep it as safe as the database.',
    options: { to: { value: 'FOLDER', help: 'a folder that does not exist yet, or is empty', required: true } },
    async run(call) {
      const config = call.config();
      const folder = resolve(call.text('to') ?? '');
      assertDatabaseExists(config);
      const manifest = await withDatabase(config, async (db) => {
        await db.assertUsable();
        await assertNoUnfinishedRestore(db);
        return writeBackup({ db, blobs: createDiskBlobStore(filesFolder(config)), folder, now: Date.now() });
      });
      const made = summary(manifest);
      return { text: `Copied ${made.rows} rows and ${made.files} files to ${folder}.`, json: { folder, ...made } };
    },
  },
  {
    name: 'restore',
    summary: 'fill an empty database and an empty data folder from a backup',
    details: 'All checksums are verified before anything is written.',
    options: { from: { value: 'FOLDER', help: 'what pharos backup has made', required: true } },
    async run(call) {
      const config = call.config();
      const folder = resolve(call.text('from') ?? '');
      const manifest = await verifyBackup(folder);
      const blobs = createDiskBlobStore(filesFolder(config));
      await alone(config, () =>
        withDatabase(config, (db) => restoreBackup({ db, blobs, folder, now: Date.now() }, manifest)),
      );
      const made = summary(manifest);
      return {
        text: `Restored ${made.rows} rows and ${made.files} files of ${made.createdAt}.`,
        json: { folder, ...made },
      };
    },
  },
];
