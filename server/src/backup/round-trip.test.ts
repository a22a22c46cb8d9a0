import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'vitest';
import { bothDatabases, buildApp, signIn, type TestApp, type TestStorage } from '../../test/support/build-app.ts';
import { testInFull } from '../../test/support/depth.ts';
import { blobsOf, fill, openEmpty, storageBlobs, withFolder } from '../../test/support/storage/backups.ts';
import { createApp } from '../app/app.ts';
import { readConfig } from '../config/config.ts';
import { knownMigrations } from '../db/migrate.ts';
import { restoreBackup, verifyBackup } from './restore.ts';
import { tablesOf } from './tables.ts';
import { writeBackup } from './write.ts';

/** The answers of these addresses, byte for byte, without the request ids. */
async function answersOf(send: TestApp['send'], headers: Readonly<Record<string, string>>, read: readonly string[]) {
  const answers = [];
  for (const url of read) {
    const { status, raw } = await send({ method: 'GET', url, headers });
    answers.push([url, status, raw.toString('utf8')]);
  }
  return answers;
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

for (const from of bothDatabases) {
  for (const to of bothDatabases) {
    (from === 'sqlite' && to === 'postgres' ? test : testInFull)(
      `a backup of ${from} taken during writes is restored into ${to}: same answers, keys and tokens`,
      () =>
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
        }),
    );
  }
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
