import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../support/build-app.ts';
import {
  assertErrorAnswer,
  closeHostile,
  documents,
  type Header,
  type HostileApp,
  hostileRequests,
  json,
  openHostile,
  type Row,
} from '../support/hostile/hostile-input.ts';
import { head, openConnection } from '../support/socket.ts';

/** Credentials, heads, paths and methods that break the rules of HTTP. */

for (const database of databases) {
  describe(`hostile input on ${database}`, () => {
    let opened: HostileApp;
    let app: TestApp;
    let port: number;
    const { request, ask, assertRows } = hostileRequests(() => opened);
    beforeAll(async () => {
      opened = await openHostile(database);
      ({ app, port } = opened);
    });
    afterAll(() => closeHostile(opened));

    test('refuses credentials that are doubled, empty or not strings of an app', async () => {
      const [id, key] = [app.appId, app.appKey];
      const as = (what: string, headers: readonly Header[], status: number, code: number): Row => [
        what,
        head('GET /api/v2/users', headers),
        status,
        code,
      ];
      await assertRows([
        as(
          'two ids',
          [
            ['X-Service-AppId', id],
            ['X-Service-AppId', id],
            ['X-Service-AppKey', key],
          ],
          404,
          903,
        ),
        as(
          'two keys',
          [
            ['X-Service-AppId', id],
            ['X-Service-AppKey', key],
            ['X-Service-AppKey', 'wrong'],
          ],
          404,
          903,
        ),
        as(
          'the right key second',
          [
            ['X-Service-AppId', id],
            ['X-Service-AppKey', 'wrong'],
            ['X-Service-AppKey', key],
          ],
          404,
          903,
        ),
        as(
          'an empty id',
          [
            ['X-Service-AppId', ''],
            ['X-Service-AppKey', key],
          ],
          400,
          902,
        ),
        as(
          'an empty key',
          [
            ['X-Service-AppId', id],
            ['X-Service-AppKey', ''],
          ],
          400,
          902,
        ),
        as(
          'a key of 10,000 characters',
          [
            ['X-Service-AppId', id],
            ['X-Service-AppKey', 'k'.repeat(10_000)],
          ],
          404,
          903,
        ),
        as(
          'an id of 10,000 characters',
          [
            ['X-Service-AppId', 'i'.repeat(10_000)],
            ['X-Service-AppKey', key],
          ],
          404,
          903,
        ),
        as(
          'bytes beyond ASCII',
          [
            ['X-Service-AppId', '\u00ff\u00fe'],
            ['X-Service-AppKey', key],
          ],
          404,
          903,
        ),
        as(
          'an injection',
          [
            ['X-Service-AppId', "' or 1=1 --"],
            ['X-Service-AppKey', key],
          ],
          404,
          903,
        ),
        as(
          'a prototype member',
          [
            ['X-Service-AppId', '__proto__'],
            ['X-Service-AppKey', 'constructor'],
          ],
          404,
          903,
        ),
      ]);
    });

    test('refuses heads that are too large or no HTTP, in the shape of every error', async () => {
      const values = Array.from({ length: 40_000 }, (_, n) => n);
      const where = encodeURIComponent(JSON.stringify({ major: { $in: values } }));
      await assertRows([
        ['headers over 16 KiB', request('GET /api/v2/beacons', [['X-Much', 'x'.repeat(17_000)]]), 431, 116],
        [
          'many headers',
          request(
            'GET /api/v2/beacons',
            Array.from({ length: 1_500 }, (_, n) => [`X-${n}`, 'xxxxxxxx'] as const),
          ),
          431,
          116,
        ],
        ['a query of 20 KiB', request(`GET /api/v2/beacons?where=${'x'.repeat(20_480)}`), 431, 116],
        ['40,000 values in an address', request(`GET /api/v2/beacons?where=${where}`), 431, 116],
        ['no HTTP at all', 'hello\r\n\r\n', 400, 107],
        ['a method that nobody knows', request('FOO /api/v2/beacons'), 400, 107],
        ['another protocol version', 'GET /api/v2/beacons HTTP/9.9\r\n\r\n', 400, 107],
        [
          'two lengths',
          request(documents, [
            ['Content-Length', '2'],
            ['Content-Length', '3'],
          ]),
          400,
          107,
        ],
        [
          'a length and chunks',
          request(documents, [
            ['Content-Length', '2'],
            ['Transfer-Encoding', 'chunked'],
          ]),
          400,
          107,
        ],
        ['a negative length', request(documents, [['Content-Length', '-1']]), 400, 107],
        ['a header with a NUL', request('GET /api/v2/beacons', [['X-A', 'a\0b']]), 400, 107],
        ['a space in a header name', request('GET /api/v2/beacons', [['X A', 'b']]), 400, 107],
        ['no Host', `GET /api/v2/beacons HTTP/1.1\r\n\r\n`, 400, 107],
        ['a broken chunk', `${request(documents, [json, ['Transfer-Encoding', 'chunked']])}zz\r\n`, 400, 107],
      ]);
      const strange = await ask(request('GET /api/v2/beacons', [['Expect', 'the unexpected']]));
      assert.equal(strange.status, 200, 'an expectation that nobody knows is ignored');
    });

    test('leads no path out of the interface', async () => {
      const at = (path: string, status = 404, code = 101): Row => [path, request(`GET ${path}`), status, code];
      await assertRows([
        at('/api/v2/../../etc/passwd'),
        at('/api/v2/%2e%2e/%2e%2e/etc/passwd'),
        at('/api/v2/beacons/..%2f..%2fetc%2fpasswd'),
        at('/api/v2/beacons/%00'),
        at('/api/v2/beacons/%zz'),
        at('/api/v2/beacons/%E0%A4%A'),
        at('/api/v2/beacons/%ff%fe'),
        at(`/api/v2/beacons/${'x'.repeat(10_000)}`),
        at("/api/v2/beacons/'%20or%201=1--"),
        at('/api/v2/notifications/%00'),
        at('/api/v2/storylines/%00/detail'),
        at('/api/v2/storylines/%00/detail/%00'),
        at('/api/v2/device/%00'),
        at('/api/v2/installations/a%00b'),
        at('/api/v2/files/%00'),
        at('/api/v2/data/bucket/birds/%00'),
        at('/api/v2/data/schema/birds/%00'),
        at('/api/v2/data/bucket/bi%00rds', 400, 301),
        at('/api/v2/data/bucket/..%2f', 400, 301),
        at('/api/v2/data/bucket/__proto__', 400, 301),
        at('/api/v2/data/bucket/constructor'),
        at('/api/v2/beacons/__proto__'),
        at('/api/v2/'),
        at('/api/v2//beacons'),
        at('/api/v2'),
        at('/api/v2/BEACONS'),
        at('/api/v3/beacons'),
        at('/..%2f..%2fpharos.db'),
        at('/files/%2e%2e/%2e%2e'),
      ]);
    });

    test('answers HEAD, OPTIONS and unknown methods as HTTP says', async () => {
      const heading = await openConnection(port);
      heading.send(request('HEAD /api/v2/beacons', [['Connection', 'close']]));
      let bytes = '';
      heading.socket.on('data', (chunk) => {
        bytes += chunk.toString();
      });
      await heading.ended;
      assert.match(bytes, /^HTTP\/1\.1 200 OK\r\n/);
      assert.match(bytes, /content-length: \d{2,}/i);
      assert.ok(bytes.endsWith('\r\n\r\n'), 'no body follows');
      const allowed = async (line: string) => {
        const answer = await ask(request(line));
        assert.deepEqual([answer.status, answer.body.code], [405, 119], line);
        assertErrorAnswer(answer, line);
        return answer.headers['allow'];
      };
      assert.equal(await allowed('DELETE /api/v2/beacons'), 'GET, HEAD, OPTIONS, POST');
      assert.equal(await allowed('POST /api/v2/beacons/x'), 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT');
      assert.equal(await allowed('PROPFIND /api/v2/beacons'), 'GET, HEAD, OPTIONS, POST');
      assert.equal(await allowed('GET /api/v2/push/notification'), 'OPTIONS, POST');
      assert.equal(await allowed('PUT /api/v2/files/a.png'), 'DELETE, GET, HEAD, OPTIONS, POST');
      assert.equal(await allowed('DELETE /api/v2/storylines/details'), 'GET, HEAD, OPTIONS');
      for (const path of ['/users/signin', '/users/signout']) {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
          assert.equal(await allowed(`${method} /api/v2${path}`), 'OPTIONS, POST');
        }
      }
      const unknown = await ask(request('GET /api/v2/users/signin', [], []));
      assert.deepEqual([unknown.status, unknown.body.code], [400, 902], 'told to callers with credentials only');
      const options = await ask(request('OPTIONS /api/v2/beacons', [], []));
      assert.deepEqual([options.status, options.headers['cache-control']], [204, 'no-store']);
      for (const [path, methods] of [
        ['/beacons', 'GET, HEAD, OPTIONS, POST'],
        ['/beacons/x', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
        ['/users/signin', 'OPTIONS, POST'],
      ]) {
        const asked = await ask(request(`OPTIONS /api/v2${path}`, [], []));
        assert.equal(asked.headers['allow'], methods, path);
      }
    });

    test('lets web pages of any origin call, and read errors too', async () => {
      const origin: Header = ['Origin', 'https://app.example'];
      const preflight = await ask(
        head('OPTIONS /api/v2/files/a.png', [
          origin,
          ['Access-Control-Request-Method', 'POST'],
          ['Access-Control-Request-Headers', 'authorization,content-type,x-service-appid,x-service-appkey'],
        ]),
      );
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], '*');
      assert.match(preflight.headers['access-control-allow-methods'] ?? '', /POST.*DELETE/);
      assert.equal(
        preflight.headers['access-control-allow-headers'],
        'authorization,content-type,x-service-appid,x-service-appkey',
      );
      assert.equal(preflight.headers['cache-control'], 'no-store');
      const refused = await ask(head('GET /api/v2/beacons', [origin]));
      assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [400, '*']);
      assert.match(refused.headers['access-control-expose-headers'] ?? '', /X-Request-Id/i);
      assert.equal(
        refused.headers['access-control-allow-credentials'],
        undefined,
        'no cookie ever opens the interface',
      );
    });
  });
}

test('takes credentials under each configured prefix, the first one winning', async () => {
  const app = await buildApp({ settings: { PHAROS_HEADER_PREFIXES: 'X-Service-,X-Other-' } });
  try {
    const { appId, appKey } = app;
    const rows: readonly (readonly [Record<string, string>, number])[] = [
      [{ 'X-Service-AppId': appId, 'X-Service-AppKey': appKey }, 200],
      [{ 'X-Other-AppId': appId, 'X-Other-AppKey': appKey }, 200],
      [{ 'x-other-appid': appId, 'X-SERVICE-APPKEY': appKey }, 200],
      [{ 'X-Service-AppId': appId, 'X-Service-AppKey': appKey, 'X-Other-AppId': 'x', 'X-Other-AppKey': 'x' }, 200],
      [{ 'X-Service-AppId': 'x', 'X-Service-AppKey': 'x', 'X-Other-AppId': appId, 'X-Other-AppKey': appKey }, 404],
      [{ 'X-Third-AppId': appId, 'X-Third-AppKey': appKey }, 400],
    ];
    const bare = { 'x-service-appid': undefined, 'x-service-appkey': undefined };
    for (const [given, status] of rows) {
      const headers = {
        ...bare,
        ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])),
      };
      assert.equal(
        (await app.send({ method: 'GET', url: '/api/v2/users', headers })).status,
        status,
        JSON.stringify(Object.keys(given)),
      );
    }
  } finally {
    await app.close();
  }
});
