import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { halfway } from '../../../../test/support/halfway.ts';
import { canMount, smallDisk } from '../../../../test/support/storage/small-disk.ts';
import { service as byService } from '../../../access/audit.ts';
import { createApp } from '../../../app/app.ts';
import { verifyBackup } from '../../../backup/restore.ts';
import { serviceTimeZone } from '../../../base/clock.ts';
import type { BlobStorage } from '../../../blobs/blob-store.ts';
import { createDiskBlobStore } from '../../../blobs/disk.ts';
import { filesFolder } from '../../../config/config.ts';
import { dayIn } from '../../zone-day.ts';
import { findState, noteState } from './plan.ts';
import { BackupService } from './service.ts';

test('of two things that nodes note about the plan at the same moment both stay', async () => {
  const app = await buildApp({ database: 'postgres' });
  try {
    const { db } = app.storage;
    await noteState(db, { day: '2026-05-04', tries: 1 });
    const drill = { backupId: 'one', at: new Date(app.clock.now).toISOString(), ok: true, message: '' };
    await halfway(
      app,
      /^(insert into|delete from) settings/,
      () => noteState(db, { drill }),
      () => noteState(db, { goodAt: 1 }),
    );
    assert.deepEqual(await findState(db), { day: '2026-05-04', tries: 1, drill, goodAt: 1 });
  } finally {
    await app.close();
  }
});

test('a service makes them by the plan without being asked', async (context) => {
  context.onTestFinished(() => mock.reset());
  const minutely: (() => void)[] = [];
  const { setInterval } = globalThis;
  mock.method(globalThis, 'setInterval', (work: () => void, ms: number) => {
    if (ms === 60_000) minutely.push(work);
    return setInterval(work, ms);
  });
  const app = await buildApp({ repeats: true });
  mock.restoreAll();
  try {
    const owner = await openConsole(app, 'owner');
    const body = { isOn: true, everyDays: 1, time: '00:00', timeZone: 'UTC', kept: 1, drill: false };
    assert.equal((await owner.send({ method: 'PUT', url: '/system/backup-plan', body })).status, 200);
    for (const work of minutely) work();
    await app.app.idle();
    assert.equal((await owner.send({ method: 'GET', url: '/system/backups' })).body.results.length, 1);
  } finally {
    await app.close();
  }
});

for (const database of databases) {
  describe(`backups and the system in the console on ${database}`, () => {
    let app: TestApp;
    let owner: Browser;
    beforeAll(async () => {
      app = await buildApp({ database });
      owner = await openConsole(app, 'owner');
    });
    afterAll(() => app.close());

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

    async function failureIn(place: string): Promise<string | undefined> {
      const running: Promise<unknown>[] = [];
      const service = new BackupService({
        db: app.storage.db,
        blobs: createDiskBlobStore(filesFolder(app.config)),
        folder: place,
        now: () => app.clock.now,
        inBackground: (_, work) => void running.push(work().catch(() => undefined)),
        keptDays: 0,
        assertRoom: () => undefined,
      });
      await service.start(byService);
      await Promise.all(running);
      return service.lastFailure()?.message;
    }

    test('one whose folder cannot be made says so', async () => {
      assert.equal(await failureIn('/proc/museum/backups'), 'The folder of backups cannot be written.');
    });

    test('one whose files find no room says that the disk is full, and leaves nothing', {
      skip: !canMount,
    }, async () => {
      const disk = smallDisk(2_000_000) ?? assert.fail();
      try {
        const file = randomBytes(3_000_000);
        const headers = { 'content-type': 'video/mp4' };
        const sent = await app.send({ method: 'POST', url: '/api/v2/files/film.mp4', headers, body: file });
        assert.equal(sent.status, 201);
        assert.equal(await failureIn(disk.folder), 'The disk is full. Nothing of the backup was kept.');
        assert.deepEqual(readdirSync(disk.folder), []);
        const deleted = await owner.send({
          method: 'DELETE',
          url: `/apps/${app.appId}/v2/files/${sent.body.objectId}`,
        });
        assert.equal(deleted.status, 200);
      } finally {
        disk.remove();
      }
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
      const slowBlobs: BlobStorage = Object.assign(createDiskBlobStore(filesFolder(app.config)), {
        list: async (page: Parameters<BlobStorage['list']>[0]) => {
          reached.resolve();
          await goOn.promise;
          return blobs.list(page);
        },
      });
      const running: Promise<unknown>[] = [];
      const node = (blobs: BlobStorage, now: number) =>
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

    test('the system page has its version, storage, queues and memory', async () => {
      const { result } = (await owner.send({ method: 'GET', url: '/system' })).body;
      assert.match(result.database.product, database === 'sqlite' ? /^SQLite 3/ : /^PostgreSQL/);
      assert.ok(result.database.migration > 0 && result.disk.freeBytes > 0 && result.memory.residentBytes > 0);
      assert.deepEqual(result.jobs, { queued: 0, scheduled: 0, running: 0, dead: 0 });
    });

    test('the system page says at once that the disk has filled up', async (context) => {
      context.onTestFinished(() => mock.reset());
      const storage = async () => (await owner.send({ method: 'GET', url: '/system' })).body.result.storage;
      assert.deepEqual(Object.values(await storage()), [null, null, 0, 0]);
      mock.method(app.storage.db, 'fitInto', () => ({ needed: 2 ** 50, reusable: 0 }));
      const { problem, warning } = await storage();
      // With a database server only the files are on this disk.
      assert.match(database === 'sqlite' ? problem : warning, /nearly full.*Make room/);
      mock.restoreAll();
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

    test('they are made by the plan, once by several nodes, restored for trial, and only the newest kept', async () => {
      const plan = { isOn: true, everyDays: 1, time: '03:00', timeZone: 'Asia/Tokyo', kept: 2, drill: true };
      // Half past two in Tokyo, later than the backups that were made above.
      const today = new Date(app.clock.now + 2 * 86_400_000).toISOString().slice(0, 10);
      app.clock.now = Date.parse(`${today}T17:30:00Z`);
      owner = await openConsole(app, 'owner');
      const change = (body: object) => owner.send({ method: 'PUT', url: '/system/backup-plan', body });
      assert.equal((await change({ ...plan, timeZone: 'Nowhere/At all', kept: 0 })).status, 400);
      assert.equal((await change(plan)).status, 200);
      const other = await createApp({
        repeats: false,
        config: app.config,
        db: app.storage.db,
        now: () => app.clock.now,
        logStream: { write: () => undefined },
      });
      const ids = async () => (await list()).results.map(({ backupId }: { backupId: string }) => backupId.slice(0, 16));
      const before = await ids();
      const run = async (ms: number) => {
        app.clock.now += ms;
        await Promise.all([app.app.backUp(), other.backUp()]);
      };
      await run(0);
      assert.deepEqual(await ids(), before, 'not yet');
      await run(31 * 60_000);
      assert.deepEqual((await ids())[0], `${today}T18-01`);
      assert.equal((await ids()).length, 2, 'older ones go');
      const { drill, last } = (await owner.send({ method: 'GET', url: '/system/backup-plan' })).body.result;
      assert.deepEqual([last.ok, drill.ok, drill.backupId], [true, true, last.backupId]);
      await run(60_000);
      assert.equal((await ids())[0], `${today}T18-01`, 'one a day');
      // A damaged one is found out, and so is one that cannot be made; both are told.
      writeFileSync(join(folder(), last.backupId, 'apps.ndjson.gz'), 'x');
      assert.equal((await owner.send({ method: 'POST', url: `${url}/${last.backupId}/drill` })).status, 200);
      await app.app.idle();
      await app.app.checkAlerts();
      const alerts = async () => {
        owner = await openConsole(app, 'owner');
        return (await owner.send({ method: 'GET', url: '/alerts' })).body.results.map(
          ({ title }: { title: string }) => title,
        );
      };
      assert.deepEqual(await alerts(), ['A backup did not pass its trial']);
      app.clock.now += 3 * 86_400_000;
      await app.app.checkAlerts();
      const { day } = dayIn(serviceTimeZone(), Date.parse(`${today}T18:01:00Z`));
      assert.ok((await alerts()).includes(`There is no backup since ${day}`));
      // One by hand is one: both are over, though the plan has not come to its next day.
      const at = new Date(app.clock.now).toISOString();
      await noteState(app.storage.db, { last: { backupId: '', at, ok: false, message: 'The disk is full.' } });
      await app.app.checkAlerts();
      assert.ok((await alerts()).includes('The last backup failed'));
      await make();
      for (let n = 0; n < 2; n++) {
        await app.app.checkAlerts();
        app.clock.now += 10 * 60_000;
      }
      await app.app.checkAlerts();
      owner = await openConsole(app, 'owner');
      const told = (await owner.send({ method: 'GET', url: '/alerts' })).body.results;
      assert.deepEqual(
        told.flatMap(({ title, endedAt }: { title: string; endedAt: string | null }) => (endedAt ? [] : [title])),
        ['A backup did not pass its trial'],
      );
      assert.equal((await change({ ...plan, isOn: false })).status, 200);
      await other.close();
    });

    test('a restore is prepared with the name of the service, and taken back; a database server refuses', async () => {
      const [{ backupId }] = (await list()).results;
      const prepare = (name: string) =>
        owner.send({ method: 'POST', url: `${url}/${backupId}/restore`, body: { name } });
      assert.equal((await prepare('museum')).status, 400);
      const { status, body } = await prepare('pharos.test');
      if (database === 'postgres') {
        assert.equal(status, 403);
        assert.match(body.error.error, /pharos restore/);
        return;
      }
      assert.deepEqual([status, body.result.prepared.backupId], [200, backupId]);
      // A service that nothing starts again says so, and does nothing.
      const start = (id = backupId) =>
        owner.send({ method: 'POST', url: '/system/restore/start', body: { backupId: id } });
      const refused = await start();
      assert.deepEqual([refused.status, body.result.canRestart], [403, false]);
      assert.match(refused.body.error.error, /Restart it where it runs/);
      const needed = await owner.send({ method: 'DELETE', url: `${url}/${backupId}` });
      assert.equal(needed.status, 403, 'nobody deletes what the next start needs');
      // A trial of one that lacks files says that, and shows no paths.
      const upload = { ...app.credentials, 'content-type': 'text/plain' };
      const sent = await app.send({ method: 'POST', url: '/api/v2/files/lost.txt', headers: upload, body: 'lost' });
      assert.equal(sent.status, 201, JSON.stringify(sent.body));
      rmSync(join(filesFolder(app.config), app.appId), { recursive: true });
      const lacking = await make();
      await owner.send({ method: 'POST', url: `${url}/${lacking}/drill` });
      await app.app.idle();
      const { drill } = (await owner.send({ method: 'GET', url: '/system/backup-plan' })).body.result;
      assert.deepEqual(
        [drill.ok, drill.message],
        [false, 'It can be restored, but 1 of its files is missing: the storage had lost it when the backup was made.'],
      );
      const plan = { isOn: true, everyDays: 1, time: '00:00', timeZone: 'UTC', kept: 1, drill: false };
      const change = (body: object) => owner.send({ method: 'PUT', url: '/system/backup-plan', body });
      assert.equal((await change(plan)).status, 200);
      app.clock.now += 60_000;
      await app.app.backUp();
      const left = (await list()).results.map((one: { backupId: string }) => one.backupId);
      assert.deepEqual([left.length, left[1]], [2, backupId], 'the plan leaves what the next start needs');
      assert.equal((await change({ ...plan, isOn: false })).status, 200);
      const cancelled = await owner.send({ method: 'DELETE', url: '/system/restore' });
      assert.deepEqual([cancelled.status, cancelled.body.result.prepared], [200, null]);
      assert.equal((await owner.send({ method: 'DELETE', url: '/system/restore' })).status, 404);
      assert.equal((await start()).status, 404);
    });
  });
}
