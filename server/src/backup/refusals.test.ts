import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { buildApp, databases, openStorage, type TestStorage } from '../../test/support/build-app.ts';
import { blobsOf, fill, openEmpty, storageBlobs, withFolder } from '../../test/support/storage/backups.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import { assertNoUnfinishedRestore, setRestoreMarker } from './marker.ts';
import { restoreBackup, verifyBackup } from './restore.ts';
import { writeBackup } from './write.ts';

async function* changedBytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('something else');
}

for (const database of databases) {
  describe(`refusals of backup and restore on ${database}`, () => {
    test('a restore needs an empty database and an empty file storage', () =>
      withFolder(async (folder) => {
        const app = await buildApp({ database });
        const target = await openEmpty(database);
        try {
          const backup = join(folder, 'b');
          await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
          const manifest = await verifyBackup(backup);
          const into = (storage: TestStorage) =>
            restoreBackup({ db: storage.db, blobs: storageBlobs(storage), folder: backup, now: 0 }, manifest);
          await assert.rejects(into(app.storage), /The database is not empty: settings has rows/);
          await storageBlobs(target).put(`App1/${'a'.repeat(32)}`, (async function* () {})());
          await assert.rejects(into(target), /The folder of files is not empty/);
          await storageBlobs(target).remove(`App1/${'a'.repeat(32)}`);
          await into(target);
          await assert.rejects(into(target), /not empty/);
          mkdirSync(join(folder, 'taken'));
          writeFileSync(join(folder, 'taken', 'x'), '');
          const again = writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: join(folder, 'taken'), now: 0 });
          await assert.rejects(again, /is not empty\. Name a folder that does not exist yet/);
        } finally {
          await target.close();
          await app.close();
        }
      }));

    test('a restore in which those erased since were not erased again is unfinished, and begins anew', () =>
      withFolder(async (folder) => {
        const app = await buildApp({ database });
        const target = await openEmpty(database);
        try {
          const backup = join(folder, 'b');
          await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
          const manifest = await verifyBackup(backup);
          const into = (finish: () => Promise<void>) =>
            restoreBackup({ db: target.db, blobs: storageBlobs(target), folder: backup, now: 0, finish }, manifest);
          await assert.rejects(into(() => Promise.reject(new Error('Ctrl-C'))));
          await assert.rejects(assertNoUnfinishedRestore(target.db), /was not finished\. Run the same/);
          await into(async () => {});
          await assertNoUnfinishedRestore(target.db);
        } finally {
          await target.close();
          await app.close();
        }
      }));

    test('a restore that fails leaves the database and the file storage empty, for the next one', () =>
      withFolder(async (folder) => {
        const app = await buildApp({ database });
        const target = await openEmpty(database);
        try {
          await fill(app);
          const backup = join(folder, 'b');
          const manifest = await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
          const into = (from: string, read = manifest) =>
            restoreBackup({ db: target.db, blobs: storageBlobs(target), folder: from, now: 0 }, read);
          const withUsers = (change: object) => ({
            ...manifest,
            tables: {
              ...manifest.tables,
              users: { rows: 1, file: '', sha256: '', ...manifest.tables['users'], ...change },
            },
          });
          await assert.rejects(into(backup, withUsers({ rows: 5 })), /is damaged: users has 1 rows instead of 5/);
          writeFileSync(join(backup, 'odd.gz'), gzipSync('{"object_id) values (1); --":1}\n'));
          await assert.rejects(into(backup, withUsers({ file: 'odd.gz' })), /users has a column of an impossible name/);
          await assert.rejects(into(backup, withUsers({ file: 'nowhere.gz' })), /ENOENT.*nowhere\.gz/);
          const changed = join(folder, 'changed');
          cpSync(backup, changed, { recursive: true });
          const [blob] = await createDiskBlobStore(join(changed, 'files')).list({ limit: 1 });
          await createDiskBlobStore(join(changed, 'files')).put(blob?.key ?? '', changedBytes());
          await assert.rejects(into(changed), /files\/.* is missing or has been changed/);
          assert.deepEqual(
            await storageBlobs(target).list({ limit: 1 }),
            [],
            'the file that was written is gone again',
          );
          await into(backup);
          const rows = await target.db.all({ strings: ['select 1 from users'], values: [] });
          assert.equal(rows.length, 1);
        } finally {
          await target.close();
          await app.close();
        }
      }));

    test('a restore that was cut off is refused to serve, and is finished by running it again', () =>
      withFolder(async (folder) => {
        const app = await buildApp({ database });
        const target = await openStorage(database);
        try {
          const backup = join(folder, 'b');
          await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
          await setRestoreMarker(target.db);
          await target.db.run({
            strings: [
              "insert into app_keys (app_id, key_id, key_hash, hint, created_at) values ('half', 'k', 'h', 'i', 1)",
            ],
            values: [],
          });
          await assert.rejects(assertNoUnfinishedRestore(target.db), /was not finished/);
          await restoreBackup(
            { db: target.db, blobs: storageBlobs(target), folder: backup, now: 0 },
            await verifyBackup(backup),
          );
          await assertNoUnfinishedRestore(target.db);
          const keys = await target.db.all<{ app_id: string }>({
            strings: ['select app_id from app_keys'],
            values: [],
          });
          assert.deepEqual(
            keys.map((key) => key.app_id),
            [app.appId],
          );
        } finally {
          await target.close();
          await app.close();
        }
      }));
  });
}

test('a damaged or incomplete backup is refused before anything is written, and named', () =>
  withFolder(async (folder) => {
    const app = await buildApp();
    try {
      const { read } = await fill(app);
      assert.ok(read.length > 0);
      const damages: readonly (readonly [string, (backup: string) => void, RegExp])[] = [
        [
          'a table',
          (backup) => appendFileSync(join(backup, 'apps.ndjson.gz'), 'x'),
          /apps\.ndjson\.gz is missing or has been changed/,
        ],
        ['no table', (backup) => rmSync(join(backup, 'users.ndjson.gz')), /users\.ndjson\.gz is missing/],
        ['no manifest', (backup) => rmSync(join(backup, 'manifest.json')), /There is no backup in/],
        ['not JSON', (backup) => writeFileSync(join(backup, 'manifest.json'), '{'), /not JSON/],
        [
          'another version',
          (backup) => editManifest(backup, { version: 2 }),
          /has version 2; this version of Pharos reads version 1/,
        ],
        ['newer', (backup) => editManifest(backup, { migration: 9999 }), /Restore it with a newer version/],
        ['without a table', (backup) => editManifest(backup, { tables: {} }), /the table \w+ is not in it/],
        ['of another form', (backup) => editManifest(backup, { tables: null }), /does not have the form of a manifest/],
        [
          'no files',
          (backup) => rmSync(join(backup, 'files'), { recursive: true }),
          /files\/.* is missing or has been changed/,
        ],
      ];
      const whole = join(folder, 'whole');
      await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: whole, now: 0 });
      for (const [name, damage, message] of damages) {
        const backup = join(folder, name.replaceAll(' ', '-'));
        cpSync(whole, backup, { recursive: true });
        damage(backup);
        await assert.rejects(verifyBackup(backup), message, name);
      }
    } finally {
      await app.close();
    }
  }));

function editManifest(backup: string, change: object): void {
  const path = join(backup, 'manifest.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
}
