import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, otherApp, signIn, signInManager } from '../../../../test/support/build-app.ts';
import { type FileSite, openFileSite, pathOf, png } from '../../../../test/support/sites/file-site.ts';
import { sql } from '../../../base/sql.ts';
import { createDiskBlobStore } from '../../../blobs/disk.ts';
import { filesFolder } from '../../../config/config.ts';
import { sweepOrphans } from './sweep.ts';

/** The records of files, who gets at them, and how long the bytes stay. */

for (const database of databases) {
  describe(`files on ${database}`, () => {
    let site: FileSite;
    beforeAll(async () => {
      site = await openFileSite(database);
    });
    afterAll(() => site.close());

    test('stores an upload and gives it back byte for byte at its address', async () => {
      const bytes = randomBytes(100_000);
      const answer = await site.upload('hall.png', bytes);
      assert.equal(answer.status, 201);
      assert.deepEqual(Object.keys(answer.body), ['objectId', 'name', 'url']);
      assert.match(answer.body.objectId, /^[0-9A-Za-z]{20}$/);
      assert.match(answer.body.name, /^[0-9a-f]{32}_hall\.png$/);
      assert.equal(answer.body.url, `http://pharos.test/files/${site.app.appId}/${answer.body.name}`);
      const file = await site.fetchFile(answer.body.url);
      assert.equal(file.status, 200);
      assert.ok(file.raw.equals(bytes));
      assert.deepEqual(
        Object.fromEntries(
          [
            'content-type',
            'content-length',
            'content-disposition',
            'etag',
            'last-modified',
            'accept-ranges',
            'x-content-type-options',
            'content-security-policy',
            'cross-origin-resource-policy',
            'cache-control',
          ].map((name) => [name, file.headers[name]]),
        ),
        {
          'content-type': 'image/png',
          'content-length': '100000',
          'content-disposition': 'inline; filename="hall.png"',
          etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
          'last-modified': new Date(site.app.clock.now).toUTCString(),
          'accept-ranges': 'bytes',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "sandbox; default-src 'none'",
          'cross-origin-resource-policy': 'cross-origin',
          'cache-control': 'private, max-age=60, must-revalidate',
        },
      );
    });

    test('answers an address that leads to no file with 404', async () => {
      const { name, url } = await site.uploaded('there.png');
      const strangers = await otherApp(site.app);
      const path = pathOf(url);
      for (const wrong of [
        path.slice(0, -1),
        `${path}x`,
        path.replace(site.app.appId, String(strangers['x-service-appid'])),
        path.replace(site.app.appId, 'nobody'),
        `/files/${site.app.appId}/${name.slice(0, 32)}`,
        `/files/${site.app.appId}/%00${name}`,
        `/files/${site.app.appId}/${name}%00`,
        `/files/${site.app.appId}/..%2F${site.app.appId}%2F${name}`,
        `/files/..%2F..%2Fpharos.db/${name}`,
        `/files/${site.app.appId}`,
        `/files/${site.app.appId}/`,
        '/files/',
        '/files/../pharos.db',
      ]) {
        const answer = await site.fetchFile(`http://pharos.test${wrong}`.replace('/../', '/%2E%2E/'));
        assert.equal(answer.status, 404, wrong);
        assert.deepEqual(
          [answer.body.error.code, answer.body.error.name, answer.body.code],
          [101, 'NotFound', 101],
          wrong,
        );
        assert.equal(answer.headers['cache-control'], 'no-store');
      }
    });

    test('lists, filters and shows the records of an app, and of no other', async () => {
      const own = await buildApp({ database });
      try {
        const me = await signInManager(own);
        const put = async (name: string, type: string, body: string) => {
          own.clock.now += 1000;
          return (
            await own.send({ method: 'POST', url: `/api/v2/files/${name}`, headers: { 'content-type': type }, body })
          ).body;
        };
        const a = await put('a.png', 'image/png', 'aaa');
        const b = await put('b.txt', 'text/plain', 'bb');
        const get = async (query: string, headers: Readonly<Record<string, string>> = me.headers) =>
          (await own.send({ method: 'GET', url: `/api/v2/files${query}`, headers })).body;
        const at = new Date(own.clock.now).toISOString();
        const record = {
          objectId: b.objectId,
          name: b.name,
          contentType: 'text/plain',
          size: 2,
          createdAt: at,
          updatedAt: at,
          url: b.url,
        };
        assert.deepEqual(await get(`/${b.objectId}`), { result: record });
        assert.deepEqual((await get('?order=-createdAt&limit=1&count=1')).results, [record]);
        const ids = async (query: string) =>
          (await get(query)).results.map((found: { objectId: string }) => found.objectId);
        const where = (condition: object) => `?where=${encodeURIComponent(JSON.stringify(condition))}`;
        assert.deepEqual(await ids(''), [a.objectId, b.objectId]);
        assert.deepEqual(await ids(where({ size: { $gt: 2 } })), [a.objectId]);
        assert.deepEqual(await ids(where({ contentType: 'text/plain' })), [b.objectId]);
        assert.deepEqual(await ids(where({ name: a.name })), [a.objectId]);
        assert.deepEqual(await ids(where({ createdAt: { $lt: at } })), [a.objectId]);
        for (const field of ['url', 'sha256', 'userId', 'stored_name', 'app_id']) {
          const refused = await own.send({
            method: 'GET',
            url: `/api/v2/files${where({ [field]: 'x' })}`,
            headers: me.headers,
          });
          assert.equal(refused.body.code, 102, field);
        }
        const strangers = await otherApp(own);
        const stranger = { ...strangers, ...(await signIn(own, strangers)).headers };
        assert.deepEqual(await get('', stranger), { results: [] });
        for (const method of ['GET', 'DELETE'] as const) {
          const foreign = await own.send({ method, url: `/api/v2/files/${a.objectId}`, headers: stranger });
          assert.deepEqual([foreign.status, foreign.body.code], [404, 101]);
        }
        assert.equal((await get(`/${a.objectId}`)).result.objectId, a.objectId);
      } finally {
        await own.close();
      }
    });

    test('deletes the record and the bytes', async () => {
      const { objectId, url } = await site.uploaded('gone.png');
      const before = site.blobsOnDisk();
      const request = { method: 'DELETE', url: `/api/v2/files/${objectId}` } as const;
      assert.equal((await site.app.send(request)).body.code, 209, 'not without a user');
      const answer = await site.app.send({ ...request, headers: site.user.headers });
      assert.deepEqual([answer.status, answer.body], [200, { result: [{}] }]);
      assert.equal((await site.fetchFile(url)).status, 404);
      assert.equal(site.blobsOnDisk(), before - 1);
      assert.equal((await site.app.send({ ...request, headers: site.user.headers })).body.code, 101);
    });

    test('asks for a user when the policy says so, and refuses a bad bearer in any case', async () => {
      assert.equal((await site.upload('a.png', png, { authorization: `Bearer ${'x'.repeat(43)}` })).body.code, 209);
      assert.equal((await site.upload('a.png', png, site.user.headers)).status, 201);
      await site.app.app.apps.change(site.app.appId, { policy: { uploadNeedsUser: true } });
      assert.deepEqual([(await site.upload('a.png')).status, (await site.upload('a.png')).body.code], [403, 209]);
      assert.equal((await site.upload('a.png', png, site.user.headers)).status, 201);
      await site.app.app.apps.change(site.app.appId, { policy: { uploadNeedsUser: false } });
    });

    test('serves no file of a disabled app until it is enabled again', async () => {
      const { url } = await site.uploaded('a.png');
      await site.app.app.apps.change(site.app.appId, { disabled: true });
      assert.equal((await site.fetchFile(url)).status, 404);
      await site.app.app.apps.change(site.app.appId, { disabled: false });
      assert.equal((await site.fetchFile(url)).status, 200);
    });

    test('says that a file is missing when its bytes are, and logs it', async () => {
      const { name, url } = await site.uploaded('lost.png');
      await createDiskBlobStore(filesFolder(site.app.config)).remove(`${site.app.appId}/${name.slice(0, 32)}`);
      const answer = await site.fetchFile(url);
      assert.deepEqual([answer.status, answer.headers['cache-control']], [404, 'no-store']);
      assert.ok(site.app.log.some((line) => line.includes('bytes of a file are missing')));
    });

    test('leaves no bytes behind when the record cannot be written', async () => {
      const own = await buildApp({ database });
      try {
        await own.storage.db.run(sql`drop table files`);
        const answer = await own.send({
          method: 'POST',
          url: '/api/v2/files/a.png',
          body: png,
          headers: { 'content-type': 'image/png' },
        });
        assert.deepEqual([answer.status, answer.body.code, answer.body.error.error.includes('files')], [500, 1, false]);
        assert.deepEqual(await createDiskBlobStore(filesFolder(own.config)).list({ limit: 10 }), []);
      } finally {
        await own.close();
      }
    });

    test('the sweep removes bytes without a record after a day, and nothing else', async () => {
      const own = await buildApp({ database });
      try {
        const blobs = createDiskBlobStore(filesFolder(own.config));
        const { body: kept } = await own.send({ method: 'POST', url: '/api/v2/files/kept.png', body: png });
        const keptKey = `${own.appId}/${kept.name.slice(0, 32)}`;
        const orphans = [
          `${own.appId}/${'0'.repeat(32)}`,
          `${own.appId}/${'f'.repeat(32)}`,
          `DeletedApp/${'a'.repeat(32)}`,
        ];
        for (let more = 0; more < 230; more++) orphans.push(`${own.appId}/${randomBytes(16).toString('hex')}`);
        for (const key of orphans) await blobs.put(key, (async function* () {})());
        const keys = async () => (await blobs.list({ limit: 1000 })).map(({ key }) => key);
        const sweep = (now: number, isStopping = () => false) =>
          sweepOrphans({ db: own.storage.db, blobs, now: () => now, isStopping });
        assert.equal(await sweep(Date.now() + 86_000_000), 0, 'an upload may still be on its way to its record');
        assert.equal(await sweep(Date.now() + 86_500_000, () => true), 0, 'a stop ends it');
        assert.equal(await sweep(Date.now() + 86_500_000), orphans.length);
        assert.deepEqual(await keys(), [keptKey]);
        // The same folder under a database that is younger than the files: they belong to another database.
        await blobs.put(orphans[0] ?? '', (async function* () {})());
        await own.storage.db.run(sql`update migrations set applied_at = ${Date.now() + 60_000}`);
        await own.storage.db.run(sql`delete from files`);
        assert.equal(await sweep(Date.now() + 86_500_000), 0);
        assert.equal((await keys()).length, 2);
      } finally {
        await own.close();
      }
    });
  });
}
