import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { describeBlobStore } from '../../test/conformance/blob-store.ts';
import { type CutProxy, startCutProxy } from '../../test/support/servers/cut-proxy.ts';
import { type S3Server, startS3 } from '../../test/support/servers/s3-server.ts';
import { startSwift } from '../../test/support/servers/swift-server.ts';
import { Failure } from '../base/errors.ts';
import type { BlobStorage } from './blob-store.ts';
import { createS3BlobStore } from './s3.ts';
import { readS3Address } from './s3-address.ts';
import { partBytes } from './s3-parts.ts';

const spool = mkdtempSync(join(tmpdir(), 'pharos-spool-'));
const open = (url: string, timeoutMs = 30_000) => createS3BlobStore({ address: readS3Address(url), spool, timeoutMs });
afterAll(() => rmSync(spool, { recursive: true }));

describeBlobStore('S3 (s3rver)', async () => {
  const server = await startS3();
  const store = await open(server.url('conformance'));
  return {
    store,
    async close() {
      store.close();
      await server.close();
    },
  };
});

// It takes half a minute to start, so it runs only when asked for: PHAROS_TEST_SWIFT=on npm test -- server/src/blobs
if (process.env['PHAROS_TEST_SWIFT'] === 'on')
  describeBlobStore('S3 (OpenStack Swift)', async () => {
    const server = await startSwift();
    const wrong = await open(server.url('x').replace('secret@', 'wrong-secret@'));
    await assert.rejects(wrong.check(), isUnavailable(/credentials were refused/));
    wrong.close();
    const store = await open(server.url('conformance'));
    return {
      store,
      async close() {
        store.close();
        await server.close();
      },
    };
  });

const newKey = () => `App1/${randomBytes(16).toString('hex')}`;
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* inChunks(bytes: Buffer, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const isUnavailable = (about: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.deepEqual([error.entry.status, error.retryAfter], [503, 5]);
  assert.match((error.cause as Error).message, about);
  assert.doesNotMatch(`${error.message} ${(error.cause as Error).message}`, /S3RVER|secret/);
  return true;
};

describe('files in S3', () => {
  let server: S3Server;
  let proxy: CutProxy;
  let store: BlobStorage;
  beforeAll(async () => {
    server = await startS3();
    proxy = await startCutProxy(server.port);
    store = await open(server.url('faults', { port: proxy.port }));
  });
  afterAll(async () => {
    store.close();
    await proxy.close();
    await server.close();
  });

  test('goes up in parts when it is large, and comes back whole, and in ranges across the parts', async () => {
    const bytes = randomBytes(2 * partBytes + 17);
    const key = newKey();
    await store.put(key, inChunks(bytes, 300_001));
    const read = await (await store.get(key))?.toArray();
    assert.equal(digest(Buffer.concat(read ?? [])), digest(bytes));
    const range = { start: partBytes - 5, end: partBytes + 4 };
    const part = await (await store.get(key, range))?.toArray();
    assert.deepEqual(Buffer.concat(part ?? []), bytes.subarray(range.start, range.end + 1));
    const exact = newKey();
    await store.put(exact, inChunks(bytes.subarray(0, partBytes)));
    assert.equal((await store.stat(exact))?.size, partBytes);
    assert.deepEqual(readdirSync(spool), [], 'what waited on the disk has no name there');
  });

  test('reads on when the connection breaks in the middle, and never passes half a file for a whole one', async () => {
    const bytes = randomBytes(3_000_000);
    const key = newKey();
    await store.put(key, inChunks(bytes));
    proxy.cutOnceAfter(1_000_000);
    const read = await (await store.get(key))?.toArray();
    assert.equal(digest(Buffer.concat(read ?? [])), digest(bytes));
    proxy.cutAllAfter(1_000_000);
    const stream = await store.get(key);
    await assert.rejects(
      async () => {
        for await (const _ of stream ?? []);
      },
      isUnavailable(/does not answer/),
    );
    proxy.mend();
  });

  test('says 503 when the server goes away in the middle of an upload, and nothing of it is found', async () => {
    const key = newKey();
    async function* interrupted() {
      yield randomBytes(partBytes);
      yield randomBytes(10);
      proxy.cut();
      yield randomBytes(10);
    }
    await assert.rejects(store.put(key, interrupted()), isUnavailable(/does not answer/));
    proxy.mend();
    assert.equal(await store.stat(key), undefined);
    await store.put(key, inChunks(Buffer.from('again')));
    assert.equal((await store.stat(key))?.size, 5);
  });

  test('gives up on a server that has stopped answering, and goes on when it is back', async () => {
    const key = newKey();
    await store.put(key, inChunks(Buffer.from('here')));
    const impatient = await open(server.url('faults'), 100);
    server.pause();
    try {
      await assert.rejects(impatient.stat(key), isUnavailable(/does not answer/));
      await assert.rejects(impatient.check(), isUnavailable(/does not answer/));
    } finally {
      server.goOn();
      impatient.close();
    }
    assert.equal((await store.stat(key))?.size, 4);
  });

  test('says what is wrong with credentials and buckets, without showing them', async () => {
    const wrong: readonly [string, RegExp][] = [
      [server.url('x', { credentials: 'nobody:wrong-secret' }), /credentials were refused/],
      [server.url('x', { bucket: 'no-such-bucket' }), /There is no bucket no-such-bucket/],
    ];
    for (const [url, about] of wrong) {
      const other = await open(url);
      await assert.rejects(other.check(), isUnavailable(about), `check ${about}`);
      await assert.rejects(other.put(newKey(), inChunks(Buffer.from('x'))), isUnavailable(about));
      await assert.rejects(other.get(newKey()), isUnavailable(about));
      await assert.rejects(other.list({ limit: 1 }), isUnavailable(about));
      assert.doesNotMatch(other.place, /S3RVER|secret/);
      other.close();
    }
  });

  test('a slow upload holds a few kilobytes of memory, and one of them does not keep others waiting', async () => {
    const goOn = Promise.withResolvers<void>();
    async function* slow() {
      yield randomBytes(partBytes - 1);
      await goOn.promise;
      yield randomBytes(1);
    }
    const slowOnes = Array.from({ length: 10 }, () => store.put(newKey(), slow()));
    const key = newKey();
    await store.put(key, inChunks(Buffer.from('quick')));
    assert.equal((await store.stat(key))?.size, 5);
    goOn.resolve();
    await Promise.all(slowOnes);
  });
});

test('an address says where files lie, and one that is wrong is refused without being shown', () => {
  const aws = readS3Address('s3://AKIA:a%2Fb@s3.eu-central-1.amazonaws.com/museum-files/pharos/');
  assert.deepEqual(aws, {
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    region: 'eu-central-1',
    bucket: 'museum-files',
    prefix: 'pharos/',
    hasBucketInPath: false,
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 'a/b' },
  });
  const own = readS3Address('s3+http://storage.lan:7480/files?region=museum&style=host');
  assert.deepEqual(
    [own.endpoint, own.region, own.prefix, own.hasBucketInPath, own.credentials],
    ['http://storage.lan:7480', 'museum', '', false, undefined],
  );
  for (const wrong of [
    'https://host/bucket',
    's3://host',
    's3://host/',
    's3://key@host/bucket',
    's3://host/Bucket',
    's3://host/bucket/../other',
    's3://host/bucket?secret=x',
    's3://host/bucket?style=none',
    's3://key:100%@host/bucket',
    's3://host:99999/bucket',
  ])
    assert.throws(
      () => readS3Address(wrong),
      (error: Error) => /^must /.test(error.message),
      wrong,
    );
});
