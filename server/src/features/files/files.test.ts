import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import {
  buildApp,
  databases,
  otherApp,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../test/support/build-app.ts';
import { assertRefusals, type Refusal } from '../../../test/support/cases.ts';
import { sql } from '../../base/sql.ts';
import { createDiskBlobStore } from '../../blobs/disk.ts';
import { filesFolder } from '../../config/config.ts';
import { sweepOrphans } from './sweep.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

for (const database of databases) {
  describe(`files on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    before(async () => {
      app = await buildApp({ database, settings: { PHAROS_MAX_FILE_BYTES: '100000' } });
      user = await signInManager(app);
    });
    after(() => app.close());

    const upload = (
      name: string,
      body: string | Buffer = png,
      headers: Record<string, string | undefined> = { 'content-type': 'image/png' },
    ) => app.send({ method: 'POST', url: `/api/v2/files/${encodeURIComponent(name)}`, headers, body });
    const uploaded = async (name: string, body: string | Buffer = png, type = 'image/png') => {
      const answer = await upload(name, body, { 'content-type': type });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body as { objectId: string; name: string; url: string };
    };
    const pathOf = (url: string) => new URL(url).pathname;
    /** As a browser: without credentials. */
    const fetchFile = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      app.send({
        method,
        url: pathOf(url),
        headers: { 'x-service-appid': undefined, 'x-service-appkey': undefined, ...headers },
      });
    const blobsOnDisk = () =>
      readdirSync(filesFolder(app.config), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        .length;

    test('stores an upload and gives it back byte for byte at its address', async () => {
      const bytes = randomBytes(100_000);
      const answer = await upload('hall.png', bytes);
      assert.equal(answer.status, 201);
      assert.deepEqual(Object.keys(answer.body), ['objectId', 'name', 'url']);
      assert.match(answer.body.objectId, /^[0-9A-Za-z]{20}$/);
      assert.match(answer.body.name, /^[0-9a-f]{32}_hall\.png$/);
      assert.equal(answer.body.url, `http://pharos.test/files/${app.appId}/${answer.body.name}`);
      const file = await fetchFile(answer.body.url);
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
          'last-modified': new Date(app.clock.now).toUTCString(),
          'accept-ranges': 'bytes',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "sandbox; default-src 'none'",
          'cross-origin-resource-policy': 'cross-origin',
          'cache-control': 'private, max-age=60, must-revalidate',
        },
      );
    });

    test('keeps a name of any script as it is given, and its address works as it is answered', async () => {
      const names = [
        'Grüße aus Köln.png',
        '展示室 図.png',
        'a b+c&d=e#f?g%20h.png',
        'quote"semi;.png',
        "it's(1)*!.png",
        '..a..',
        '😀'.repeat(128),
        ' ',
        '__proto__',
      ];
      for (const name of names) {
        const { name: stored, url } = await uploaded(name);
        assert.equal(stored.slice(33), name);
        assert.match(url, /^[\x21-\x7e]+$/);
        const file = await fetchFile(url);
        assert.equal(file.status, 200, name);
        assert.match(
          String(file.headers['content-disposition']),
          /^inline; filename="[\x20-\x7e]*"(; filename\*=UTF-8''[\w.~%-]+)?$/,
        );
      }
      const { url } = await uploaded('Grüße "x".png');
      const { headers } = await fetchFile(url);
      assert.equal(
        headers['content-disposition'],
        `inline; filename="Gr__e _x_.png"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22x%22.png`,
      );
    });

    test('refuses names that could lead elsewhere, and nothing is stored', async () => {
      const before = blobsOnDisk();
      const named = (rule: string, encoded: string): Refusal => ({
        rule,
        request: {
          method: 'POST',
          url: `/api/v2/files/${encoded}`,
          body: png,
          headers: { 'content-type': 'image/png' },
        },
        status: 400,
        code: 122,
        fields: ['filename'],
      });
      await assertRefusals(app, {}, [
        named('no name', ''),
        named('a slash', 'a%2Fb.png'),
        named('a way up', '..%2F..%2Fetc%2Fpasswd'),
        named('a backslash', 'a%5Cb.png'),
        named('a NUL', 'a%00.png'),
        named('a line break', 'a%0D%0AX-Evil:%201.png'),
        named('a delete', 'a%7F.png'),
        named('a C1 control', 'a%C2%85.png'),
        named('129 characters', 'x'.repeat(129)),
        named('129 characters beyond the basic plane', encodeURIComponent('😀'.repeat(129))),
        named('thousands of characters', 'x'.repeat(9_000)),
      ]);
      assert.equal(blobsOnDisk(), before);
    });

    test('takes any content type, none at all, and an empty file', async () => {
      const types: readonly (readonly [sent: string | undefined, kept: string])[] = [
        ['image/png', 'image/png'],
        ['IMAGE/PNG; Foo=Bar', 'image/png'],
        ['application/json', 'application/json'],
        ['multipart/form-data; boundary=x', 'multipart/form-data'],
        ['application/vnd.api+json', 'application/vnd.api+json'],
        [undefined, 'application/octet-stream'],
        ['*/*', 'application/octet-stream'],
      ];
      for (const [sent, kept] of types) {
        const { body } = await upload('any', '{"a":', { 'content-type': sent });
        const record = await app.send({ method: 'GET', url: `/api/v2/files/${body.objectId}`, headers: user.headers });
        assert.deepEqual([record.body.result.contentType, record.body.result.size], [kept, 5], String(sent));
      }
      const empty = await uploaded('empty.png', '');
      const file = await fetchFile(empty.url);
      assert.deepEqual([file.status, file.headers['content-length'], file.raw.length], [200, '0', 0]);
    });

    test('refuses a malformed content type and a file over the limit, and keeps nothing of it', async () => {
      const before = blobsOnDisk();
      const url = '/api/v2/files/a.png';
      await assertRefusals(app, {}, [
        ...['image', 'image/', '/png', 'a b/c', 'image/png/x', 'image png', `image/${'x'.repeat(128)}`].map((type) => ({
          rule: `the content type ${type.slice(0, 20)}`,
          request: { method: 'POST', url, body: png, headers: { 'content-type': type } } as const,
          status: 415,
          code: 107,
        })),
        {
          rule: 'one byte too many',
          request: { method: 'POST', url, body: Buffer.alloc(100_001), headers: { 'content-type': 'image/png' } },
          status: 413,
          code: 116,
        },
        {
          rule: 'the name comes before the size',
          request: { method: 'POST', url: '/api/v2/files/a%5Cb', body: Buffer.alloc(100_001) },
          status: 400,
          code: 122,
        },
      ]);
      assert.equal(blobsOnDisk(), before);
      assert.equal((await upload('limit.png', Buffer.alloc(100_000))).status, 201);
    });

    test('shows only inert types and hands everything else out to be saved', async () => {
      const types: readonly (readonly [stored: string, served: string, disposition: string])[] = [
        ...[
          'image/jpeg',
          'image/gif',
          'image/webp',
          'image/avif',
          'image/bmp',
          'image/x-icon',
          'audio/mpeg',
          'video/mp4',
        ].map((type) => [type, type, 'inline'] as const),
        ['application/pdf', 'application/pdf', 'attachment'],
        ...[
          'text/html',
          'application/xhtml+xml',
          'image/svg+xml',
          'text/xml',
          'video/x+xml',
          'audio/html',
          'text/javascript',
          'text/css',
          'text/plain',
          'application/json',
          'application/x-shockwave-flash',
          'image/tiff',
        ].map((type) => [type, 'application/octet-stream', 'attachment'] as const),
      ];
      for (const [stored, served, disposition] of types) {
        const { url } = await uploaded('page.html', '<script>alert(1)</script>', stored);
        const { headers } = await fetchFile(url);
        assert.equal(headers['content-type'], served, stored);
        assert.equal(headers['content-disposition'], `${disposition}; filename="page.html"`, stored);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
      }
    });

    test('answers ranges and conditional requests', async () => {
      const { url } = await uploaded('digits.mp4', '0123456789', 'video/mp4');
      const { headers: all } = await fetchFile(url);
      const etag = String(all['etag']);
      const modified = String(all['last-modified']);
      const later = new Date(Date.parse(modified) + 1000).toUTCString();
      const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
      const whole = [200, '0123456789', undefined] as const;
      const rows: readonly (readonly [Record<string, string>, readonly [number, string, string | undefined]])[] = [
        [{ range: 'bytes=0-3' }, [206, '0123', 'bytes 0-3/10']],
        [{ range: 'bytes=8-' }, [206, '89', 'bytes 8-9/10']],
        [{ range: 'bytes=9-9999' }, [206, '9', 'bytes 9-9/10']],
        [{ range: 'bytes=-4' }, [206, '6789', 'bytes 6-9/10']],
        [{ range: 'bytes=-4000' }, [206, '0123456789', 'bytes 0-9/10']],
        [{ range: 'bytes=10-' }, [416, '', 'bytes */10']],
        [{ range: 'bytes=-0' }, [416, '', 'bytes */10']],
        [{ range: `bytes=${'9'.repeat(400)}-` }, [416, '', 'bytes */10']],
        [{ range: 'bytes=5-2' }, whole],
        [{ range: 'bytes=0-1,4-5' }, whole],
        [{ range: 'bytes=a-b' }, whole],
        [{ range: 'bytes=-' }, whole],
        [{ range: 'rows=0-1' }, whole],
        [{ 'if-none-match': etag }, [304, '', undefined]],
        [{ 'if-none-match': `"other", W/${etag}` }, [304, '', undefined]],
        [{ 'if-none-match': '*' }, [304, '', undefined]],
        [{ 'if-none-match': '"other"' }, whole],
        [{ 'if-none-match': '"other"', 'if-modified-since': later }, whole],
        [{ 'if-modified-since': modified }, [304, '', undefined]],
        [{ 'if-modified-since': later }, [304, '', undefined]],
        [{ 'if-modified-since': earlier }, whole],
        [{ 'if-modified-since': 'yesterday' }, whole],
        [{ 'if-none-match': etag, range: 'bytes=0-3' }, [304, '', undefined]],
        [{ 'if-range': etag, range: 'bytes=0-3' }, [206, '0123', 'bytes 0-3/10']],
        [{ 'if-range': modified, range: 'bytes=0-3' }, [206, '0123', 'bytes 0-3/10']],
        [{ 'if-range': '"other"', range: 'bytes=0-3' }, whole],
        [{ 'if-range': `W/${etag}`, range: 'bytes=0-3' }, whole],
        [{ 'if-range': later, range: 'bytes=0-3' }, whole],
      ];
      for (const [headers, expected] of rows) {
        const answer = await fetchFile(url, headers);
        assert.deepEqual(
          [answer.status, answer.raw.toString(), answer.headers['content-range']],
          expected,
          JSON.stringify(headers),
        );
        if (answer.status !== 304) assert.equal(Number(answer.headers['content-length']), answer.raw.length);
        if (answer.status !== 416) assert.equal(answer.headers['etag'], etag);
      }
      const head = await fetchFile(url, { range: 'bytes=0-3' }, 'HEAD');
      assert.deepEqual(
        [head.status, head.headers['content-length'], head.headers['content-type'], head.raw.length],
        [200, '10', 'video/mp4', 0],
      );
      assert.equal((await fetchFile(url, { 'if-none-match': etag }, 'HEAD')).status, 304);
      const empty = await uploaded('empty', '');
      assert.equal((await fetchFile(empty.url, { range: 'bytes=0-' })).status, 416);
      assert.equal((await fetchFile(empty.url, { range: 'bytes=-1' })).status, 416);
    });

    test('answers an address that leads to no file with 404', async () => {
      const { name, url } = await uploaded('there.png');
      const strangers = await otherApp(app);
      const path = pathOf(url);
      for (const wrong of [
        path.slice(0, -1),
        `${path}x`,
        path.replace(app.appId, String(strangers['x-service-appid'])),
        path.replace(app.appId, 'nobody'),
        `/files/${app.appId}/${name.slice(0, 32)}`,
        `/files/${app.appId}/%00${name}`,
        `/files/${app.appId}/${name}%00`,
        `/files/${app.appId}/..%2F${app.appId}%2F${name}`,
        `/files/..%2F..%2Fpharos.db/${name}`,
        `/files/${app.appId}`,
        `/files/${app.appId}/`,
        '/files/',
        '/files/../pharos.db',
      ]) {
        const answer = await fetchFile(`http://pharos.test${wrong}`.replace('/../', '/%2E%2E/'));
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
      const { objectId, url } = await uploaded('gone.png');
      const before = blobsOnDisk();
      const request = { method: 'DELETE', url: `/api/v2/files/${objectId}` } as const;
      assert.equal((await app.send(request)).body.code, 209, 'not without a user');
      const answer = await app.send({ ...request, headers: user.headers });
      assert.deepEqual([answer.status, answer.body], [200, { result: [{}] }]);
      assert.equal((await fetchFile(url)).status, 404);
      assert.equal(blobsOnDisk(), before - 1);
      assert.equal((await app.send({ ...request, headers: user.headers })).body.code, 101);
    });

    test('asks for a user when the policy says so, and refuses a bad bearer in any case', async () => {
      assert.equal((await upload('a.png', png, { authorization: `Bearer ${'x'.repeat(43)}` })).body.code, 209);
      assert.equal((await upload('a.png', png, user.headers)).status, 201);
      await app.app.apps.change(app.appId, { policy: { uploadNeedsUser: true } });
      assert.deepEqual([(await upload('a.png')).status, (await upload('a.png')).body.code], [403, 209]);
      assert.equal((await upload('a.png', png, user.headers)).status, 201);
      await app.app.apps.change(app.appId, { policy: { uploadNeedsUser: false } });
    });

    test('serves no file of a disabled app until it is enabled again', async () => {
      const { url } = await uploaded('a.png');
      await app.app.apps.change(app.appId, { disabled: true });
      assert.equal((await fetchFile(url)).status, 404);
      await app.app.apps.change(app.appId, { disabled: false });
      assert.equal((await fetchFile(url)).status, 200);
    });

    test('says that a file is missing when its bytes are, and logs it', async () => {
      const { name, url } = await uploaded('lost.png');
      await createDiskBlobStore(filesFolder(app.config)).remove(`${app.appId}/${name.slice(0, 32)}`);
      const answer = await fetchFile(url);
      assert.deepEqual([answer.status, answer.headers['cache-control']], [404, 'no-store']);
      assert.ok(app.log.some((line) => line.includes('bytes of a file are missing')));
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
