import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  buildApp,
  createPostgresDatabase,
  databases,
  openStorage,
  signIn,
  type TestApp,
  type TestStorage,
} from '../../test/support/build-app.ts';
import { createApp } from '../app/app.ts';
import { createDiskBlobStore } from '../blobs/disk.ts';
import { filesFolder, readConfig } from '../config/config.ts';
import type { Database } from '../db/db.ts';
import { knownMigrations, migrate } from '../db/migrate.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { findSetting, saveSetting } from '../db/settings.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import { findRestoreRequest, findRestoreResult, requestRestore, restoreInPlace } from './in-place.ts';
import { assertNoUnfinishedRestore, setRestoreMarker } from './marker.ts';
import { restoreBackup, verifyBackup } from './restore.ts';
import { tablesOf } from './tables.ts';
import { writeBackup } from './write.ts';

type Kind = (typeof databases)[number];

const blobsOf = (app: TestApp) => createDiskBlobStore(filesFolder(app.config));
const storageBlobs = (storage: TestStorage) => createDiskBlobStore(filesFolder(readConfig(storage.settings)));

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-backup-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A database and a file storage that have never been used. */
async function openEmpty(kind: Kind): Promise<TestStorage> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-empty-'));
  const postgres = kind === 'postgres' ? await createPostgresDatabase() : undefined;
  const queryDeadlineMs = 5_000;
  const db = postgres
    ? openPostgres({ url: postgres.url, poolSize: 5, queryDeadlineMs })
    : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs });
  return {
    db,
    folder,
    settings: { PHAROS_DATA: folder },
    async close() {
      await db.close();
      await postgres?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const oddDocument = {
  text: 'a\u2028b\u2029c\n"quotes" \u00e9 \u{1f600}',
  number: 0.1 + 0.2,
  big: 1.7976931348623157e308,
  nested: [{ a: null, __proto__x: true }],
  empty: {},
};

/** Something of every kind that can be written, and how to read it back. */
async function fill(app: TestApp) {
  const user = await signIn(app);
  const send = async (method: 'POST' | 'PUT', url: string, body: unknown, headers = {}) => {
    const answer = await app.send({ method, url: `/api/v2${url}`, body, headers: { ...user.headers, ...headers } });
    assert.ok(answer.status < 300, `${url}: ${JSON.stringify(answer.body)}`);
    return answer.body.result ?? answer.body;
  };
  await app.app.buckets.createBucket(app.appId, 'odd');
  await send('POST', '/data/schema/odd', { column: { number: { type: 'Number' }, text: { type: 'String' } } });
  await send('POST', '/data/bucket/odd', { metadata: oddDocument });
  for (let n = 0; n < 250; n++) await send('POST', '/data/bucket/odd', { metadata: { n, text: 'x'.repeat(n) } });
  const beacon = await send('POST', '/beacons', {
    name: 'Hall',
    uuid: 'u',
    major: 1,
    minor: 2,
    location: { x: 0.5, y: 1 },
  });
  await send('POST', '/notifications', {
    description: 'Hi',
    beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beacon.objectId },
    event: 'ENTER',
    type: 'TEXT',
    message: { alertTitle: 'a', alertMessage: 'b' },
    isEnabled: true,
  });
  await send('POST', '/device', { deviceName: 'door', manufacture: 'acme', topic: 'door/1' });
  const file = await send('POST', '/files/hello.txt', 'hello file', { 'content-type': 'text/plain' });
  const read = [
    '/api/v2/data/bucket/odd?limit=1000',
    '/api/v2/data/bucket/odd?where=%7B%22metadata.number%22:%7B%22$gt%22:0%7D%7D',
    '/api/v2/data/schema/odd',
    '/api/v2/beacons',
    '/api/v2/notifications',
    '/api/v2/device',
    '/api/v2/files',
    '/api/v2/users',
    new URL(file.url).pathname,
  ];
  return { user, read };
}

/** The answers of these addresses, byte for byte, without the request ids. */
async function answersOf(send: TestApp['send'], headers: Readonly<Record<string, string>>, read: readonly string[]) {
  const answers = [];
  for (const url of read) {
    const { status, raw } = await send({ method: 'GET', url, headers });
    answers.push([url, status, raw.toString('utf8')]);
  }
  return answers;
}

async function* changedBytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('something else');
}

async function restoredApp(app: TestApp, storage: TestStorage) {
  const config = readConfig({ ...storage.settings, PHAROS_PUBLIC_URL: app.config.publicUrl });
  const restored = await createApp({
    config,
    db: storage.db,
    now: () => app.clock.now,
    logStream: { write: () => undefined },
  });
  const send: TestApp['send'] = async ({ method, url, headers }) => {
    const answer = await restored.server.inject({
      method,
      url,
      headers: { ...app.credentials, ...(headers as Record<string, string>) },
    });
    return { status: answer.statusCode, headers: answer.headers, body: undefined, raw: answer.rawPayload };
  };
  return { send, close: () => restored.close() };
}

for (const from of databases) {
  for (const to of databases) {
    test(`a backup of ${from} taken during writes is restored into ${to}: same answers, keys and tokens`, () =>
      withFolder(async (folder) => {
        const app = await buildApp({ database: from });
        const target = await openEmpty(to);
        try {
          const { user, read } = await fill(app);
          const before = await answersOf(app.send, user.headers, read);
          await app.app.buckets.createBucket(app.appId, 'busy');
          await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
          const acknowledged = new Set<string>();
          const beforeStart = new Set<string>();
          let isWriting = true;
          const writing = Promise.all(
            Array.from({ length: 4 }, async (_, writer) => {
              for (let n = 0; isWriting && acknowledged.size < 900; n++) {
                const body = { metadata: { writer, n } };
                const answer = await app.send({
                  method: 'POST',
                  url: '/api/v2/data/bucket/busy',
                  headers: user.headers,
                  body,
                });
                assert.equal(answer.status, 201);
                acknowledged.add(answer.body.result.objectId);
              }
            }),
          );
          while (acknowledged.size < 40) await new Promise((resolve) => setImmediate(resolve));
          for (const id of acknowledged) beforeStart.add(id);
          const manifest = await writeBackup({
            db: app.storage.db,
            blobs: blobsOf(app),
            folder: join(folder, 'b'),
            now: 0,
          });
          isWriting = false;
          await writing;
          assert.ok(acknowledged.size > beforeStart.size, 'writes went on meanwhile');
          assert.equal(manifest.blobs.rows, 1);
          assert.deepEqual(readdirSync(folder), ['b'], 'nothing unfinished is left');

          await restoreBackup(
            { db: target.db, blobs: storageBlobs(target), folder: join(folder, 'b'), now: 0 },
            await verifyBackup(join(folder, 'b')),
          );
          const restored = await restoredApp(app, target);
          try {
            assert.deepEqual(await answersOf(restored.send, user.headers, read), before);
            const list = '/api/v2/data/bucket/busy?limit=1000';
            const { raw } = await restored.send({ method: 'GET', url: list, headers: user.headers });
            const there = new Set(
              JSON.parse(raw.toString()).results.map(({ objectId }: { objectId: string }) => objectId),
            );
            for (const id of beforeStart) assert.ok(there.has(id), 'what was acknowledged before the start is there');
            for (const id of there) assert.ok(acknowledged.has(id as string), 'and nothing that was not written');
          } finally {
            await restored.close();
          }
        } finally {
          await target.close();
          await app.close();
        }
      }));
  }
}

for (const database of databases) {
  describe(`refusals of backup and restore on ${database}`, () => {
    test('a restore needs an empty database and an empty file storage', () =>
      withFolder(async (folder) => {
        const app = await buildApp({ database });
        const target = await openEmpty(database);
        try {
          const backup = join(folder, 'b');
          await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
          const manifest = await verifyBackup(backup);
          const into = (storage: TestStorage) =>
            restoreBackup({ db: storage.db, blobs: storageBlobs(storage), folder: backup, now: 0 }, manifest);
          await assert.rejects(into(app.storage), /The database is not empty: apps has rows/);
          await storageBlobs(target).put(`App1/${'a'.repeat(32)}`, (async function* () {})());
          await assert.rejects(into(target), /The folder of files is not empty/);
          await storageBlobs(target).remove(`App1/${'a'.repeat(32)}`);
          await into(target);
          await assert.rejects(into(target), /not empty/);
          mkdirSync(join(folder, 'taken'));
          writeFileSync(join(folder, 'taken', 'x'), '');
          const again = writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: join(folder, 'taken'), now: 0 });
          await assert.rejects(again, /is not empty\. Name a folder that does not exist yet/);
        } finally {
          await target.close();
          await app.close();
        }
      }));

    test('a restore that fails leaves the database and the file storage empty, for the next one', () =>
      withFolder(async (folder) => {
        const app = await buildApp({ database });
        const target = await openEmpty(database);
        try {
          await fill(app);
          const backup = join(folder, 'b');
          const manifest = await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
          const into = (from: string, read = manifest) =>
            restoreBackup({ db: target.db, blobs: storageBlobs(target), folder: from, now: 0 }, read);
          const withUsers = (change: object) => ({
            ...manifest,
            tables: {
              ...manifest.tables,
              users: { rows: 1, file: '', sha256: '', ...manifest.tables['users'], ...change },
            },
          });
          await assert.rejects(into(backup, withUsers({ rows: 5 })), /is damaged: users has 1 rows instead of 5/);
          writeFileSync(join(backup, 'odd.gz'), gzipSync('{"object_id) values (1); --":1}\n'));
          await assert.rejects(into(backup, withUsers({ file: 'odd.gz' })), /users has a column of an impossible name/);
          await assert.rejects(into(backup, withUsers({ file: 'nowhere.gz' })), /ENOENT.*nowhere\.gz/);
          const changed = join(folder, 'changed');
          cpSync(backup, changed, { recursive: true });
          const [blob] = await createDiskBlobStore(join(changed, 'files')).list({ limit: 1 });
          await createDiskBlobStore(join(changed, 'files')).put(blob?.key ?? '', changedBytes());
          await assert.rejects(into(changed), /files\/.* is missing or has been changed/);
          assert.deepEqual(
            await storageBlobs(target).list({ limit: 1 }),
            [],
            'the file that was written is gone again',
          );
          await into(backup);
          const rows = await target.db.all({ strings: ['select 1 from users'], values: [] });
          assert.equal(rows.length, 1);
        } finally {
          await target.close();
          await app.close();
        }
      }));

    test('a restore that was cut off is refused to serve, and is finished by running it again', () =>
      withFolder(async (folder) => {
        const app = await buildApp({ database });
        const target = await openStorage(database);
        try {
          const backup = join(folder, 'b');
          await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
          await setRestoreMarker(target.db);
          await target.db.run({
            strings: [
              "insert into app_keys (app_id, key_id, key_hash, hint, created_at) values ('half', 'k', 'h', 'i', 1)",
            ],
            values: [],
          });
          await assert.rejects(assertNoUnfinishedRestore(target.db), /was not finished/);
          await restoreBackup(
            { db: target.db, blobs: storageBlobs(target), folder: backup, now: 0 },
            await verifyBackup(backup),
          );
          await assertNoUnfinishedRestore(target.db);
          const keys = await target.db.all<{ app_id: string }>({
            strings: ['select app_id from app_keys'],
            values: [],
          });
          assert.deepEqual(
            keys.map((key) => key.app_id),
            [app.appId],
          );
        } finally {
          await target.close();
          await app.close();
        }
      }));
  });
}

test('a damaged or incomplete backup is refused before anything is written, and named', () =>
  withFolder(async (folder) => {
    const app = await buildApp();
    try {
      const { read } = await fill(app);
      assert.ok(read.length > 0);
      const damages: readonly (readonly [string, (backup: string) => void, RegExp])[] = [
        [
          'a table',
          (backup) => appendFileSync(join(backup, 'apps.ndjson.gz'), 'x'),
          /apps\.ndjson\.gz is missing or has been changed/,
        ],
        ['no table', (backup) => rmSync(join(backup, 'users.ndjson.gz')), /users\.ndjson\.gz is missing/],
        ['no manifest', (backup) => rmSync(join(backup, 'manifest.json')), /There is no backup in/],
        ['not JSON', (backup) => writeFileSync(join(backup, 'manifest.json'), '{'), /not JSON/],
        [
          'another version',
          (backup) => editManifest(backup, { version: 2 }),
          /has version 2; this version of Pharos reads version 1/,
        ],
        ['newer', (backup) => editManifest(backup, { migration: 9999 }), /Restore it with a newer version/],
        ['without a table', (backup) => editManifest(backup, { tables: {} }), /the table \w+ is not in it/],
        ['of another form', (backup) => editManifest(backup, { tables: null }), /does not have the form of a manifest/],
        [
          'no files',
          (backup) => rmSync(join(backup, 'files'), { recursive: true }),
          /files\/.* is missing or has been changed/,
        ],
      ];
      for (const [name, damage, message] of damages) {
        const backup = join(folder, name.replaceAll(' ', '-'));
        await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
        damage(backup);
        await assert.rejects(verifyBackup(backup), message, name);
      }
    } finally {
      await app.close();
    }
  }));

function editManifest(backup: string, change: object): void {
  const path = join(backup, 'manifest.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
}

test('no secret is in a backup, and every table of the database is', () =>
  withFolder(async (folder) => {
    const app = await buildApp();
    try {
      const user = await signIn(app);
      const backup = join(folder, 'b');
      const manifest = await writeBackup({ db: app.storage.db, blobs: blobsOf(app), folder: backup, now: 0 });
      const tables = await app.storage.db.all<{ name: string }>({
        strings: ["select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name"],
        values: [],
      });
      const ofItself = ['migrations', 'revisions', 'cache_changes', 'nodes', 'work_shares'];
      const kept = tables.map(({ name }) => name).filter((name) => !ofItself.includes(name));
      assert.deepEqual(Object.keys(manifest.tables).sort(), kept);
      for (const { file } of Object.values(manifest.tables)) {
        const text = gunzipSync(readFileSync(join(backup, file))).toString();
        for (const secret of [app.appKey, user.token, 'correct horse']) assert.ok(!text.includes(secret), file);
      }
    } finally {
      await app.close();
    }
  }));

test('every table of the migrations has a key to page by', () => {
  for (const { name, key } of tablesOf(knownMigrations())) assert.ok(key.length > 0, name);
});

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
