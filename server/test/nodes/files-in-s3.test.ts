import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openBlobs } from '../../src/blobs/open.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { blobPlaces, type Config } from '../../src/config/config.ts';
import { checkContent } from '../../src/features/data/files/missing-content.ts';
import { claimFiles } from '../../src/features/data/files/place/ownership.ts';
import { sweepOwnOrphans } from '../../src/features/data/files/sweep.ts';
import { buildApp, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { openConsole } from '../support/console.ts';
import { type S3Server, startS3 } from '../support/servers/s3-server.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.close());

const upload = (app: TestApp, name: string, body = 'some bytes') =>
  app.send({ method: 'POST', url: `/api/v2/files/${name}`, body, headers: { 'content-type': 'text/plain' } });
const pathOf = (url: string) => new URL(url).pathname;
const storeOf = (config: Config) => openBlobs(blobPlaces(config));

async function run(environment: Readonly<Record<string, string>>, ...words: string[]) {
  let [out, err] = ['', ''];
  const terminal = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    readInput: async () => '',
    isInteractive: false,
  };
  const code = await runCommandLine({ words, environment: { PHAROS_MIN_FREE_BYTES: '0', ...environment }, terminal });
  return { code, out, err };
}

describe('a service whose files are in S3', () => {
  let app: TestApp;
  const settings = () => ({ PHAROS_FILES_URL: server.url('museum'), PHAROS_FILES_TIMEOUT_MS: '500' });
  beforeAll(async () => {
    app = await buildApp({ settings: settings() });
  });
  afterAll(() => app.close());

  test('stores, lists, serves, in ranges too, and deletes them', async () => {
    const { status, body } = await upload(app, 'plan.txt', '0123456789');
    assert.equal(status, 201);
    const url = pathOf(body.url);
    const whole = await app.send({ method: 'GET', url });
    assert.deepEqual([whole.status, whole.raw.toString(), whole.headers['content-length']], [200, '0123456789', '10']);
    const part = await app.send({ method: 'GET', url, headers: { range: 'bytes=3-5' } });
    assert.deepEqual([part.status, part.raw.toString(), part.headers['content-range']], [206, '345', 'bytes 3-5/10']);
    const { headers } = await signInManager(app);
    assert.equal((await app.send({ method: 'DELETE', url: `/api/v2/files/${body.objectId}`, headers })).status, 200);
    assert.equal((await app.send({ method: 'GET', url })).status, 404);
    const store = await storeOf(app.config);
    assert.deepEqual(await store.list({ limit: 10 }), []);
    store.close();
    const metrics = (await app.send({ method: 'GET', url: '/metrics' })).raw.toString();
    assert.match(metrics, /pharos_file_storage_requests_total\{operation="put",result="ok"\} 1\n/);
  });

  test('says 503 while S3 does not answer, and stays ready for everything else', async () => {
    const { body } = await upload(app, 'before.txt');
    server.pause();
    try {
      const stored = await upload(app, 'during.txt');
      assert.deepEqual([stored.status, stored.body.code, stored.headers['retry-after']], [503, 124, '5']);
      assert.equal((await app.send({ method: 'GET', url: pathOf(body.url) })).status, 503);
      app.clock.now += 10_000;
      const ready = await app.send({ method: 'GET', url: '/readyz' });
      assert.equal(ready.status, 200);
      assert.match(ready.body.warnings[0], /storage of files/);
      await signInManager(app);
    } finally {
      server.goOn();
    }
    app.clock.now += 10_000;
    assert.equal((await app.send({ method: 'GET', url: pathOf(body.url) })).status, 200);
    assert.deepEqual((await app.send({ method: 'GET', url: '/readyz' })).body, { status: 'ready' });
    assert.ok(!app.log.join('').includes('S3RVER'), 'the log shows no credentials');
  });

  test('files of somebody who is erased are gone from S3 before the receipt says so, also if it is silent at first', async () => {
    const owner = await openConsole(app, 'owner');
    const one = async (isInTrash: boolean) => {
      const { headers, userId } = await signIn(app);
      const text = { ...headers, 'content-type': 'text/plain' };
      const { body } = await app.send({ method: 'POST', url: '/api/v2/files/diary.txt', body: 'dear', headers: text });
      const url = `/apps/${app.appId}/v2/files/${body.objectId}`;
      if (isInTrash) assert.equal((await owner.send({ method: 'DELETE', url })).status, 200);
      return { path: pathOf(body.url), erase: { method: 'DELETE', url: `/api/v2/users/${userId}`, headers } as const };
    };
    const [kept, deleted] = [await one(false), await one(true)];
    const receipts: string[] = [];
    const isOver = async () => {
      const answers = await Promise.all(
        receipts.map((id) => app.send({ method: 'GET', url: `/api/v2/erasures/${id}` })),
      );
      return answers.map(({ body }) => body.result.completedAt !== null);
    };
    server.pause();
    try {
      for (const { erase } of [kept, deleted]) receipts.push((await app.send(erase)).body.result.erasureId);
      await app.app.idle();
      app.clock.now += 10_000;
      await app.app.idle();
      assert.deepEqual(await isOver(), [false, false], 'the bytes are still there');
      assert.equal((await app.send({ method: 'GET', url: kept.path })).status, 404);
    } finally {
      server.goOn();
    }
    while ((await isOver()).includes(false)) {
      app.clock.now += 300_000;
      await app.app.idle();
    }
    assert.deepEqual(await isOver(), [true, true]);
    const store = await storeOf(app.config);
    const keys = (await store.list({ limit: 100 })).map(({ key }) => key);
    store.close();
    for (const { path } of [kept, deleted])
      assert.ok(!keys.includes(path.replace(/^\/files\/|_diary\.txt$/g, '')), keys.join());
  });

  test('a bucket that is not there has lost no files', async () => {
    const { body } = await upload(app, 'kept.txt');
    const wrong = { ...app.config, filesUrl: app.config.filesUrl && { ...app.config.filesUrl, bucket: 'another' } };
    const store = await storeOf(wrong as Config);
    const deps = { db: app.storage.db, blobs: store, now: () => app.clock.now, isStopping: () => false, log: () => {} };
    await assert.rejects(checkContent(deps, true), /file storage/);
    store.close();
    assert.equal((await app.send({ method: 'GET', url: pathOf(body.url) })).status, 200);
  });

  test('a backup leaves the files where they are, says so, and brings back a database that finds them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-s3-backup-'));
    const { body } = await upload(app, 'treasure.txt', 'gold');
    // What another test needs to be told soon that S3 is silent is too short for a busy machine.
    const settings = () => ({ PHAROS_FILES_URL: server.url('museum') });
    const own = { PHAROS_DATA: app.config.dataFolder, ...settings() };
    try {
      const made = await run(own, 'backup', '--to', join(folder, 'rows'));
      assert.equal(made.code, 0, made.err);
      assert.match(made.out, /3 files are not in it: their bytes stay in the bucket pharos-files \(museum\/\) at http/);
      assert.doesNotMatch(made.out, /S3RVER/);
      const copied = await run(own, 'backup', '--to', join(folder, 'all'), '--with-files', '--json');
      assert.equal(copied.code, 0, copied.err);
      assert.ok(JSON.parse(copied.out).files >= 3, copied.out);
      // Into the bucket of the original.
      const restored = { ...settings(), PHAROS_DATA: join(folder, 'restored') };
      const back = await run(restored, 'restore', '--from', join(folder, 'rows'));
      assert.equal(back.code, 0, back.err);
      assert.equal((await run(restored, 'files', 'claim', '--yes')).code, 0);
      // And complete, into a prefix of its own.
      const apart = { ...restored, PHAROS_DATA: join(folder, 'apart'), PHAROS_FILES_URL: server.url('apart') };
      const whole = await run(apart, 'restore', '--from', join(folder, 'all'));
      assert.equal(whole.code, 0, whole.err);
      const checked = await run(apart, 'doctor', '--json');
      assert.match(checked.out, /All 3 uploaded files are complete/);
      // Out of S3 onto the disk, twice.
      const disk = join(folder, 'files');
      const out = await run(own, 'files', 'copy', '--to', disk);
      assert.match(out.out, /Copied \d+ files/, out.err);
      assert.match((await run(own, 'files', 'copy', '--to', disk)).out, /Copied 0 files/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    assert.equal((await app.send({ method: 'GET', url: pathOf(body.url) })).raw.toString(), 'gold');
  });

  test('another database on the same bucket removes nothing of which it has no record, until it claims the bucket', async () => {
    const other = await buildApp({ settings: settings() });
    const store = await storeOf(app.config);
    const said: string[] = [];
    const sweep = ({ storage }: TestApp) =>
      sweepOwnOrphans({
        db: storage.db,
        blobs: store,
        now: () => Date.now() + 3 * 86_400_000,
        isStopping: () => false,
        log: (_, message) => said.push(message),
      });
    try {
      const { body } = await upload(app, 'only-here.txt');
      await sweep(app);
      assert.equal(await sweep(other), 0);
      assert.match(said.join(), /belongs to another database/);
      assert.equal((await app.send({ method: 'GET', url: pathOf(body.url) })).status, 200);
      await claimFiles(other.storage.db, store);
      await sweep(other);
      assert.equal((await app.send({ method: 'GET', url: pathOf(body.url) })).status, 404);
    } finally {
      store.close();
      await other.close();
    }
  });
});

test('with PHAROS_FILES_REDIRECT apps read from S3 itself, with the type and name of the file, and the console does not', async () => {
  const settings = { PHAROS_FILES_URL: server.url('redirects'), PHAROS_FILES_REDIRECT: 'on' };
  const app = await buildApp({ settings });
  try {
    const { body } = await upload(app, 'guide.html', '<b>hello</b>');
    const url = pathOf(body.url);
    const { status, headers } = await app.send({ method: 'GET', url });
    assert.deepEqual([status, headers['cache-control']], [302, 'private, no-store']);
    const served = await fetch(String(headers['location']));
    assert.equal(await served.text(), '<b>hello</b>');
    const own = await app.send({ method: 'GET', url, headers: { 'sec-fetch-site': 'same-origin' } });
    assert.deepEqual([own.status, own.raw.toString()], [200, '<b>hello</b>']);
    for (const name of ['content-type', 'content-disposition', 'cache-control'])
      assert.equal(served.headers.get(name), own.headers[name], name);
    const known = await app.send({ method: 'GET', url, headers: { 'if-none-match': String(own.headers['etag']) } });
    assert.equal(known.status, 304);
  } finally {
    await app.close();
  }
});
