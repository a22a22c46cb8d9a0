import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { extract } from 'tar-stream';
import { buildApp, databases, type TestApp } from '../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../test/support/console.ts';
import { service as byService } from '../../access/audit.ts';
import { archiveOf } from '../../backup/archive.ts';
import { verifyBackup } from '../../backup/restore.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { createDiskBlobStore } from '../../blobs/disk.ts';
import { filesFolder } from '../../config/config.ts';
import { BackupService } from './service.ts';

for (const database of databases) {
  describe(`backups and the system in the console on ${database}`, () => {
    let app: TestApp;
    let owner: Browser;
    before(async () => {
      app = await buildApp({ database });
      owner = await openConsole(app, 'owner');
    });
    after(() => app.close());

    const url = '/system/backups';
    const folder = () => join(app.config.dataFolder, 'backups');
    const list = async () => (await owner.send({ method: 'GET', url })).body;
    async function make(): Promise<string> {
      app.clock.now += 1_000;
      const { status, body } = await owner.send({ method: 'POST', url });
      assert.equal(status, 201, JSON.stringify(body));
      await app.app.idle();
      return body.result.backupId;
    }

    test('a backup is begun, reported while it runs, complete when it is done, and in the audit', async () => {
      assert.deepEqual(await list(), { results: [], most: 5, running: null, failure: null });
      app.clock.now += 1_000;
      const [first, second] = await Promise.all([
        owner.send({ method: 'POST', url }),
        owner.send({ method: 'POST', url }),
      ]);
      assert.deepEqual([first?.status, second?.status].sort(), [201, 409], 'one at a time');
      await app.app.idle();
      const { results, running, failure } = await list();
      assert.deepEqual([running, failure, results.length], [null, null, 1]);
      assert.equal((await verifyBackup(join(folder(), results[0].backupId))).tables['apps']?.rows, 1);
      assert.ok(results[0].rows > 0 && results[0].bytes > 0);
      const audit = await owner.send({ method: 'GET', url: '/audit?kind=backup' });
      assert.deepEqual(
        audit.body.results.map(({ action, subject }: { action: string; subject: string }) => [action, subject]),
        [['backup.create', results[0].backupId]],
      );
    });

    test('the archive holds every file of the backup', async () => {
      const [{ backupId }] = (await list()).results;
      const { status, headers, raw } = await owner.send({ method: 'GET', url: `${url}/${backupId}/archive` });
      assert.deepEqual([status, headers['content-type']], [200, 'application/x-tar']);
      assert.equal(headers['content-disposition'], `attachment; filename="pharos-${backupId}.tar"`);
      const inside: string[] = [];
      const unpacking = extract();
      unpacking.end(raw);
      for await (const entry of unpacking) {
        inside.push(entry.header.name.replace(`pharos-${backupId}/`, ''));
        entry.resume();
      }
      assert.deepEqual(inside.sort(), readdirSync(join(folder(), backupId)).sort());
    });

    test('nothing but backups is found by an id', async () => {
      mkdirSync(join(folder(), 'other'), { recursive: true });
      writeFileSync(join(folder(), 'other', 'manifest.json'), '{}');
      for (const id of ['other', '..', '..%2f..', '%2e%2e', '.', 'x%00', '2026-05-04T09-30-00-000Z'])
        for (const [method, rest] of [
          ['GET', '/archive'],
          ['DELETE', ''],
        ] as const) {
          const { status } = await owner.send({ method, url: `${url}/${id}${rest}` });
          assert.ok([404, 405].includes(status), `${method} ${id}: ${status}`);
        }
      assert.ok(existsSync(join(folder(), 'other')));
    });

    test('what a killed process has left goes, no more than five are kept, and one can be deleted', async () => {
      const left = join(folder(), '2026-05-04T09-30-00-000Z.unfinished-abc123');
      mkdirSync(left);
      const made = [];
      for (let n = 2; n <= 5; n++) made.push(await make());
      assert.ok(!existsSync(left));
      const { status, body } = await owner.send({ method: 'POST', url });
      assert.deepEqual([status, body.error.error], [409, 'There are 5 backups. Download and delete one first.']);
      assert.equal((await owner.send({ method: 'DELETE', url: `${url}/${made[0]}` })).status, 200);
      assert.equal((await list()).results.length, 4);
      assert.ok(!existsSync(join(folder(), made[0] ?? '')));
      assert.equal((await owner.send({ method: 'DELETE', url: `${url}/${made[0]}` })).status, 404);
    });

    test('nodes that share a folder leave each other the backups that they are making', async () => {
      const shared = join(app.config.dataFolder, 'shared');
      const reached = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const blobs = createDiskBlobStore(filesFolder(app.config));
      const slowBlobs: BlobStore = Object.assign(createDiskBlobStore(filesFolder(app.config)), {
        list: async (page: Parameters<BlobStore['list']>[0]) => {
          reached.resolve();
          await goOn.promise;
          return blobs.list(page);
        },
      });
      const running: Promise<unknown>[] = [];
      const node = (blobs: BlobStore, now: number) =>
        new BackupService({
          db: app.storage.db,
          blobs,
          folder: shared,
          now: () => now,
          inBackground: (_, work) => void running.push(work().catch(() => undefined)),
          keptDays: 0,
          assertRoom: () => undefined,
        });
      app.clock.now += 2_000;
      const [one, other] = [node(slowBlobs, app.clock.now - 1_000), node(blobs, app.clock.now)];
      await one.start(byService);
      await reached.promise;
      await other.start(byService);
      await running[1];
      goOn.resolve();
      await running[0];
      assert.deepEqual([one.lastFailure(), other.lastFailure()], [undefined, undefined]);
      assert.equal((await one.list()).length, 2);
      assert.equal(readdirSync(shared).length, 2, 'nothing else is left');
    });

    test('the system tells its version, storage, queues and memory', async () => {
      const { result } = (await owner.send({ method: 'GET', url: '/system' })).body;
      assert.match(result.database.product, database === 'sqlite' ? /^SQLite 3/ : /^PostgreSQL/);
      assert.ok(result.database.migration > 0 && result.disk.freeBytes > 0 && result.memory.residentBytes > 0);
      assert.deepEqual(result.jobs, { queued: 0, running: 0, dead: 0 });
    });

    test('the system tells at once that the disk has filled up', async (context) => {
      const storage = async () => (await owner.send({ method: 'GET', url: '/system' })).body.result.storage;
      assert.deepEqual(Object.values(await storage()), [null, null, 0, 0]);
      context.mock.method(app.storage.db, 'fitInto', () => ({ needed: 2 ** 50, reusable: 0 }));
      const { problem, warning } = await storage();
      // With a database server only the files are on this disk.
      assert.match(database === 'sqlite' ? problem : warning, /nearly full.*Make room/);
      context.mock.restoreAll();
      assert.deepEqual(Object.values(await storage()), [null, null, 0, 0]);
    });

    test('the audit is narrowed down by kind, person and time', async () => {
      const count = async (query: string) => {
        const { status, body } = await owner.send({ method: 'GET', url: `/audit?${query}` });
        return status === 200 ? body.results.length : body.error.error;
      };
      const future = new Date(app.clock.now + 1_000).toISOString();
      assert.equal(await count('kind=back'), 0, 'a kind is a whole word');
      assert.ok((await count('kind=backup')) >= 6);
      assert.equal(await count('actor=nobody'), 0);
      assert.ok((await count(`actor=${owner.email}`)) >= 6);
      assert.equal(await count(`from=${future}`), 0);
      assert.ok((await count(`until=${future}`)) >= 6);
      assert.equal(await count('from=yesterday'), 'from must be a time such as 2026-05-04T09:30:00Z.');
    });
  });
}

test('an archive of a deleted backup fails only for its reader', async () => {
  const gone = join(tmpdir(), 'pharos-no-such-backup');
  const archive = archiveOf(gone, 'gone');
  // By the time these have failed, so has the archive, which nobody reads yet.
  for (let n = 0; n < 8; n++) await assert.rejects(opendir(gone), /ENOENT/);
  await assert.rejects(buffer(archive));
});

test('a stop ends a running backup and leaves nothing unfinished', async () => {
  const app = await buildApp();
  const owner = await openConsole(app, 'owner');
  app.clock.now += 1_000;
  assert.equal((await owner.send({ method: 'POST', url: '/system/backups' })).status, 201);
  await app.app.close();
  const left = readdirSync(join(app.config.dataFolder, 'backups'));
  assert.ok(!left.some((name) => name.includes('unfinished')), left.join());
  await app.storage.close();
});
