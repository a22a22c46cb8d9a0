import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { BlobKey, BlobStore } from '../../src/blobs/blob-store.ts';

export interface OpenedStore {
  readonly store: BlobStore;
  close(): Promise<void>;
}

const app = 'App0000000000000001A';
let made = 0;

/** A new key; keys with the same order sort by creation. */
function newKey(ofApp = app): BlobKey {
  return `${ofApp}/${(++made).toString(16).padStart(8, '0')}${randomBytes(12).toString('hex')}`;
}

async function* chunks(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

async function read(
  store: BlobStore,
  key: BlobKey,
  range?: { start: number; end: number },
): Promise<string | undefined> {
  const stream = await store.get(key, range);
  return stream && Buffer.concat(await stream.toArray()).toString('latin1');
}

async function allKeys(store: BlobStore, limit: number): Promise<string[]> {
  const keys: string[] = [];
  for (let after: string | undefined; ; after = keys.at(-1)) {
    const page = await store.list({ limit, ...(after === undefined ? {} : { after }) });
    keys.push(...page.map(({ key }) => key));
    if (page.length < limit) return keys;
  }
}

/** What every implementation of the port has to do, wherever it stores blobs. `open` returns an empty store. */
export function describeBlobStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(`blob store on ${name}`, () => {
    let opened: OpenedStore;
    let store: BlobStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    test('gives back the bytes that were put, whatever their chunks were', async () => {
      const key = newKey();
      await store.put(key, chunks('one', '', 'two', Buffer.from([0, 255, 10])));
      assert.equal(await read(store, key), 'onetwo\x00\xff\n');
      assert.equal((await store.stat(key))?.size, 9);
    });

    test('is done with a chunk once it asks for the next', async () => {
      const key = newKey();
      const chunk = Buffer.alloc(70_000);
      async function* reusing() {
        for (const byte of [1, 2, 3]) yield chunk.fill(byte);
        chunk.fill(0);
      }
      await store.put(key, reusing());
      const bytes = (await read(store, key)) ?? '';
      for (const [index, byte] of [1, 2, 3].entries())
        assert.ok(bytes.slice(index * 70_000, (index + 1) * 70_000) === String.fromCharCode(byte).repeat(70_000));
      assert.equal(bytes.length, 210_000);
    });

    test('keeps an empty blob apart from none', async () => {
      const key = newKey();
      assert.equal(await store.stat(key), undefined);
      await store.put(key, chunks());
      assert.equal(await read(store, key), '');
      assert.equal((await store.stat(key))?.size, 0);
    });

    test('says nothing of a key that was never put', async () => {
      const key = newKey();
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.get(key, { start: 0, end: 0 }), undefined);
      assert.equal(await store.stat(key), undefined);
      assert.equal(await store.remove(key), false);
    });

    test('gives the bytes of a range, both ends included, and refuses one that does not lie within', async () => {
      const key = newKey();
      await store.put(key, chunks('0123456789'));
      assert.equal(await read(store, key, { start: 0, end: 0 }), '0');
      assert.equal(await read(store, key, { start: 3, end: 6 }), '3456');
      assert.equal(await read(store, key, { start: 9, end: 9 }), '9');
      for (const range of [
        { start: 0, end: 10 },
        { start: 10, end: 10 },
        { start: 5, end: 4 },
        { start: -1, end: 2 },
      ]) {
        await assert.rejects(store.get(key, range), RangeError, JSON.stringify(range));
      }
    });

    test('shows nothing of a blob before it is whole', async () => {
      const key = newKey();
      const neighbours = await allKeys(store, 100);
      async function* looking(): AsyncGenerator<Uint8Array> {
        yield randomBytes(300_000);
        assert.equal(await store.get(key), undefined);
        assert.equal(await store.stat(key), undefined);
        assert.deepEqual(await allKeys(store, 100), neighbours);
        yield randomBytes(10);
      }
      await store.put(key, looking());
      assert.equal((await store.stat(key))?.size, 300_010);
    });

    test('leaves nothing of a blob whose source failed, and rejects with the same error', async () => {
      const key = newKey();
      const cut = new Error('the connection was cut');
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield randomBytes(300_000);
        throw cut;
      }
      await assert.rejects(store.put(key, failing()), (error) => error === cut);
      assert.equal(await store.get(key), undefined);
      assert.ok(!(await allKeys(store, 100)).includes(key));
    });

    test('leaves what was there when its replacement failed, and replaces it as a whole otherwise', async () => {
      const key = newKey();
      await store.put(key, chunks('first'));
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('sec');
        throw new Error('cut');
      }
      await assert.rejects(store.put(key, failing()));
      assert.equal(await read(store, key), 'first');
      const reader = await store.get(key);
      await store.put(key, chunks('2nd'));
      assert.equal(await read(store, key), '2nd');
      assert.equal(
        Buffer.concat(await (reader?.toArray() ?? [])).toString(),
        'first',
        'who began to read sees one blob',
      );
    });

    test('reads no further ahead of a reader than a buffer', async () => {
      async function* large(): AsyncGenerator<Uint8Array> {
        for (let part = 0; part < 64; part++) yield Buffer.alloc(65_536, part);
      }
      const key = newKey();
      await store.put(key, large());
      assert.equal((await store.stat(key))?.size, 64 * 65_536);
      const stream = await store.get(key);
      assert.ok(stream);
      // Nobody reads the bytes: only what a stream buffers may be read.
      await new Promise((resolve) => stream.once('readable', resolve));
      assert.ok(stream.readableLength < 1_000_000, `${stream.readableLength} bytes wait`);
      stream.destroy();
    });

    test('forgets a removed blob at once', async () => {
      const [key, other] = [newKey(), newKey()];
      await store.put(key, chunks('gone'));
      await store.put(other, chunks('stays'));
      assert.equal(await store.remove(key), true);
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.remove(key), false);
      const keys = await allKeys(store, 100);
      assert.ok(!keys.includes(key) && keys.includes(other));
    });

    test('lists every blob of every app once, in the order of the keys, page by page', async () => {
      const apps = ['Aa', 'A', 'B', '9', 'a'];
      const stored = apps.flatMap((ofApp) => [
        newKey(ofApp),
        newKey(ofApp),
        `${ofApp}/${'f'.repeat(31)}0`,
        `${ofApp}/${'0'.repeat(32)}`,
      ]);
      for (const key of [...stored].reverse()) await store.put(key, chunks(key));
      const everything = await allKeys(store, 1000);
      assert.deepEqual(everything, [...everything].sort());
      assert.deepEqual(
        stored.filter((key) => !everything.includes(key)),
        [],
      );
      for (const limit of [1, 3, 7]) assert.deepEqual(await allKeys(store, limit), everything, `pages of ${limit}`);
      const [entry] = await store.list({ after: `9/${'e'.repeat(32)}`, limit: 1 });
      assert.equal(entry?.key, `9/${'f'.repeat(31)}0`);
      assert.equal(entry?.size, 34);
    });

    test('says when a blob was written', async () => {
      const key = newKey();
      const before = Date.now();
      await store.put(key, chunks('x'));
      const { modifiedAt = 0 } = (await store.stat(key)) ?? {};
      // File systems and object stores round, some to two seconds.
      assert.ok(modifiedAt >= before - 2_000 && modifiedAt <= Date.now() + 2_000, `${modifiedAt} is about ${before}`);
    });

    test('keeps blobs apart that are written at the same time, also under one key', async () => {
      const keys = Array.from({ length: 8 }, () => newKey());
      await Promise.all(keys.map((key) => store.put(key, chunks(key, key))));
      for (const key of keys) assert.equal(await read(store, key), key + key);
      const one = newKey();
      const writers = ['a', 'b', 'c'].map((letter) =>
        store.put(one, chunks(letter.repeat(70_000), letter.repeat(70_000))),
      );
      await Promise.all(writers);
      assert.match((await read(store, one)) ?? '', /^(a{140000}|b{140000}|c{140000})$/);
    });

    test('refuses keys of another form, so that none leads out of the store', async () => {
      const id = 'a'.repeat(32);
      const wrong = [
        '',
        id,
        `/${id}`,
        `../${id}`,
        `${app}/../${id}`,
        `${app}/${id}/..`,
        `${app}/${id.slice(1)}`,
        `${app}/${id.toUpperCase()}`,
        `a b/${id}`,
        `.unfinished/${id}`,
        `${app}/${id}\0`,
      ];
      for (const key of wrong) {
        await assert.rejects(store.put(key, chunks('x')), /key/, key);
        await assert.rejects(store.get(key), /key/, key);
        await assert.rejects(store.stat(key), /key/, key);
        await assert.rejects(store.remove(key), /key/, key);
      }
    });
  });
}
