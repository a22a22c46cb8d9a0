import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, type SignedIn, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
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

/** Bodies that are no acceptable JSON, too large, or sent in an unusual way. */

for (const database of databases) {
  describe(`hostile input on ${database}`, () => {
    let opened: HostileApp;
    let app: TestApp;
    let user: SignedIn;
    let port: number;
    let credentials: readonly Header[];
    const { request, withBody, ask, get, assertRows } = hostileRequests(() => opened);
    beforeAll(async () => {
      opened = await openHostile(database);
      ({ app, user, port, credentials } = opened);
    });
    afterAll(() => closeHostile(opened));

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
  });
}
