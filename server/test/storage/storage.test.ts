import assert from 'node:assert/strict';
import { fdatasync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, test } from 'vitest';
import { verifyBackup } from '../../src/backup/restore.ts';
import { writeBackup } from '../../src/backup/write.ts';
import { raw } from '../../src/base/sql.ts';
import { createDiskBlobStore } from '../../src/blobs/disk.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { filesFolder } from '../../src/config/config.ts';
import { checkContent } from '../../src/features/data/files/missing-content.ts';
import { bothDatabases, buildApp, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { head, listen, openConnection } from '../support/socket.ts';

const blobsOf = (app: TestApp) => createDiskBlobStore(filesFolder(app.config));
const keysIn = async (app: TestApp) => (await blobsOf(app).list({ limit: 100 })).map(({ key }) => key);
const upload = (app: TestApp, name: string) =>
  app.send({
    method: 'POST',
    url: `/api/v2/files/${name}`,
    body: 'some bytes',
    headers: { 'content-type': 'text/plain' },
  });
const metric = async (app: TestApp, name: string) =>
  new RegExp(`^${name} (\\S+)$`, 'm').exec((await app.send({ method: 'GET', url: '/metrics' })).raw.toString())?.[1];
const readiness = async (app: TestApp) => {
  const { status, body } = await app.send({ method: 'GET', url: '/readyz' });
  return { status, message: body.error?.error as string | undefined };
};

/** Makes every write to a table fail on PostgreSQL as the server itself would. */
async function onInsert(app: TestApp, table: string, statement: string): Promise<void> {
  await app.storage.db.run(
    raw(`create function trouble() returns trigger language plpgsql as $$
    begin ${statement} return new; end $$`),
  );
  await app.storage.db.run(
    raw(`create trigger trouble before insert on ${table} for each row execute function trouble()`),
  );
}

test('after the disk has failed nothing is stored that is refused, and who was in flight is told that it is unknown', async () => {
  const flush = promisify(fdatasync);
  let fails = false;
  const app = await buildApp({
    sqlite: {
      flushFile: async (descriptor) => {
        if (fails) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
        await flush(descriptor);
      },
    },
  });
  try {
    const { headers } = await signIn(app);
    const device = (name: string) =>
      app.send({
        method: 'POST',
        url: '/api/v2/device',
        headers,
        body: { deviceName: name, manufacture: 'Acme', topic: `a/${name}` },
      });
    // What the app stores is counted with the first upload.
    assert.equal((await upload(app, 'earlier.txt')).status, 201);
    await app.app.idle();
    fails = true;
    const unknown = await device('first');
    assert.deepEqual([unknown.status, unknown.body.code, unknown.headers['retry-after']], [503, 124, undefined]);
    assert.match(unknown.body.error.error, /unknown whether it was stored/);
    const account = { firstname: 'Nora', lastname: 'New', email: 'nora@example.org', password: 'open sesame' };
    const requests = [
      () => device('second'),
      () => upload(app, 'a.txt'),
      () => app.send({ method: 'POST', url: '/api/v2/push/notification', headers, body: { data: { alert: 'hi' } } }),
      () => app.send({ method: 'POST', url: '/api/v2/users', body: account }),
    ];
    for (const request of requests) {
      const { status, body } = await request();
      assert.deepEqual([status, body.code], [503, 124]);
      assert.match(body.error.error, /Nothing of this was stored/);
    }
    const rows = async (table: string) =>
      Number((await app.storage.db.one<{ n: number }>(raw(`select count(*) as n from ${table}`)))?.n);
    assert.deepEqual(
      [await rows('devices'), await rows('files'), await rows('pushes'), await rows('users')],
      [1, 1, 0, 1],
    );
    assert.equal((await keysIn(app)).length, 1, 'no bytes were written either');
    const connection = await openConnection(await listen(app));
    const headersOfUpload = [...Object.entries(app.credentials), ['Content-Type', 'text/plain']] as const;
    connection.send(head('POST /api/v2/files/a.txt', [...headersOfUpload, ['Content-Length', '1000000']]));
    assert.equal((await connection.answer()).status, 503, 'an upload is refused before it is sent');
    connection.socket.destroy();
    assert.equal((await readiness(app)).status, 503);
    assert.equal(await metric(app, 'pharos_storage_failed'), '1');
    assert.equal(app.log.filter((line) => line.includes('the disk has failed')).length, 1);
  } finally {
    await app.close();
  }
});

for (const database of bothDatabases) {
  describe(`what the storage does not have or cannot take, on ${database}`, () => {
    test('bytes of an upload stay as long as it is not known whether its record was stored', async () => {
      const flush = promisify(fdatasync);
      let fails = false;
      const app = await buildApp({
        database,
        sqlite: {
          flushFile: async (descriptor) => {
            if (fails) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
            await flush(descriptor);
          },
        },
      });
      try {
        // What the app stores is counted with the first upload.
        assert.equal((await upload(app, 'earlier.txt')).status, 201);
        if (database === 'postgres') await onInsert(app, 'files', "raise exception 'lost' using errcode = '08006';");
        fails = true;
        const answer = await upload(app, 'a.txt');
        assert.deepEqual([answer.status, answer.body.code], [503, 124]);
        assert.equal((await keysIn(app)).length, 2);
      } finally {
        await app.close();
      }
    });

    test('a file whose bytes are lost is not shown until they are back, and can be deleted', async () => {
      const app = await buildApp({ database });
      try {
        const { headers } = await signInManager(app);
        const { body: lost } = await upload(app, 'lost.txt');
        const { body: kept } = await upload(app, 'kept.txt');
        const key = `${app.appId}/${lost.name.slice(0, 32)}`;
        const log: string[] = [];
        const settle = (all: boolean) =>
          checkContent(
            {
              db: app.storage.db,
              blobs: blobsOf(app),
              now: () => app.clock.now,
              isStopping: () => false,
              log: (level, message) => log.push(`${level} ${message}`),
            },
            all,
          );
        const listed = async () =>
          (await app.send({ method: 'GET', url: '/api/v2/files?count=1', headers })).body.results.map(
            ({ objectId }: { objectId: string }) => objectId,
          ) as string[];
        const get = async () =>
          (await app.send({ method: 'GET', url: `/api/v2/files/${lost.objectId}`, headers })).status;
        await blobsOf(app).remove(key);
        await settle(true);
        assert.deepEqual([await listed(), await get()], [[kept.objectId], 404]);
        assert.match(log.join(), /error files without content .*: 1 .*lost\.txt/);
        await blobsOf(app).put(
          key,
          (async function* () {
            yield Buffer.from('some bytes');
          })(),
        );
        await settle(false);
        assert.deepEqual([(await listed()).sort(), await get()], [[lost.objectId, kept.objectId].sort(), 200]);
        await blobsOf(app).remove(key);
        await settle(true);
        const removed = await app.send({ method: 'DELETE', url: `/api/v2/files/${lost.objectId}`, headers });
        assert.equal(removed.status, 200);
      } finally {
        await app.close();
      }
    });

    test('a backup and its restore name the files whose bytes are lost, and the exit code tells', async () => {
      const app = await buildApp({ database });
      const folder = mkdtempSync(join(tmpdir(), 'pharos-lost-'));
      try {
        const { body: lost } = await upload(app, 'lost.txt');
        await upload(app, 'kept.txt');
        const backup = (name: string) =>
          writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: join(folder, name), now: 0 });
        assert.deepEqual((await backup('whole')).lost, { count: 0, files: [] });
        await blobsOf(app).remove(`${app.appId}/${lost.name.slice(0, 32)}`);
        const files = [{ appId: app.appId, objectId: lost.objectId, name: lost.name }];
        const run = async (...words: string[]) => {
          const [out, err]: [string[], string[]] = [[], []];
          const terminal = {
            out: (line: string) => void out.push(line),
            err: (line: string) => void err.push(line),
            readInput: async () => '',
            isInteractive: false,
          };
          const code = await runCommandLine({ words, environment: app.storage.settings, terminal });
          return { code, text: [...out, ...err].join('\n') };
        };
        const made = await run('backup', '--to', join(folder, 'b'));
        assert.equal(made.code, 1);
        assert.match(
          made.text,
          new RegExp(`1 file has no bytes: ${lost.name} \\(app ${app.appId}, file ${lost.objectId}\\)`),
        );
        assert.deepEqual((await verifyBackup(join(folder, 'b'))).lost, { count: 1, files });
        const into = ['restore', '--from', join(folder, 'b'), '--database-url', '', '--data', join(folder, 'new')];
        const restored = await run(...into, '--json');
        assert.equal(restored.code, 1);
        assert.deepEqual(JSON.parse(restored.text).lost, { count: 1, files });
      } finally {
        await app.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });

    test('little room refuses new content and nothing that makes room, and is told', async () => {
      const app = await buildApp({ database });
      // More than any disk has left.
      const short = await buildApp({ database, settings: { PHAROS_MIN_FREE_BYTES: '1099511627776' } });
      try {
        const user = await signIn(app);
        assert.equal((await upload(app, 'a.txt')).status, 201);
        const refused = await upload(short, 'a.txt');
        assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [503, 124, '30']);
        assert.match(refused.body.error.error, /nearly full/);
        assert.deepEqual(await keysIn(short), []);
        assert.ok(user.token);
        const ready = await short.send({ method: 'GET', url: '/readyz' });
        if (database === 'postgres') {
          assert.equal(ready.status, 200, 'the database is elsewhere');
          assert.match(ready.body.warnings.join(), /Uploads are refused.*nearly full/);
        } else {
          assert.match((await readiness(short)).message ?? '', /nearly full.*Make room/);
          assert.equal(await metric(short, 'pharos_storage_refusing'), '1');
        }
        assert.ok(short.log.some((line) => line.includes('nearly full') && line.includes('"level":50')));
      } finally {
        await short.close();
        await app.close();
      }
    });
  });
}

test('on a full PostgreSQL new content is refused, and deletions and sign-ins go through', async () => {
  const app = await buildApp({ database: 'postgres' });
  try {
    const user = await signIn(app);
    const device = (name: string) => ({
      method: 'POST' as const,
      url: '/api/v2/device',
      headers: user.headers,
      body: { deviceName: name, manufacture: 'Acme', topic: `a/${name}` },
    });
    const { body: made } = await app.send(device('Gateway'));
    await onInsert(app, 'devices', "raise exception 'could not extend file' using errcode = '53100';");
    const refused = await app.send(device('Other'));
    assert.deepEqual([refused.status, refused.body.code], [503, 124]);
    assert.match(refused.body.error.error, /full/);
    const again = await app.send({ ...device('Third'), url: '/api/v2/logs', body: {} });
    assert.deepEqual([again.status, again.body.code], [503, 124], 'whatever it is');
    assert.ok(app.log.some((line) => /disk .*is full/.test(line)));
    const url = `/api/v2/device/${made.result.objectId}`;
    assert.equal((await app.send({ method: 'DELETE', url, headers: user.headers })).status, 200);
    const account = { email: 'visitor@example.org', password: 'wrong' };
    const signedOut = await app.send({ method: 'POST', url: '/api/v2/users/signin', body: account });
    assert.equal(signedOut.status, 404, 'it was looked for');
  } finally {
    await app.close();
  }
});
