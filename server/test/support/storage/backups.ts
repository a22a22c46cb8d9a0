import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskBlobStore } from '../../../src/blobs/disk.ts';
import { filesFolder, readConfig } from '../../../src/config/config.ts';
import { openPostgres } from '../../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../../src/db/sqlite/sqlite.ts';
import { createPostgresDatabase, type DatabaseKind, signIn, type TestApp, type TestStorage } from '../build-app.ts';
import { patientMs } from '../patience.ts';

/** The stored files of an app. */
export const blobsOf = (app: TestApp) => createDiskBlobStore(filesFolder(app.config));
export const storageBlobs = (storage: TestStorage) => createDiskBlobStore(filesFolder(readConfig(storage.settings)));

/** Does some work with a folder that is there for it alone. */
export async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-backup-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A database and a file storage that have never been used. */
export async function openEmpty(kind: DatabaseKind): Promise<TestStorage> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-empty-'));
  const postgres = kind === 'postgres' ? await createPostgresDatabase() : undefined;
  const queryDeadlineMs = 5_000;
  const db = postgres
    ? openPostgres({ url: postgres.url, poolSize: 5, queryDeadlineMs, timeoutMs: patientMs })
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
export async function fill(app: TestApp) {
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
