import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { type FileSite, openFileSite } from '../../../../../test/support/sites/file-site.ts';

/** What a browser is told of a file, and which part of it is sent. */

for (const database of databases) {
  describe(`files on ${database}`, () => {
    let site: FileSite;
    beforeAll(async () => {
      site = await openFileSite(database);
    });
    afterAll(() => site.close());

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
        const { url } = await site.uploaded('page.html', '<script>alert(1)</script>', stored);
        const { headers } = await site.fetchFile(url);
        assert.equal(headers['content-type'], served, stored);
        assert.equal(headers['content-disposition'], `${disposition}; filename="page.html"`, stored);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
      }
    });

    test('answers ranges and conditional requests', async () => {
      const { url } = await site.uploaded('digits.mp4', '0123456789', 'video/mp4');
      const { headers: all } = await site.fetchFile(url);
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
        const answer = await site.fetchFile(url, headers);
        assert.deepEqual(
          [answer.status, answer.raw.toString(), answer.headers['content-range']],
          expected,
          JSON.stringify(headers),
        );
        if (answer.status !== 304) assert.equal(Number(answer.headers['content-length']), answer.raw.length);
        if (answer.status !== 416) assert.equal(answer.headers['etag'], etag);
      }
      const head = await site.fetchFile(url, { range: 'bytes=0-3' }, 'HEAD');
      assert.deepEqual(
        [head.status, head.headers['content-length'], head.headers['content-type'], head.raw.length],
        [200, '10', 'video/mp4', 0],
      );
      assert.equal((await site.fetchFile(url, { 'if-none-match': etag }, 'HEAD')).status, 304);
      const empty = await site.uploaded('empty', '');
      assert.equal((await site.fetchFile(empty.url, { range: 'bytes=0-' })).status, 416);
      assert.equal((await site.fetchFile(empty.url, { range: 'bytes=-1' })).status, 416);
    });
  });
}
