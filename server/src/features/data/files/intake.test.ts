import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../test/support/build-app.ts';
import { assertRefusals, type Refusal } from '../../../../test/support/cases.ts';
import { type FileSite, openFileSite, png } from '../../../../test/support/sites/file-site.ts';

/** Names and content types that an upload may have. */

for (const database of bothDatabases) {
  describe(`files on ${database}`, () => {
    let site: FileSite;
    beforeAll(async () => {
      site = await openFileSite(database);
    });
    afterAll(() => site.close());

    test('keeps a name of any script as given, and the returned address works', async () => {
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
        const { name: stored, url } = await site.uploaded(name);
        assert.equal(stored.slice(33), name);
        assert.match(url, /^[\x21-\x7e]+$/);
        const file = await site.fetchFile(url);
        assert.equal(file.status, 200, name);
        assert.match(
          String(file.headers['content-disposition']),
          /^inline; filename="[\x20-\x7e]*"(; filename\*=UTF-8''[\w.~%-]+)?$/,
        );
      }
      const { url } = await site.uploaded('Grüße "x".png');
      const { headers } = await site.fetchFile(url);
      assert.equal(
        headers['content-disposition'],
        `inline; filename="Gr__e _x_.png"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22x%22.png`,
      );
    });

    test('refuses names that could lead elsewhere, and nothing is stored', async () => {
      const before = site.blobsOnDisk();
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
      await assertRefusals(site.app, {}, [
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
      assert.equal(site.blobsOnDisk(), before);
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
        const { body } = await site.upload('any', '{"a":', { 'content-type': sent });
        const record = await site.app.send({
          method: 'GET',
          url: `/api/v2/files/${body.objectId}`,
          headers: site.user.headers,
        });
        assert.deepEqual([record.body.result.contentType, record.body.result.size], [kept, 5], String(sent));
      }
      const empty = await site.uploaded('empty.png', '');
      const file = await site.fetchFile(empty.url);
      assert.deepEqual([file.status, file.headers['content-length'], file.raw.length], [200, '0', 0]);
    });

    test('refuses a malformed content type and a file over the limit, and keeps nothing of it', async () => {
      const before = site.blobsOnDisk();
      const url = '/api/v2/files/a.png';
      await assertRefusals(site.app, {}, [
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
      assert.equal(site.blobsOnDisk(), before);
      assert.equal((await site.upload('limit.png', Buffer.alloc(100_000))).status, 201);
    });
  });
}
