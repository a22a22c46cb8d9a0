import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { openBlobs } from '../../../src/blobs/open.ts';
import { openDatabase } from '../../../src/cli/commands/storage.ts';
import { blobPlaces, readConfig } from '../../../src/config/config.ts';
import { sweepOrphans } from '../../../src/features/data/files/sweep.ts';
import { killsOf, testInFull } from '../../support/depth.ts';
import { type S3Server, startS3 } from '../../support/servers/s3-server.ts';
import { call, firstCredentials, type Service, signInManagerTo, startService } from '../service.ts';

/** PHAROS_TEST_KILLS asks for more. */
const kills = killsOf(4, 1);
/** Three parts in S3. */
const size = 11 * 1024 * 1024;
const chunk = 128 * 1024;
const dayMs = 86_400_000;

/** What this file is, the same however often it is sent. */
function bytesOf(name: string): Buffer {
  const bytes = Buffer.alloc(size, `${name} `);
  for (let at = 0; at < size; at += 65_536) bytes.writeUInt32LE(at, at);
  return bytes;
}

interface Sent {
  status: number;
  isReplayed: boolean;
  path: string;
}

type Headers = Readonly<Record<string, string>>;

/** Undefined if the service is gone before it has answered. */
async function upload(
  service: Service,
  headers: Headers,
  name: string,
  onSent: (bytes: number) => void = () => undefined,
): Promise<Sent | undefined> {
  const bytes = bytesOf(name);
  const sending = request(`${service.baseUrl}/api/v2/files/${name}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'image/png', 'content-length': size, 'idempotency-key': name },
  });
  // The service can be lost more than once.
  sending.on('error', () => undefined);
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  try {
    for (let at = 0; at < size; at += chunk) {
      await new Promise<void>((done, failed) =>
        sending.write(bytes.subarray(at, at + chunk), (error) => (error ? failed(error) : done())),
      );
      onSent(chunk);
    }
    sending.end();
    const [answer] = await answered;
    const body = JSON.parse(Buffer.concat(await answer.toArray()).toString('utf8'));
    const isReplayed = answer.headers['idempotency-replayed'] === 'true';
    return { status: answer.statusCode ?? 0, isReplayed, path: new URL(body.url).pathname };
  } catch {
    return undefined;
  }
}

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.close());

for (const place of ['a folder', 'S3'] as const)
  (place === 'S3' ? testInFull : test)(
    `${kills} times kill -9 while files go to ${place}: each is there once, whole, and nothing else stays`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pharos-upload-kill-'));
      const settings = { PHAROS_DATA: folder, ...(place === 'S3' ? { PHAROS_FILES_URL: s3.url('kill') } : {}) };
      let service = await startService(settings);
      try {
        const headers = await signInManagerTo(service, settings, firstCredentials(folder));
        const paths = new Map<string, string>();
        for (let kill = 0; kill < kills; kill++) {
          const names = ['a', 'b', 'c'].map((letter) => `${letter}${kill}.png`);
          let sent = 0;
          const isEnough = Promise.withResolvers<void>();
          // At a different point each time; the last time when the first of them is answered.
          const enough = ((kill + 1) * names.length * size) / kills;
          const first = names.map((name) =>
            upload(service, headers, name, (bytes) => {
              sent += bytes;
              if (kill < kills - 1 && sent >= enough) isEnough.resolve();
            }).then((answer) => {
              if (answer) isEnough.resolve();
              return answer;
            }),
          );
          await isEnough.promise;
          await service.stop('SIGKILL');
          const before = await Promise.all(first);
          service = await startService(settings);
          for (const [n, name] of names.entries()) {
            const again = await upload(service, headers, name);
            assert.equal(again?.status, 201);
            const known = before[n];
            if (known) assert.deepEqual(again, { ...known, isReplayed: true }, 'as it was told');
            paths.set(name, again?.path ?? '');
          }
        }
        const listed = await call(service, 'GET', '/api/v2/files?limit=1000', { headers });
        assert.equal(listed.body.results.length, paths.size);
        for (const [name, path] of paths) {
          const answer = await fetch(service.baseUrl + path, { headers });
          assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytesOf(name)), `${name} is whole`);
        }
        assert.equal(await service.stop('SIGTERM'), 0);
        await assertNothingElse(settings, paths.size);
      } finally {
        await service.stop('SIGKILL');
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

/** What two days later is left after the sweeps. */
async function assertNothingElse(settings: Readonly<Record<string, string>>, files: number): Promise<void> {
  const config = readConfig(settings);
  const [db, blobs] = [await openDatabase(config), await openBlobs(blobPlaces(config))];
  try {
    const now = () => Date.now() + 2 * dayMs;
    const unfinished = join(settings['PHAROS_DATA'] ?? '', 'files', '.unfinished');
    const names = 'PHAROS_FILES_URL' in settings ? [] : readdirSync(unfinished);
    for (const name of names) utimesSync(join(unfinished, name), 0, 0);
    await blobs.sweepUnfinished(now());
    await sweepOrphans({ db, blobs, now, isStopping: () => false });
    assert.equal((await blobs.list({ limit: 1000 })).length, files);
    if (names.length > 0) assert.deepEqual(readdirSync(unfinished), []);
  } finally {
    await db.close();
    blobs.close();
  }
}
