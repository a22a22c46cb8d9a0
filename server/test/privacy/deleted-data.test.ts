import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { writeBackup } from '../../src/backup/write.ts';
import { createDiskBlobStore } from '../../src/blobs/disk.ts';
import { openBlobs } from '../../src/blobs/open.ts';
import { blobPlaces } from '../../src/config/config.ts';
import { sweepOrphans } from '../../src/features/data/files/sweep.ts';
import {
  type BuildOptions,
  buildApp,
  databases,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, openConsole } from '../support/console.ts';
import { type S3Server, startS3 } from '../support/servers/s3-server.ts';

/** Files, buckets and schemas that were deleted in the console: out of reach, and back with one call. */

const day = 86_400_000;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.close());

const places: readonly { readonly name: string; readonly options: () => BuildOptions }[] = [
  ...databases.map((database) => ({ name: `${database}, files on a disk`, options: () => ({ database }) })),
  { name: 'sqlite, files in S3', options: () => ({ settings: { PHAROS_FILES_URL: s3.url('trash') } }) },
];

for (const { name: place, options } of places) {
  describe(`deleted data (${place})`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let owner: Browser;
    beforeAll(async () => {
      app = await buildApp(options());
      manager = await signInManager(app);
      owner = await openConsole(app, 'owner');
    });
    afterAll(() => app.close());

    const tick = (ms = 1_000) => {
      app.clock.now += ms;
    };
    /** Days go by, with a sweep at the end; whoever was signed in has to do so again. */
    async function wait(days: number) {
      tick(days * day);
      app.app.sweep();
      await app.app.idle();
      owner = await openConsole(app, 'owner');
      manager = await signInManager(app);
    }
    const send = (browser: Browser, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => {
      tick();
      return browser.send({ method, url: `/apps/${app.appId}${path}`, ...(body === undefined ? {} : { body }) });
    };
    async function ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) {
      const answer = await send(owner, method, path, body);
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    }
    const get = (path: string) => app.send({ method: 'GET', url: `/api/v2${path}`, headers: manager.headers });
    const trashOf = async (recordId: string) => {
      const { results } = await ask('GET', '/trash');
      return results.find((one: { recordId: string }) => one.recordId === recordId);
    };
    const restore = async (recordId: string) => ask('POST', `/trash/${(await trashOf(recordId)).objectId}/restore`);
    const forget = async (recordId: string) => ask('DELETE', `/trash/${(await trashOf(recordId)).objectId}`);
    const usage = async () => {
      const { files, fileBytes, records, recordBytes } = (await ask('GET', '/usage')).result;
      return [files.used, fileBytes.used, records.used, recordBytes.used];
    };
    /** The bytes in the storage, by their keys. */
    async function stored(): Promise<string[]> {
      const blobs = await openBlobs(blobPlaces(app.config));
      try {
        return (await blobs.list({ limit: 1_000 })).map(({ key }) => key);
      } finally {
        blobs.close();
      }
    }
    const keyOf = (storedName: string) => `${app.appId}/${storedName.slice(0, 32)}`;

    describe('a file', () => {
      const upload = async (name: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
        const type = { 'content-type': 'image/png', ...headers };
        const answer = await app.send({ method: 'POST', url: `/api/v2/files/${name}`, body, headers: type });
        assert.equal(answer.status, 201);
        return answer.body as { objectId: string; name: string; url: string };
      };
      const served = async ({ url }: { readonly url: string }) =>
        app.send({ method: 'GET', url: new URL(url).pathname });

      test('is served to nobody in the trash, and comes back under its address', async () => {
        const file = await upload('hall.png', 'the hall');
        const record = (await get(`/files/${file.objectId}`)).body.result;
        const before = await usage();
        assert.deepEqual((await ask('DELETE', `/v2/files/${file.objectId}`)).result, [{}]);
        assert.equal((await served(file)).status, 404);
        assert.equal((await get(`/files/${file.objectId}`)).status, 404);
        assert.ok(!(await get('/files')).raw.includes(file.objectId));
        const entry = await trashOf(file.objectId);
        assert.deepEqual(
          [entry.kind, entry.title, entry.deletedBy.name, Date.parse(entry.goesAt) - Date.parse(entry.deletedAt)],
          ['files', 'hall.png', owner.email, 30 * day],
        );
        assert.deepEqual(await usage(), before, 'it is still stored, and counts');

        await restore(file.objectId);
        const back = await served(file);
        assert.deepEqual(
          [back.status, back.raw.toString(), back.headers['content-type']],
          [200, 'the hall', 'image/png'],
        );
        const { updatedAt: _then, ...was } = record;
        const { updatedAt: _now, ...is } = (await get(`/files/${file.objectId}`)).body.result;
        assert.deepEqual(is, was);
        assert.deepEqual(await usage(), before);
      });

      test('keeps its bytes through the sweeps of 30 days, and no longer', async () => {
        const file = await upload('kept.png', 'kept');
        await ask('DELETE', `/v2/files/${file.objectId}`);
        const before = await usage();
        const blobs = await openBlobs(blobPlaces(app.config));
        const orphans = () =>
          sweepOrphans({ db: app.storage.db, blobs, now: () => Date.now() + 3 * day, isStopping: () => false });
        try {
          await wait(29);
          assert.equal(await orphans(), 0);
          assert.ok((await stored()).includes(keyOf(file.name)));
          await wait(2);
        } finally {
          blobs.close();
        }
        assert.ok(!(await stored()).includes(keyOf(file.name)));
        assert.equal(await trashOf(file.objectId), undefined);
        const [files, bytes] = await usage();
        assert.deepEqual([files, bytes], [before[0] - 1, before[1] - 4]);
      });

      test('goes at once when it is deleted for good, and stays in the trash without its bytes', async () => {
        const [file, broken] = [await upload('one.png', 'one'), await upload('two.png', 'two')];
        for (const { objectId } of [file, broken]) await ask('DELETE', `/v2/files/${objectId}`);
        await forget(file.objectId);
        await app.app.idle();
        assert.ok(!(await stored()).includes(keyOf(file.name)));

        const blobs = await openBlobs(blobPlaces(app.config));
        await blobs.remove(keyOf(broken.name));
        blobs.close();
        const refused = await send(owner, 'POST', `/trash/${(await trashOf(broken.objectId)).objectId}/restore`);
        assert.equal(refused.status, 404);
        assert.match(refused.body.error.error, /does not have the content/);
        assert.ok(await trashOf(broken.objectId));
      });

      test('that the app deletes is gone, without a trash', async () => {
        const file = await upload('own.png', 'own');
        await app.send({ method: 'DELETE', url: `/api/v2/files/${file.objectId}`, headers: manager.headers });
        await app.app.idle();
        assert.equal(await trashOf(file.objectId), undefined);
        assert.ok(!(await stored()).includes(keyOf(file.name)));
      });

      test('of somebody who is erased goes from the trash with its bytes', async () => {
        const vera = await signIn(app);
        const [hers, others] = [await upload('me.png', 'me', vera.headers), await upload('you.png', 'you')];
        for (const { objectId } of [hers, others]) await ask('DELETE', `/v2/files/${objectId}`);
        const url = '/api/v2/users/me';
        assert.equal((await app.send({ method: 'DELETE', url, headers: vera.headers })).status, 200);
        await app.app.idle();
        assert.equal(await trashOf(hers.objectId), undefined);
        const keys = await stored();
        assert.deepEqual([keys.includes(keyOf(hers.name)), keys.includes(keyOf(others.name))], [false, true]);
      });

      test('is in a backup while it is in the trash', async () => {
        const file = await upload('copied.png', 'copied');
        await ask('DELETE', `/v2/files/${file.objectId}`);
        const folder = join(app.storage.folder, 'copy');
        const blobs = await openBlobs(blobPlaces(app.config));
        await writeBackup({ db: app.storage.db, blobs, folder, now: app.clock.now, copiesFiles: true });
        blobs.close();
        const copy = createDiskBlobStore(join(folder, 'files'));
        assert.ok(await copy.stat(keyOf(file.name)));
      });

      test('is out of reach of administrators who may not write files', async () => {
        const file = await upload('locked.png', 'locked');
        await ask('DELETE', `/v2/files/${file.objectId}`);
        const { objectId } = await trashOf(file.objectId);
        const analyst = await openConsole(app, 'analyst');
        for (const [method, path] of [
          ['POST', `/trash/${objectId}/restore`],
          ['DELETE', `/trash/${objectId}`],
        ] as const)
          assert.equal((await send(analyst, method, path)).status, 403);
        assert.equal((await served(file)).status, 404);
      });
    });

    describe('a bucket', () => {
      const quiz = '/data/bucket/quiz';
      let recordId: string;
      let bucketId: string;
      beforeAll(async () => {
        await ask('POST', '/v2/data/schema/quiz', { column: { score: { type: 'Number' } } });
        const body = { metadata: { name: 'Anna', score: 3 } };
        recordId = await create(app, `/api/v2${quiz}`, body, manager.headers);
        await app.app.idle();
        bucketId = (await ask('GET', '/buckets')).results[0].objectId;
      });
      const where = encodeURIComponent(JSON.stringify({ 'metadata.score': { $gte: 3 } }));

      test('comes back with its records, schemas and rules', async () => {
        const [record, schemas] = [(await get(`${quiz}/${recordId}`)).body, await ask('GET', '/v2/data/schema/quiz')];
        const before = await usage();
        // Nobody but managers reads it.
        await app.app.apps.changeRules(app.appId, { buckets: { quiz: { get: 'manager' } } });
        const { headers: asUser } = await signIn(app);
        const url = `/api/v2${quiz}/${recordId}`;
        assert.equal((await app.send({ method: 'GET', url, headers: asUser })).status, 403);
        await ask('DELETE', '/buckets/quiz');
        assert.equal((await get(quiz)).status, 404);
        assert.deepEqual((await ask('GET', '/buckets')).results, []);
        const refused = await app.send({
          method: 'POST',
          url: `/api/v2${quiz}`,
          body: { metadata: { score: 1 } },
          headers: manager.headers,
        });
        assert.deepEqual([refused.status, refused.body.code], [400, 302]);
        await wait(29);
        const entry = await trashOf(bucketId);
        assert.deepEqual([entry.kind, entry.title], ['buckets', 'quiz']);

        await restore(bucketId);
        await app.app.idle();
        assert.deepEqual((await get(`${quiz}/${recordId}`)).body, record);
        const { headers: again } = await signIn(app);
        assert.equal((await app.send({ method: 'GET', url, headers: again })).status, 403);
        await app.app.apps.changeRules(app.appId, {});
        assert.deepEqual((await get(`${quiz}?where=${where}`)).body.results.length, 1);
        const withoutTime = ({ results }: { results: readonly { updatedAt: string }[] }) =>
          results.map(({ updatedAt: _, ...rest }) => rest);
        assert.deepEqual(withoutTime(await ask('GET', '/v2/data/schema/quiz')), withoutTime(schemas));
        assert.deepEqual((await usage()).slice(2), before.slice(2));
        // It is a bucket like any other: its schema is checked, and records are written.
        const wrong = { method: 'POST', url: `/api/v2${quiz}`, headers: manager.headers } as const;
        assert.equal((await app.send({ ...wrong, body: { metadata: { score: 'many' } } })).status, 400);
        await create(app, `/api/v2${quiz}`, { metadata: { name: 'Bert', score: 9 } }, manager.headers);
        assert.deepEqual((await get(`${quiz}?where=${where}`)).body.results.length, 2);
      });

      test('whose name is taken again says so, and waits', async () => {
        await ask('DELETE', '/buckets/quiz');
        await ask('POST', '/buckets', { name: 'quiz' });
        const refused = await send(owner, 'POST', `/trash/${(await trashOf(bucketId)).objectId}/restore`);
        assert.deepEqual([refused.status, /quiz again/.test(refused.body.error.error)], [409, true]);
        await ask('DELETE', '/buckets/quiz');
        await restore(bucketId);
        assert.equal((await get(`${quiz}/${recordId}`)).status, 200);
      });

      test('a schema comes back too, after its bucket, and not against another one', async () => {
        const path = '/v2/data/schema/quiz';
        const [{ objectId: schemaId }] = (await ask('GET', path)).results;
        await ask('DELETE', `${path}/${schemaId}`);
        assert.equal((await trashOf(schemaId)).title, 'quiz: score');
        const { objectId: trashId } = await trashOf(schemaId);
        await ask('DELETE', '/buckets/quiz');
        assert.equal((await send(owner, 'POST', `/trash/${trashId}/restore`)).status, 400);
        await restore(bucketId);
        const other = await create(
          app,
          '/api/v2/data/schema/quiz',
          { column: { score: { type: 'String' } } },
          manager.headers,
        );
        assert.equal((await send(owner, 'POST', `/trash/${trashId}/restore`)).status, 400);
        await app.send({ method: 'DELETE', url: `/api/v2/data/schema/quiz/${other}`, headers: manager.headers });
        assert.equal(await trashOf(other), undefined, 'what an app deletes is gone');
        await restore(schemaId);
        await app.app.idle();
        const columns = (await ask('GET', '/buckets')).results.map((one: { columns: object }) => one.columns);
        assert.deepEqual(columns, [{ score: 'Number' }]);
        assert.deepEqual((await get(`${quiz}?where=${where}`)).body.results.length, 2);
      });

      test('loses erased data while it is in the trash, and everything when it leaves the trash for good', async () => {
        const vera = await signIn(app);
        const hers = await create(app, `/api/v2${quiz}`, { metadata: { name: 'Vera' } }, vera.headers);
        await ask('DELETE', '/buckets/quiz');
        await app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: vera.headers });
        await app.app.idle();
        await restore(bucketId);
        assert.equal((await get(`${quiz}/${hers}`)).status, 404);
        assert.equal((await get(`${quiz}/${recordId}`)).status, 200);

        await ask('DELETE', `/v2${quiz}/${recordId}`);
        await ask('DELETE', '/buckets/quiz');
        await forget(bucketId);
        await app.app.idle();
        assert.equal(await trashOf(recordId), undefined);
        const [, , records, bytes] = await usage();
        assert.deepEqual([records, bytes], [0, 0]);
      });
    });
  });
}
