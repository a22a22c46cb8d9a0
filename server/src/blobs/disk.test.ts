import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { describeBlobStore } from '../../test/conformance/blob-store.ts';
import { createDiskBlobStore } from './disk.ts';

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'pharos-blobs-'));
}

describeBlobStore('disk', async () => {
  const folder = newFolder();
  return { store: createDiskBlobStore(join(folder, 'files')), close: async () => rmSync(folder, { recursive: true }) };
});

const key = `App1/${'ab'.repeat(16)}`;

test('a blob on disk lies in a folder of its first two digits, and a broken upload leaves no file', async () => {
  const folder = newFolder();
  try {
    const store = createDiskBlobStore(folder);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      assert.equal(readdirSync(join(folder, '.unfinished')).length, 1, 'it grows under a temporary name');
      throw new Error('cut');
    }
    await assert.rejects(store.put(key, broken()), /cut/);
    assert.deepEqual(readdirSync(folder, { recursive: true }), ['.unfinished']);
    await store.put(key, (async function* () {})());
    assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), [
      '.unfinished',
      'App1',
      'App1/ab',
      key.replace('/', '/ab/'),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The files and folders below one that this process has open. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

test('every file and folder that it opens is closed, also when something fails', {
  skip: !existsSync('/proc/self/fd'),
}, async () => {
  const folder = newFolder();
  try {
    const store = createDiskBlobStore(folder);
    async function* bytes(isBroken = false): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      assert.equal(openBelow(folder).length, 1, 'the file that is written');
      if (isBroken) throw new Error('cut');
    }
    await store.put(key, bytes());
    await assert.rejects(store.put(key, bytes(true)), /cut/);
    await assert.rejects(store.get(key, { start: 2, end: 9 }), RangeError);
    await store.list({ limit: 10 });
    await store.remove(key);
    assert.deepEqual(openBelow(folder), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the sweep removes uploads that were abandoned an hour ago and no others', async () => {
  const folder = newFolder();
  try {
    const store = createDiskBlobStore(folder);
    const now = Date.now();
    assert.equal(await store.sweepUnfinished(now), 0, 'there is no folder yet');
    const unfinished = join(folder, '.unfinished');
    mkdirSync(unfinished);
    // The clock of a file system may be some milliseconds behind.
    const files = { old: now - 3_601_000, young: now - 3_599_000 };
    for (const [name, at] of Object.entries(files)) {
      writeFileSync(join(unfinished, name), 'half');
      utimesSync(join(unfinished, name), at / 1000, at / 1000);
    }
    assert.equal(await store.sweepUnfinished(now), 1);
    assert.deepEqual([existsSync(join(unfinished, 'old')), existsSync(join(unfinished, 'young'))], [false, true]);
    assert.deepEqual(await store.list({ limit: 10 }), [], 'what is unfinished is never listed');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('by a clock of the service that is a day ahead, an upload that is running is not an old one', async () => {
  const folder = newFolder();
  try {
    const store = createDiskBlobStore(folder);
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      assert.equal(await store.sweepUnfinished(Date.now() + 86_400_000), 0);
      yield Buffer.from(' and half');
    }
    await store.put(key, slow());
    assert.equal((await store.stat(key))?.size, 13);
    assert.deepEqual(readdirSync(join(folder, '.unfinished')), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what does not belong to the store is neither listed nor touched', async () => {
  const folder = newFolder();
  try {
    const store = createDiskBlobStore(folder);
    await store.put(key, (async function* () {})());
    for (const path of ['App1/ab/.DS_Store', 'App1/note.txt', 'README']) writeFileSync(join(folder, path), 'x');
    assert.deepEqual(
      (await store.list({ limit: 10 })).map((entry) => entry.key),
      [key],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
