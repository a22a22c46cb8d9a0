import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import {
  anyDisk,
  buildApp,
  databases,
  openStorage,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
  type TestStorage,
} from '../../../test/support/build-app.ts';
import { create } from '../../../test/support/cases.ts';
import { openConsole } from '../../../test/support/console.ts';
import { service } from '../../access/audit.ts';
import { createApp } from '../../app/app.ts';
import { privacyDeps } from '../../app/privacy.ts';
import { eraseAgain } from '../../app/restored-erasures.ts';
import { createServices } from '../../app/services.ts';
import { personParts, resources, tables } from '../../app/tables.ts';
import { restoreBackup, verifyBackup } from '../../backup/restore.ts';
import { writeBackup } from '../../backup/write.ts';
import { joinSql, raw, type SqlValue, sql } from '../../base/sql.ts';
import { createDiskBlobStore } from '../../blobs/disk.ts';
import { readConfig } from '../../config/config.ts';
import type { DbTable } from '../../db/table.ts';
import { finishErasure } from './erase.ts';
import { ledgerName, readLedger } from './ledger.ts';

/** What a row of a table says: everything about one person, or nothing. */
interface Said {
  readonly installationId: string;
  readonly userId: string;
  readonly at: number;
  readonly mark: string;
}

const withPerson = [...new Set(personParts.map(({ table }) => table))];
/** They are made through the interface, and an erasure treats them in its own way. */
const made = ['users', 'installations', 'erasures'];
const filled = withPerson.filter(({ name }) => !made.includes(name));

function tableOf(name: string): DbTable {
  const table = tables.find((one) => one.name === name);
  assert.ok(table);
  return table;
}

function isJson(table: DbTable, column: string): boolean {
  const members = resources.find((resource) => resource.table === table)?.records.members ?? {};
  return Object.values(members).some((member) => member.column === column && member.kind === 'json');
}

async function fill(
  app: Pick<TestApp, 'storage' | 'appId'>,
  table: DbTable,
  { installationId, userId, at, mark }: Said,
): Promise<void> {
  const { columns, trail, users = [], mentions } = table;
  const cellOf = (name: string): SqlValue => {
    if (name === 'app_id') return app.appId;
    if (name === trail?.installation) return installationId;
    if (users.includes(name)) return userId;
    // A kind that nobody does.
    if (name === 'kind') return 'none.such';
    if (name === 'stored_name') return `9f86d081884c7d659a2feaa0c55ad015_${mark}.txt`;
    if (isJson(table, name)) return JSON.stringify([mark]);
    if (mentions?.in.includes(name)) return JSON.stringify({ data: { installationId, userId } });
    if (name === trail?.at || name.endsWith('_at')) return at;
    return columns[name]?.type === 'text' ? mark : 1;
  };
  const isNeeded = (name: string) => {
    const column = columns[name];
    const isPersons = users.includes(name) || mentions?.in.includes(name) || name === trail?.installation;
    return isPersons || (column !== undefined && !column.isNullable && !column.hasDefault) || name === 'app_id';
  };
  const names = Object.keys(columns).filter(isNeeded);
  const cells = names.map((name) => sql`${cellOf(name)}`);
  // A person has one row of it, however often it is filled.
  const isOfPerson = table.key.every((column) => column === 'app_id' || users.includes(column));
  const again = raw(isOfPerson ? ' on conflict do nothing' : '');
  await app.storage.db.run(
    sql`insert into ${raw(table.name)} (${raw(names.join(', '))}) values (${joinSql(cells, ', ')})${again}`,
  );
}

async function namingIn({ db }: Pick<TestStorage, 'db'>, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db.all(raw(`select * from ${name}`));
    if (JSON.stringify(rows).includes(text)) found.push(name);
  }
  return found;
}

for (const database of databases) {
  describe(`what is known of a person on ${database}`, () => {
    let app: TestApp;
    let vera: SignedIn;
    let phone: string;
    beforeEach(async () => {
      app = await buildApp({ database });
      // A start counts the visits that are there. It would take rows of these tests away, and add others.
      await app.app.idle();
      vera = await signIn(app);
      phone = await create(app, '/api/v2/installations', { installationId: 'hers', deviceType: 'ios' }, vera.headers);
    });
    afterEach(() => app.close());

    /** Every table with a cell in which the text stands. */
    const tablesNaming = (text: string) => namingIn(app.storage, text);
    const fillAll = async (said: Said) => {
      for (const table of filled) await fill(app, table, said);
    };
    const hers = (): Said => ({ installationId: phone, userId: vera.userId, at: app.clock.now, mark: 'hers' });
    const exported = async (headers = vera.headers) => {
      const answer = await app.send({ method: 'GET', url: '/api/v2/users/me/export', headers });
      assert.equal(answer.status, 200);
      return answer.body;
    };
    const erase = async () => {
      const answer = await app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: vera.headers });
      assert.equal(answer.status, 200);
      return answer.body.result.erasureId as string;
    };
    const receipt = async (erasureId: string) =>
      (await app.send({ method: 'GET', url: `/api/v2/erasures/${erasureId}` })).body.result;

    test('is all exported, and all that is exported is erased', async () => {
      const other = await signIn(app);
      const theirs = await create(
        app,
        '/api/v2/installations',
        { installationId: 'x', deviceType: 'ios' },
        other.headers,
      );
      await fillAll(hers());
      await fillAll({ installationId: theirs, userId: other.userId, at: app.clock.now, mark: 'theirs' });
      app.clock.now += 1_000;

      const document = await exported();
      assert.deepEqual(
        [document.format, document.userId, document.installationIds],
        ['pharos-person', vera.userId, [phone]],
      );
      const silent = ['jobs', 'live_events'];
      for (const { name } of withPerson) {
        if (silent.includes(name) || name === 'erasures') continue;
        assert.ok(document[name]?.length > 0, `${name} is not exported`);
        assert.ok(!JSON.stringify(document[name]).includes(other.userId), `${name} of somebody else is exported`);
      }
      assert.deepEqual([document.webhooks.length, document.webhooks[0].calls], [1, 1]);
      const stored = await app.storage.db.one<{ password_hash: string }>(
        sql`select password_hash from users where object_id = ${vera.userId}`,
      );
      assert.ok(!JSON.stringify(document).includes(stored?.password_hash ?? ''), 'no secrets');

      const erasureId = await erase();
      assert.equal((await receipt(erasureId)).completedAt, null);
      await app.app.idle();
      // The installation stays, without anything that says whose it was.
      assert.deepEqual(await tablesNaming(vera.userId), []);
      assert.deepEqual(await tablesNaming(phone), ['installations']);
      const { erased, completedAt, kind, askedBy, webhooks } = await receipt(erasureId);
      assert.ok(completedAt);
      assert.deepEqual([kind, askedBy, webhooks.length], ['user', 'person', 1]);
      for (const { name } of filled) assert.ok(erased[name] > 0, `${name} is not counted`);
      for (const { name } of filled) {
        const rows = await app.storage.db.all(raw(`select * from ${name}`));
        const text = JSON.stringify(rows);
        assert.ok(text.includes(other.userId) || text.includes(theirs), `${name} of somebody else is gone`);
      }
    });

    test('goes also where it is interrupted, or asked for twice at once', async () => {
      await fillAll(hers());
      const second = await create(
        app,
        '/api/v2/installations',
        { installationId: '2', deviceType: 'ios' },
        vera.headers,
      );
      await fillAll({ ...hers(), installationId: second, mark: 'second' });
      const answers = await Promise.all(
        [1, 2].map(() => app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: vera.headers })),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      await app.app.idle();
      assert.deepEqual(await tablesNaming(vera.userId), []);
    });

    test('is no longer named by a push that waits for its time, which still goes to the others', async () => {
      const [other, manager] = [await signIn(app), await signInManager(app)];
      const others = { installationId: 'theirs', deviceType: 'ios' };
      const theirs = await create(app, '/api/v2/installations', others, other.headers);
      const users = [vera, other].map(({ userId: objectId }) => ({ __type: 'Pointer', className: '_User', objectId }));
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
      const erasureId = await erase();
      await app.app.idle();
      const { erased } = await receipt(erasureId);
      assert.equal(erased.pushes, 1);
      assert.deepEqual(await tablesNaming(vera.userId), []);
      app.clock.now += 120_000;
      await app.app.idle();
      const url = '/api/v2/deliveries';
      const { results } = (await app.send({ method: 'GET', url, headers: manager.headers })).body;
      assert.deepEqual(
        results.map((one: { installationId: { objectId: string } }) => one.installationId.objectId),
        [theirs],
      );
    });

    test('is counted once, however often the work is begun again', async () => {
      await fillAll(hers());
      const erasureId = await erase();
      const [job] = await app.storage.db.all<{ payload: string }>(
        raw("select payload from jobs where kind = 'person.erase'"),
      );
      assert.ok(job);
      await app.app.idle();
      const first = await receipt(erasureId);
      await app.storage.db.run(sql`update erasures set completed_at = null where object_id = ${erasureId}`);
      await app.storage.db.run(sql`insert into jobs (app_id, job_id, kind, payload, state, run_at, attempts, created_at)
        values (${app.appId}, 'again', 'person.erase', ${job.payload}, 'queued', 0, 0, 0)`);
      await app.app.idle();
      assert.deepEqual((await receipt(erasureId)).erased, first.erased);
    });

    test('goes on where it was interrupted', async () => {
      // Without a service that would go on by itself.
      const storage = await openStorage(database);
      try {
        const { db, folder } = storage;
        const services = createServices({ db, now: () => app.clock.now });
        const { appId } = await services.apps.create('Museum');
        const place = { storage, appId };
        const said = hers();
        for (const name of ['users', 'visits', 'files', 'logs']) await fill(place, tableOf(name), said);
        for (let n = 0; n < 250; n++) await fill(place, tableOf('visits'), { ...said, mark: `visit ${n}` });
        const deps = privacyDeps({
          db,
          now: () => app.clock.now,
          blobs: createDiskBlobStore(join(folder, 'files')),
          dataFolder: folder,
          publicUrl: () => 'http://pharos.test',
          listBackups: async () => [],
        });
        const person = { appId, userId: vera.userId, installationIds: [phone] };
        const erasureId = await db.transaction((db) =>
          services.beginErasure(db, { ...person, kind: 'user', askedBy: 'person' }),
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

    test('takes what is written about the person while it passes by', async () => {
      for (let n = 0; n < 250; n++) await fill(app, tableOf('logs'), { ...hers(), mark: `record ${1_000 + n}` });
      const { db } = app.storage;
      const caughtUp = db.caughtUp.bind(db);
      const at = app.clock.now;
      let isLate = false;
      db.caughtUp = async () => {
        const left = await db.all(sql`select object_id from logs where installation_id = ${phone}`);
        if (!isLate && left.length > 0 && left.length < 250) {
          isLate = true;
          // Its objectId comes before those that were just deleted.
          await fill(app, tableOf('logs'), { ...hers(), at, mark: 'record 1' });
        }
        await caughtUp();
      };
      app.clock.now += 1_000;
      const erasureId = await erase();
      await app.app.idle();
      assert.ok(isLate, 'it was under way');
      assert.deepEqual(await db.all(sql`select object_id from logs where installation_id = ${phone}`), []);
      assert.equal((await receipt(erasureId)).erased.logs, 251);
    });

    test('stays erased where an older backup is restored', async () => {
      await fillAll(hers());
      const nobodys = await create(app, '/api/v2/installations', { installationId: 'nobodys', deviceType: 'ios' });
      await fillAll({ ...hers(), installationId: nobodys, userId: 'somebody', mark: 'nobodys' });
      const folder = join(app.storage.folder, 'copy');
      const blobs = createDiskBlobStore(join(app.storage.folder, 'files'));
      await writeBackup({ db: app.storage.db, blobs, folder, now: app.clock.now });
      app.clock.now += 1_000;
      const manager = await signInManager(app);
      await erase();
      const gone = { method: 'DELETE', url: `/api/v2/installations/${nobodys}`, headers: manager.headers } as const;
      assert.equal((await app.send(gone)).status, 200);
      await app.app.idle();

      const entries = await readLedger(join(app.storage.folder, ledgerName));
      assert.ok(!JSON.stringify(entries).includes(vera.userId) && entries.length === 2);
      const target = await openStorage(database);
      try {
        const restored = createDiskBlobStore(join(target.folder, 'files'));
        await restoreBackup({ db: target.db, blobs: restored, folder, now: app.clock.now }, await verifyBackup(folder));
        assert.ok((await tablesNaming(vera.userId)).length === 0);
        assert.ok((await namingIn(target, vera.userId)).includes('users'));
        const services = createServices({ db: target.db, now: () => app.clock.now });
        assert.equal(await eraseAgain(target.db, services, { entries, now: app.clock.now }), 2);
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
        assert.equal(await eraseAgain(target.db, services, { entries, now: app.clock.now }), 0, 'nobody is left');
      } finally {
        await target.close();
      }
    });

    test('what a manager has made for the house stays, without the name', async () => {
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
      assert.deepEqual(await tablesNaming(manager.userId), []);
      for (const table of ['beacons', 'files'])
        assert.equal((await app.storage.db.all(raw(`select * from ${table}`))).length, 1, table);
    });

    test('of an installation without an account, an administrator exports and erases', async () => {
      const nobodys = await create(app, '/api/v2/installations', { installationId: 'nobodys', deviceType: 'ios' });
      await fillAll({ ...hers(), installationId: nobodys, mark: 'nobodys' });
      const console = await openConsole(app, 'manager');
      const at = `/apps/${app.appId}`;
      const answer = await console.send({ method: 'GET', url: `${at}/installations/${nobodys}/export` });
      assert.equal(answer.body.visits.length, 1);
      const gone = await console.send({ method: 'DELETE', url: `${at}/v2/installations/${nobodys}` });
      assert.equal(gone.status, 200);
      await app.app.idle();
      assert.deepEqual(await tablesNaming(nobodys), []);
      const [first] = (await console.send({ method: 'GET', url: `${at}/erasures` })).body.result;
      assert.deepEqual([first.kind, first.askedBy, first.erased.visits], ['installation', 'request', 1]);
    });

    test('what the former holder of a phone did is not exported', async () => {
      const before = app.clock.now - 60_000;
      await fill(app, tableOf('visits'), { ...hers(), at: before, mark: 'earlier' });
      await fill(app, tableOf('visits'), hers());
      await app.storage.db.run(sql`update installations set held_since = ${app.clock.now} where object_id = ${phone}`);
      assert.equal((await exported()).visits.length, 1);
    });

    test('nothing about other people is exported with it', async () => {
      const console = await openConsole(app, 'manager');
      const users = `/apps/${app.appId}/users/${vera.userId}`;
      for (const role of ['manager', 'user'])
        assert.equal((await console.send({ method: 'PUT', url: users, body: { role } })).status, 200);
      const [manager, other] = [await signInManager(app), await signIn(app)];
      await create(app, '/api/v2/installations', { installationId: 'others', deviceType: 'ios' }, other.headers);
      const push = async (where: object, { headers }: Pick<SignedIn, 'headers'>) => {
        const body = { where, data: { title: 'Hello' } };
        const sent = await app.send({ method: 'POST', url: '/api/v2/push/notification', body, headers });
        assert.equal(sent.status, 200, JSON.stringify(sent.body));
      };
      const pointers = [vera, other].map(({ userId: objectId }) => ({
        __type: 'Pointer',
        className: '_User',
        objectId,
      }));
      await push({ userId: { $in: pointers } }, manager);
      await push({ deviceType: 'ios' }, vera);
      await app.app.idle();
      const before = app.clock.now - 60_000;
      await fill(app, tableOf('webhook_deliveries'), { ...hers(), userId: 'former', at: before, mark: 'earlier' });
      await app.storage.db.run(sql`update installations set held_since = ${app.clock.now} where object_id = ${phone}`);

      const document = await exported();
      assert.deepEqual(
        [document.webhooks, document.webhook_deliveries],
        [[], []],
        'what was sent about the former holder',
      );
      assert.equal(document.pushes.length, 1);
      assert.equal(document.pushes[0].audience ?? null, null, 'it would tell how many others there are');
      assert.ok(document.deliveries.length > 0);
      assert.ok(document.audit.length > 0);
      const text = JSON.stringify(document);
      assert.ok(!text.includes(other.userId));
      for (const { actor, address } of document.audit) assert.deepEqual([actor, address], [undefined, undefined]);
    });

    test('two apps do not erase each other’s', async () => {
      const { appId } = await app.app.apps.create('Other', service);
      await fillAll(hers());
      await app.storage.db.run(sql`update visits set app_id = ${appId}`);
      await erase();
      await app.app.idle();
      assert.equal((await app.storage.db.all(raw('select * from visits'))).length, 1);
    });
  });
}
