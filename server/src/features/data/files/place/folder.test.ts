import assert from 'node:assert/strict';
import { test } from 'vitest';
import { buildApp } from '../../../../../test/support/build-app.ts';
import { type FolderMark, type FolderUse, folderSetting } from '../../../../blobs/blob-store.ts';
import { findSetting, insertSetting } from '../../../../db/settings.ts';
import { guardFolder } from './folder.ts';

test('a folder is right for two who look at it while one of them marks it', async () => {
  const app = await buildApp();
  const { db } = app.storage;
  let written: string | undefined;
  let assertRight: (use: FolderUse) => Promise<void> = async () => undefined;
  const folderMark: FolderMark = {
    // Another request marks the folder, and says so to the database, right after this one has looked at either.
    async read() {
      const found = written;
      written ??= 'theirs';
      await insertSetting(db, folderSetting, 'theirs');
      return found;
    },
    async write(id) {
      written ??= id;
    },
    count: async () => 0,
    guard(asked) {
      assertRight = asked;
    },
  };
  try {
    guardFolder(db, { place: '/files', folderMark });
    await assertRight('store');
    assert.deepEqual([written, await findSetting(db, folderSetting)], ['theirs', 'theirs']);
  } finally {
    await app.close();
  }
});
