import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'vitest';
import {
  anyDisk,
  bothDatabases,
  openStorage,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { testOn } from '../../../../test/support/depth.ts';
import {
  fill,
  type KnownPerson,
  namingIn,
  openKnownPerson,
  tableOf,
} from '../../../../test/support/sites/known-person.ts';
import { createApp } from '../../../app/app.ts';
import { createServices } from '../../../app/services.ts';
import { restoreBackup, verifyBackup } from '../../../backup/restore.ts';
import { writeBackup } from '../../../backup/write.ts';
import { raw, sql } from '../../../base/sql.ts';
import { createDiskBlobStore } from '../../../blobs/disk.ts';
import { readConfig } from '../../../config/config.ts';
import { finishErasure } from './erase.ts';
import { eraseAgain } from './erase-again.ts';
import { ledgerName, readLedger } from './ledger.ts';
import { privacyDeps } from './wiring.ts';

/** An erasure comes to its end whatever happens in the middle of it, and stays. */

for (const database of bothDatabases) {
  describe(`what is known of a person on ${database}`, () => {
    let person: KnownPerson;
    let app: TestApp;
    let vera: SignedIn;
    let phone: string;
    beforeEach(async () => {
      person = await openKnownPerson(database);
      ({ app, vera, phone } = person);
    });
    afterEach(() => person.close());

    test('goes also where it is interrupted, or asked for twice at once', async () => {
      await person.fillAll(person.hers());
      const second = await create(
        app,
        '/api/v2/installations',
        { installationId: '2', deviceType: 'ios' },
        vera.headers,
      );
      await person.fillAll({ ...person.hers(), installationId: second, mark: 'second' });
      const answers = await Promise.all(
        [1, 2].map(() => app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: vera.headers })),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      await app.app.idle();
      assert.deepEqual(await person.tablesNaming(vera.userId), []);
    });

    testOn(database)(
      'is no longer named by a push that waits for its time, which still goes to the others',
      async () => {
        const [other, manager] = [await signIn(app), await signInManager(app)];
        const others = { installationId: 'theirs', deviceType: 'ios' };
        const theirs = await create(app, '/api/v2/installations', others, other.headers);
        const users = [vera, other].map(({ userId: objectId }) => ({
          __type: 'Pointer',
          className: '_User',
          objectId,
        }));
        const where = { $or: [{ userId: { $in: users } }, { objectId: phone }] };
        const sendAt = new Date(app.clock.now + 60_000).toISOString();
        const body = { where, sendAt, data: { title: 'Soon' } };
        const sent = await app.send({
          method: 'POST',
          url: '/api/v2/push/notification',
          body,
          headers: manager.headers,
        });
        assert.equal(sent.status, 200);
        const erasureId = await person.erase();
        await app.app.idle();
        const { erased } = await person.receipt(erasureId);
        assert.equal(erased.pushes, 1);
        assert.deepEqual(await person.tablesNaming(vera.userId), []);
        app.clock.now += 120_000;
        await app.app.idle();
        const url = '/api/v2/deliveries';
        const { results } = (await app.send({ method: 'GET', url, headers: manager.headers })).body;
        assert.deepEqual(
          results.map((one: { installationId: { objectId: string } }) => one.installationId.objectId),
          [theirs],
        );
      },
    );

    testOn(database)('is counted once, however often the work is begun again', async () => {
      await person.fillAll(person.hers());
      const erasureId = await person.erase();
      const [job] = await app.storage.db.all<{ payload: string }>(
        raw("select payload from jobs where kind = 'person.erase'"),
      );
      assert.ok(job);
      await app.app.idle();
      const first = await person.receipt(erasureId);
      await app.storage.db.run(sql`update erasures set completed_at = null where object_id = ${erasureId}`);
      await app.storage.db.run(sql`insert into jobs (app_id, job_id, kind, payload, state, run_at, attempts, created_at)
        values (${app.appId}, 'again', 'person.erase', ${job.payload}, 'queued', 0, 0, 0)`);
      await app.app.idle();
      assert.deepEqual((await person.receipt(erasureId)).erased, first.erased);
    });

    test('goes on where it was interrupted', async () => {
      // Without a service that would go on by itself.
      const storage = await openStorage(database);
      try {
        const { db, folder } = storage;
        const services = createServices({ db, now: () => app.clock.now });
        const { appId } = await services.apps.create('Museum');
        const place = { storage, appId };
        const said = person.hers();
        for (const name of ['users', 'visits', 'files', 'logs']) await fill(place, tableOf(name), said);
        for (let n = 0; n < 250; n++) await fill(place, tableOf('visits'), { ...said, mark: `visit ${n}` });
        const deps = privacyDeps(services, {
          blobs: createDiskBlobStore(join(folder, 'files')),
          dataFolder: folder,
          publicUrl: () => 'http://pharos.test',
          listBackups: async () => [],
        });
        const whom = { appId, userId: vera.userId, installationIds: [phone] };
        const erasureId = await db.transaction((db) =>
          services.beginErasure(db, { ...whom, kind: 'user', askedBy: 'person' }),
        );
        const key = { appId, erasureId };
        const interrupted = { ...deps, eraseFiles: () => Promise.reject(new Error('the power is gone')) };
        await assert.rejects(finishErasure(interrupted, key), /the power is gone/);
        assert.ok((await namingIn(storage, vera.userId)).includes('files'));
        const { counts, completed_at: completedAt } = await finishErasure(deps, key);
        assert.ok(completedAt);
        assert.deepEqual(JSON.parse(counts), { users: 1, visits: 251, logs: 1, files: 1 });
      } finally {
        await storage.close();
      }
    });

    test('erases rows about the person that are written while it runs', async () => {
      for (let n = 0; n < 250; n++) await fill(app, tableOf('logs'), { ...person.hers(), mark: `record ${1_000 + n}` });
      const { db } = app.storage;
      const caughtUp = db.caughtUp.bind(db);
      const at = app.clock.now;
      let isLate = false;
      db.caughtUp = async () => {
        const left = await db.all(sql`select object_id from logs where installation_id = ${phone}`);
        if (!isLate && left.length > 0 && left.length < 250) {
          isLate = true;
          // Its objectId comes before those that were just deleted.
          await fill(app, tableOf('logs'), { ...person.hers(), at, mark: 'record 1' });
        }
        await caughtUp();
      };
      app.clock.now += 1_000;
      const erasureId = await person.erase();
      await app.app.idle();
      assert.ok(isLate, 'it was under way');
      assert.deepEqual(await db.all(sql`select object_id from logs where installation_id = ${phone}`), []);
      assert.equal((await person.receipt(erasureId)).erased.logs, 251);
    });

    testOn(database)('stays erased where an older backup is restored', async () => {
      await person.fillAll(person.hers());
      const nobodys = await create(app, '/api/v2/installations', { installationId: 'nobodys', deviceType: 'ios' });
      await person.fillAll({ ...person.hers(), installationId: nobodys, userId: 'somebody', mark: 'nobodys' });
      const folder = join(app.storage.folder, 'copy');
      const blobs = createDiskBlobStore(join(app.storage.folder, 'files'));
      await writeBackup({ db: app.storage.db, blobs, folder, now: app.clock.now });
      app.clock.now += 1_000;
      const manager = await signInManager(app);
      await person.erase();
      const gone = { method: 'DELETE', url: `/api/v2/installations/${nobodys}`, headers: manager.headers } as const;
      assert.equal((await app.send(gone)).status, 200);
      await app.app.idle();

      const entries = await readLedger(join(app.storage.folder, ledgerName));
      assert.ok(!JSON.stringify(entries).includes(vera.userId) && entries.length === 2);
      const target = await openStorage(database);
      try {
        const restored = createDiskBlobStore(join(target.folder, 'files'));
        await restoreBackup({ db: target.db, blobs: restored, folder, now: app.clock.now }, await verifyBackup(folder));
        assert.ok((await person.tablesNaming(vera.userId)).length === 0);
        assert.ok((await namingIn(target, vera.userId)).includes('users'));
        const services = createServices({ db: target.db, now: () => app.clock.now });
        assert.equal(await eraseAgain(services, { entries, now: app.clock.now }), 2);
        assert.ok(!(await namingIn(target, vera.userId)).includes('users'), 'the account is gone at once');
        const config = readConfig({ ...anyDisk, ...target.settings, PHAROS_SECRET_KEY: 'ab'.repeat(32) });
        const again = await createApp({
          config,
          db: target.db,
          now: () => app.clock.now,
          logStream: { write: () => undefined },
        });
        await again.idle();
        await again.close();
        assert.deepEqual(await namingIn(target, vera.userId), []);
        assert.deepEqual(await namingIn(target, nobodys), []);
        assert.equal(await eraseAgain(services, { entries, now: app.clock.now }), 0, 'nobody is left');
      } finally {
        await target.close();
      }
    });

    testOn(database)('what a manager has made for the house stays, without the name', async () => {
      const manager = await signInManager(app);
      await create(
        app,
        '/api/v2/beacons',
        { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 },
        manager.headers,
      );
      const upload = { ...manager.headers, 'content-type': 'text/plain' };
      await app.send({ method: 'POST', url: '/api/v2/files/plan.txt', headers: upload, body: 'plan' });
      const { status } = await app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: manager.headers });
      assert.equal(status, 200);
      await app.app.idle();
      assert.deepEqual(await person.tablesNaming(manager.userId), []);
      for (const table of ['beacons', 'files'])
        assert.equal((await app.storage.db.all(raw(`select * from ${table}`))).length, 1, table);
    });
  });
}
