import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'vitest';
import { createDiskBlobStore } from '../blobs/disk.ts';
import type { Database } from '../db/db.ts';
import { migrate } from '../db/migrate.ts';
import { findSetting, saveSetting } from '../db/settings.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import {
  assertNotHalfRestored,
  findRestoreRequest,
  findRestoreResult,
  requestRestore,
  restoreInPlace,
} from './in-place.ts';
import { writeBackup } from './write.ts';

test('a restore in place keeps what was there aside, goes on where it was interrupted, and changes nothing when it fails', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'pharos-in-place-'));
  const backup = join(dataFolder, 'backups', 'then');
  const open = () => openSqlite({ file: join(dataFolder, 'pharos.db'), queryDeadlineMs: 5_000 });
  const use = async <T>(work: (db: Database) => Promise<T>) => {
    const db = open();
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  };
  const write = (value: string) => use((db) => saveSetting(db, 'mark', value));
  const read = () => use((db) => findSetting(db, 'mark'));
  const blobs = createDiskBlobStore(join(dataFolder, 'files'));
  const blobKey = `app/${'0123'.repeat(8)}`;
  const put = (text: string) => blobs.put(blobKey, Readable.from([Buffer.from(text)]));
  let eraseAgain = async () => {};
  let asked = Date.UTC(2026, 4, 4);
  const restore = async () => {
    asked += 1_000;
    await requestRestore(dataFolder, {
      backupId: 'then',
      folder: backup,
      askedAt: new Date(asked).toISOString(),
      askedBy: 'test',
    });
    return () => restoreInPlace({ dataFolder, now: Date.now(), eraseAgain });
  };
  try {
    await use((db) => migrate(db, Date.now()));
    await write('then');
    await put('then');
    await use((db) => writeBackup({ db, blobs, folder: backup, now: Date.now() }));
    await write('now');
    await put('now');
    // It fails.
    eraseAgain = () => Promise.reject(new Error('The list of erasures is damaged.'));
    const failed = await (await restore())();
    assert.deepEqual([failed?.ok, failed?.message], [false, 'The list of erasures is damaged. Nothing was changed.']);
    assert.deepEqual([await read(), await findRestoreRequest(dataFolder)], ['now', undefined]);
    assert.equal((await findRestoreResult(dataFolder))?.ok, false);
    // The process died while what was there was being moved aside, and then it fails.
    const failing = await restore();
    const half = join(dataFolder, `before-then-${new Date(asked).toISOString().replaceAll(/[:.]/g, '-')}`);
    mkdirSync(half);
    renameSync(join(dataFolder, 'pharos.db'), join(half, 'pharos.db'));
    assert.equal((await failing())?.ok, false);
    assert.deepEqual([await read(), existsSync(half)], ['now', false]);
    // The process died while what was there was being moved aside.
    eraseAgain = async () => {};
    const again = await restore();
    const aside = join(dataFolder, `before-then-${new Date(asked).toISOString().replaceAll(/[:.]/g, '-')}`);
    mkdirSync(aside);
    renameSync(join(dataFolder, 'pharos.db'), join(aside, 'pharos.db'));
    assert.equal((await again())?.ok, true);
    assert.equal(await read(), 'then');
    assert.equal((await buffer((await blobs.get(blobKey)) ?? Readable.from([]))).toString(), 'then');
    const kept = openSqlite({ file: join(aside, 'pharos.db'), queryDeadlineMs: 5_000 });
    assert.equal(await findSetting(kept, 'mark'), 'now');
    await kept.close();
    // The process died while the restored database was in place, and the files were not yet.
    const last = await restore();
    const name = `before-then-${new Date(asked).toISOString().replaceAll(/[:.]/g, '-')}`;
    mkdirSync(join(dataFolder, name));
    writeFileSync(join(dataFolder, name, 'moved'), '');
    writeFileSync(join(dataFolder, name, 'pharos.db'), 'what was there');
    mkdirSync(join(dataFolder, 'restoring'));
    renameSync(join(dataFolder, 'files'), join(dataFolder, 'restoring', 'files'));
    assert.deepEqual(
      [(await last())?.ok, await read(), await findRestoreRequest(dataFolder)],
      [true, 'then', undefined],
    );
    assert.equal(readFileSync(join(dataFolder, name, 'pharos.db'), 'utf8'), 'what was there');
    assert.ok(existsSync(join(dataFolder, 'files')) && !existsSync(join(dataFolder, 'restoring')));
    // The process died, or the disk was full, when only the result was to be written.
    const written = await restore();
    const whole = join(dataFolder, `before-then-${new Date(asked).toISOString().replaceAll(/[:.]/g, '-')}`);
    mkdirSync(whole);
    writeFileSync(join(whole, 'moved'), '');
    assert.deepEqual([(await written())?.ok, await read()], [true, 'then']);
    assert.equal(await restoreInPlace({ dataFolder, now: 0, eraseAgain }), undefined, 'only once');
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
});

const aRequest = { backupId: 'then', folder: 'nowhere', askedAt: new Date(0).toISOString(), askedBy: 'test' };

test('a result that cannot be written does not leave that of an earlier restore', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'pharos-in-place-'));
  const eraseAgain = async () => {};
  const restore = async () => {
    await requestRestore(dataFolder, aRequest);
    return restoreInPlace({ dataFolder, now: Date.now(), eraseAgain });
  };
  try {
    assert.equal((await restore())?.ok, false);
    assert.equal((await findRestoreResult(dataFolder))?.ok, false);
    // It is in the way.
    mkdirSync(join(dataFolder, 'restore-result.json.new'));
    const told = await restore();
    assert.match(told?.message ?? '', /Nothing was changed/);
    assert.deepEqual(
      [await findRestoreResult(dataFolder), await findRestoreRequest(dataFolder)],
      [undefined, undefined],
    );
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
});

test('commands refuse a folder whose restore was interrupted, and no other', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'pharos-in-place-'));
  try {
    await assertNotHalfRestored(dataFolder);
    await requestRestore(dataFolder, aRequest);
    await assertNotHalfRestored(dataFolder);
    mkdirSync(join(dataFolder, `before-then-${aRequest.askedAt.replaceAll(/[:.]/g, '-')}`));
    await assert.rejects(assertNotHalfRestored(dataFolder), /Start the service first/);
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
});
