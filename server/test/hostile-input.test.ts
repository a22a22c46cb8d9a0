import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from './support/build-app.ts';
import { create } from './support/cases.ts';
import { exchange, head, listen, openConnection, type RawAnswer } from './support/socket.ts';

/** Requests that break the rules of HTTP, JSON or the where-language, sent byte by byte over a real connection. */

type Header = readonly [string, string];
/** [description, request, status, code] */
type Row = readonly [what: string, request: string | Buffer, status: number, code: number];

const internals =
  /node_modules|\.[jt]s\b|\n\s+at |:\d+:\d+\)|\bselect .+ from |\binsert into |SQLITE|syntax error|pharos-test|\/tmp\/|\/home\/|stack|undefined|\[object/i;

/** The body of every error: exactly these members, and nothing that only the service should know. */
function assertErrorAnswer(answer: RawAnswer, what: string): void {
  const { error, code, ...more } = answer.body;
  const text = `${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 400)}`;
  assert.deepEqual(more, {}, text);
  const { details, ...members } = error;
  assert.deepEqual(Object.keys(members), ['code', 'error', 'name', 'status', 'requestId'], text);
  assert.equal(error.code, code, text);
  assert.equal(error.status, answer.status, text);
  assert.match(error.error, /^.{10,}\.$/su, text);
  assert.equal(error.requestId, answer.headers['x-request-id'], text);
  assert.ok(error.requestId.length > 5, text);
  if (details !== undefined) {
    assert.ok(details.length > 0, text);
    for (const detail of details) assert.deepEqual(Object.keys(detail), ['field', 'problem'], text);
  }
  assert.doesNotMatch(JSON.stringify(answer.body), internals, text);
  assert.equal(answer.headers['cache-control'], 'no-store', text);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, text);
}

for (const database of databases) {
  describe(`hostile input on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let port: number;
    let credentials: readonly Header[];
    let signedIn: readonly Header[];
    before(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      await app.app.buckets.createBucket(app.appId, 'birds');
      port = await listen(app);
      credentials = Object.entries(app.credentials);
      signedIn = [...credentials, ['Authorization', `Bearer ${user.token}`]];
    });
    after(() => app.close());

    const json: Header = ['Content-Type', 'application/json'];
    const documents = 'POST /api/v2/data/bucket/birds';
    const request = (line: string, headers: readonly Header[] = [], as = signedIn) => head(line, [...as, ...headers]);
    const withBody = (line: string, body: string | Buffer, headers: readonly Header[] = [json]) =>
      Buffer.concat([
        Buffer.from(request(line, [...headers, ['Content-Length', String(Buffer.byteLength(body))]])),
        Buffer.from(body),
      ]);
    const ask = (bytes: string | Buffer) => exchange(port, bytes);
    const get = (path: string) => ask(request(`GET /api/v2${path}`));

    async function assertRows(rows: readonly Row[]): Promise<void> {
      for (const [what, bytes, status, code] of rows) {
        const answer = await ask(bytes);
        assert.deepEqual(
          [answer.status, answer.body.code],
          [status, code],
          `${what}: ${JSON.stringify(answer.body).slice(0, 300)}`,
        );
        assertErrorAnswer(answer, what);
      }
    }
    const count = async () => (await get('/data/bucket/birds?count=1&limit=0')).body.count as number;

    test('refuses bodies that are not acceptable JSON, and writes nothing', async () => {
      const before = await count();
      const bad = (what: string, body: string | Buffer): Row => [what, withBody(documents, body), 400, 107];
      const inside = (text: string | Buffer) =>
        Buffer.concat([Buffer.from('{"metadata":{"a":"'), Buffer.from(text), Buffer.from('"}}')]);
      await assertRows([
        bad('cut off', '{"metadata":{'),
        bad('trailing text', '{"metadata":{}} x'),
        bad('trailing comma', '{"metadata":{},}'),
        bad('single quotes', "{'metadata':{}}"),
        bad('a comment', '{"metadata":{}/* */}'),
        bad('no value', 'undefined'),
        bad('NaN', '{"metadata":{"a":NaN}}'),
        bad('an empty body', ''),
        bad('only spaces', ' \n '),
        bad('a byte order mark', '\ufeff{"metadata":{}}'),
        bad('UTF-16', Buffer.from('{"metadata":{}}', 'utf16le')),
        bad('a nesting of 65', `{"metadata":{"a":${'['.repeat(63)}${']'.repeat(63)}}}`),
        bad('a nesting of 100,000', `{"metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
        bad('objects nested 20,000 deep', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
        bad('an escaped NUL', inside('\\u0000')),
        bad('an escaped NUL in a name', '{"metadata":{"\\u0000":1}}'),
        bad('a raw NUL', inside('\0')),
        bad('a lone high surrogate', inside('\\ud800')),
        bad('a lone low surrogate', inside('x\\udc00y')),
        bad('surrogates in the wrong order', inside('\\udc00\\ud800')),
        bad('a lone surrogate in a name', '{"metadata":{"\\ud83d":1}}'),
        bad('invalid UTF-8', inside(Buffer.from([0xff]))),
        bad('overlong UTF-8', inside(Buffer.from([0xc0, 0x80]))),
        bad('a surrogate in UTF-8', inside(Buffer.from([0xed, 0xa0, 0x80]))),
        bad('cut UTF-8', inside(Buffer.from([0xf0, 0x9f, 0x98]))),
        bad('1e400', '{"metadata":{"a":1e400}}'),
        bad('-1e400', '{"metadata":{"a":[-1e400]}}'),
        bad('100,001 members', `{"metadata":{"a":[${'0,'.repeat(99_998)}0]}}`),
      ]);
      const shallow = await ask(withBody(documents, `{"metadata":{"a":${'['.repeat(62)}${']'.repeat(62)}}}`));
      assert.equal(shallow.status, 201, 'a nesting of 64 is fine');
      assert.equal(await count(), before + 1);
    });

    test('keeps what is unusual and allowed, the same on both databases', async () => {
      const values: readonly (readonly [sent: string, kept: string])[] = [
        ['{"a":1,"a":2}', '{"a":2}'],
        ['{"a":{"b":1},"a":{"c":2}}', '{"a":{"c":2}}'],
        ['{"a":1e308,"b":-0,"c":1.0,"d":12345678901234567890}', '{"a":1e+308,"b":0,"c":1,"d":12345678901234567000}'],
        ['{"a":"\\ud83d\\ude00","":1," ":2}', '{"a":"😀","":1," ":2}'],
        [
          '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":1}',
          '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":1}',
        ],
        [
          '{"a":{"__proto__":null,"length":-1,"then":{"valueOf":1}}}',
          '{"a":{"__proto__":null,"length":-1,"then":{"valueOf":1}}}',
        ],
        ['{"a":"\\u2028\\u001f<\\/script>\'--"}', '{"a":"\u2028\\u001f</script>\'--"}'],
      ];
      for (const [sent, kept] of values) {
        const { body } = await ask(withBody(documents, `{"__proto__":{"metadata":{"x":1}},"metadata":${sent}}`));
        const found = await app.send({
          method: 'GET',
          url: `/api/v2/data/bucket/birds/${body.result.objectId}`,
          headers: user.headers,
        });
        assert.ok(found.raw.toString().includes(`"metadata":${kept}`), `${sent} came back as ${found.raw}`);
      }
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    });

    test('takes __proto__ and constructor as ordinary members in an update and a merge too', async () => {
      const id = await create(app, '/api/v2/data/bucket/birds', { metadata: { kept: 1 } }, user.headers);
      const record = `/api/v2/data/bucket/birds/${id}`;
      const sent = '{"__proto__":{"polluted":2},"constructor":"c"}';
      for (const method of ['PUT', 'PATCH']) {
        assert.equal((await ask(withBody(`${method} ${record}`, sent))).status, 200, method);
        const found = (await app.send({ method: 'GET', url: record, headers: user.headers })).raw.toString();
        for (const member of ['"__proto__":{"polluted":2}', '"constructor":"c"', '"kept":1']) {
          assert.ok(found.includes(member), `${method}: ${member} in ${found}`);
        }
      }
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
      const beacon =
        '{"name":"n","uuid":"u","major":1,"minor":1,"__proto__":{"name":5},"metadata":{"__proto__":{"x":1}}}';
      const made = await ask(withBody('POST /api/v2/beacons', beacon));
      assert.equal(made.status, 201);
      const stored = await app.send({
        method: 'GET',
        url: `/api/v2/beacons/${made.body.result.objectId}`,
        headers: user.headers,
      });
      assert.ok(stored.raw.toString().includes('"metadata":{"__proto__":{"x":1}}'));
    });

    test('takes JSON only as JSON', async () => {
      const typed = (type: string | undefined): Row => [
        `the content type ${type}`,
        withBody(documents, '{"metadata":{}}', type === undefined ? [] : [['Content-Type', type]]),
        415,
        107,
      ];
      await assertRows(
        [
          undefined,
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'application/vnd.api+json',
          'application/jsonx',
          'json',
          '*/*',
          'application/json, text/plain',
          'application/',
        ].map(typed),
      );
      for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"']) {
        assert.equal((await ask(withBody(documents, '{"metadata":{}}', [['Content-Type', type]]))).status, 201, type);
      }
    });

    test('refuses a body over 1 MiB as soon as it can know', async () => {
      const announced = request(documents, [json, ['Content-Length', '1048577']]);
      await assertRows([['announced, and not sent', announced, 413, 116]]);
      const connection = await openConnection(port);
      connection.send(request(documents, [json, ['Transfer-Encoding', 'chunked']]));
      const chunk = `40000\r\n${' '.repeat(0x40000)}\r\n`;
      for (let sent = 0; sent < 6; sent++) connection.send(chunk);
      const answer = await connection.answer();
      assert.deepEqual([answer.status, answer.body.code], [413, 116]);
      assertErrorAnswer(answer, 'chunked');
      await connection.ended;
      connection.socket.destroy();
    });

    test('answers what an earlier check refuses without waiting for the body, and hangs up', async () => {
      const body: readonly Header[] = [json, ['Content-Length', '1000000']];
      const bearer: Header = ['Authorization', `Bearer ${'x'.repeat(43)}`];
      const wrong: readonly Header[] = [
        ['X-Service-AppId', app.appId],
        ['X-Service-AppKey', 'wrong'],
      ];
      const rows: readonly Row[] = [
        ['no credentials', request('POST /api/v2/beacons', body, []), 400, 902],
        ['wrong credentials', request('POST /api/v2/beacons', body, wrong), 404, 903],
        ['no bearer', request('POST /api/v2/beacons', body, credentials), 403, 209],
        ['a wrong bearer', request('POST /api/v2/beacons', body, [...credentials, bearer]), 403, 209],
        ['an unknown id', request('PUT /api/v2/beacons/nosuch', body), 404, 101],
        ['an unknown path', request('POST /api/v2/nosuch', body), 404, 101],
        ['a path beside the interface', head('POST /nosuch', body), 404, 101],
        ['a method that is not possible', request('PUT /api/v2/beacons', body), 405, 119],
        [
          'another content type',
          request('POST /api/v2/beacons', [
            ['Content-Type', 'text/plain'],
            ['Content-Length', '100000'],
          ]),
          415,
          107,
        ],
      ];
      for (const [what, bytes, status, code] of rows) {
        const connection = await openConnection(port);
        connection.send(bytes);
        const answer = await connection.answer().catch((e: Error) => {
          throw new Error(what + e.message);
        });
        assert.deepEqual(
          [answer.status, answer.body.code, answer.headers['connection']],
          [status, code, 'close'],
          what,
        );
        assertErrorAnswer(answer, what);
        await connection.ended;
        connection.socket.destroy();
      }
    });

    test('keeps the connection when a refused body had arrived with its head', async () => {
      const connection = await openConnection(port);
      for (const status of [400, 404]) {
        const as = status === 400 ? [] : [['X-Service-AppId', 'x'] as const, ['X-Service-AppKey', 'x'] as const];
        connection.send(`${head('POST /api/v2/beacons', [...as, json, ['Content-Length', '2']])}{}`);
        assert.equal((await connection.answer()).status, status);
      }
      connection.socket.destroy();
    });

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

    test('refuses malformed queries of lists, naming the parameter', async () => {
      const where = (value: unknown) => `where=${encodeURIComponent(JSON.stringify(value))}`;
      const deep = (depth: number): object => (depth === 0 ? { name: 'x' } : { $or: [deep(depth - 1)] });
      const queries = [
        'limit=-1',
        'limit=1.5',
        'limit=1e3',
        'limit=x',
        'limit=',
        'limit=%00',
        'limit=%201',
        'limit=0x10',
        'limit=%D9%A1',
        'skip=-1',
        'skip=100001',
        'skip=99999999999999999999',
        'count=2',
        'count=true',
        'count=-1',
        'limit=1&limit=2',
        'skip=0&skip=0',
        'count=1&count=1',
        'order=name&order=uuid',
        'where=%7B%7D&where=%7B%7D',
        'order=',
        'order=nosuch',
        'order=name,',
        'order=--name',
        'order=%00',
        'order=name;drop',
        'order=__proto__',
        'order=a,b,c,d,e',
        'order=app_id',
        'order=uuid_key',
        'where=',
        'where=%00',
        'where=%7B',
        'where=%FF',
        'where=null',
        'where=1',
        'where=%22x%22',
        'where=%5B%5D',
        where({ nosuch: 1 }),
        where({ __proto__x: 1 }),
        'where=%7B%22__proto__%22%3A1%7D',
        where({ constructor: 1 }),
        where({ app_id: 'x' }),
        where({ name: { $nosuch: 1 } }),
        where({ $where: '1' }),
        where({ name: { $in: 'x' } }),
        where({ name: { $gt: null } }),
        where({ $or: {} }),
        where({ $or: [] }),
        where({ $or: Array(33).fill({ name: 'x' }) }),
        where(deep(17)),
        where({ name: { $in: Array(257).fill('x') } }),
        where({ name: 'x'.repeat(8_192) }),
        where({ name: '\u0000' }),
        'where=%7B%22name%22%3A%22%5Cud800%22%7D',
        where({ 'metadata.a.b.c.d.e.f.g.h.i': 1 }),
        where({ 'metadata..a': 1 }),
        where({ "metadata.a'b": 1 }),
      ];
      for (const query of queries) {
        const answer = await get(`/beacons?${query}`);
        assert.deepEqual(
          [answer.status, answer.body.code],
          [400, 102],
          `${query.slice(0, 80)}: ${JSON.stringify(answer.body).slice(0, 200)}`,
        );
        assertErrorAnswer(answer, query.slice(0, 80));
        assert.ok(answer.body.error.details.length > 0, query.slice(0, 80));
      }
      for (const query of [
        'limit=5000',
        'limit=0',
        'unknown=1&unknown=2',
        'limit[]=1',
        '__proto__=1',
        '&&&',
        '%00=1',
        '%zz=%zz',
        '?',
        '=',
      ]) {
        assert.equal((await get(`/beacons?${query}`)).status, 200, query);
      }
    });

    test('refuses regular expressions that are hostile or of another dialect, and runs others in linear time', async () => {
      await create(app, '/api/v2/beacons', { name: 'a'.repeat(49), uuid: 'u', major: 1, minor: 1 }, user.headers);
      const matching = (pattern: unknown) =>
        get(`/beacons?where=${encodeURIComponent(JSON.stringify({ name: { $regex: pattern } }))}`);
      for (const pattern of [
        '(',
        '[',
        '*',
        'a{2,1}',
        '(?=a)',
        '(?<!a)b',
        '(a)\\1',
        '(?>a)',
        'a{1001}',
        '((a{1000}){1000}){1000}',
        '\\',
        '[z-a]',
        '(?P<a',
        'x'.repeat(257),
        5,
        null,
        {},
        ['a'],
      ]) {
        const answer = await matching(pattern);
        assert.deepEqual([answer.status, answer.body.code], [400, 102], JSON.stringify(pattern));
        assertErrorAnswer(answer, JSON.stringify(pattern));
      }
      for (const pattern of ['^(a+)+$', '(a|aa)+b', '(a*)*c', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*)*x']) {
        assert.equal((await matching(pattern)).status, 200, pattern);
      }
    });

    test('refuses an audience of a push that is too large or malformed', async () => {
      const push = (where: unknown): Row => [
        `the audience ${JSON.stringify(where).slice(0, 60)}`,
        withBody('POST /api/v2/push/notification', JSON.stringify({ data: { alert: 'x' }, where })),
        400,
        102,
      ];
      await assertRows([
        push({ deviceType: { $in: Array.from({ length: 40_000 }, (_, n) => `d${n}`) } }),
        push({ deviceType: { $in: Array(257).fill('x') } }),
        push({ deviceToken: 'x' }),
        push({ nosuch: 1 }),
        push([]),
      ]);
    });

    test('went through all of it without an error of its own, and still works', async () => {
      assert.equal((await ask(head('GET /readyz', []))).status, 200);
      assert.deepEqual(
        app.log.filter((line) => /"level":(50|60)/.test(line)),
        [],
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
