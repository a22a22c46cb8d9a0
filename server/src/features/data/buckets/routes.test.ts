import assert from 'node:assert/strict';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  type Answer,
  buildApp,
  databases,
  type SignedIn,
  signIn,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';

const records = '/api/v2/data/bucket/birds';
const schemas = '/api/v2/data/schema/birds';

for (const database of databases) {
  describe(`data buckets and schemas on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      await app.app.buckets.createBucket(app.appId, 'birds');
    });
    afterAll(() => app.close());
    const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown) =>
      app.send({ method, url, headers: user.headers, body });
    const add = (metadata: object, url = records) => create(app, url, { metadata }, user.headers);
    const document = async (id: string) => (await send('GET', `${records}/${id}`)).body.result.metadata;
    const find = async (url: string, query: Record<string, string>) =>
      (await send('GET', `${url}?${new URLSearchParams(query)}`)).body.results.map(
        ({ objectId }: { objectId: string }) => objectId,
      );

    test('keeps any JSON object, odd keys and all', async () => {
      const text =
        '{"metadata":{"__proto__":{"x":1},"constructor":"c","":0,"ä.b":[1,{"n":null}],"big":1.7976931348623157e308,"t":"\\u00e9\\"\\\\"}}';
      const created = await app.send({
        method: 'POST',
        url: records,
        headers: { ...user.headers, 'content-type': 'application/json' },
        body: text,
      });
      const answer = await app.send({
        method: 'GET',
        url: `${records}/${created.body.result.objectId}`,
        headers: user.headers,
      });
      assert.ok(
        answer.raw
          .toString()
          .includes(
            '"metadata":{"__proto__":{"x":1},"constructor":"c","":0,"ä.b":[1,{"n":null}],"big":1.7976931348623157e+308,"t":"é\\"\\\\"}',
          ),
      );
      assert.equal(({} as Record<string, unknown>)['x'], undefined);
    });

    test('asks for members of the document and never for the whole', async () => {
      await create(app, schemas, { column: { rank: { type: 'Number' } } }, user.headers);
      for (const url of [records, schemas]) {
        for (const query of ['where={"metadata":{}}', 'where={"metadata":null}', 'order=metadata', 'order=-metadata']) {
          const { status, body } = await send('GET', `${url}?${encodeURI(query)}`);
          assert.deepEqual([status, body.code], [400, 102], `${url} ${query}`);
          assert.match(body.error.error, /metadata/);
        }
        assert.equal((await send('GET', `${url}?order=-metadata.rank`)).status, 200);
      }
    });

    test('of duplicate keys the last wins, and what is stored is the parsed value', async () => {
      const created = await app.send({
        method: 'POST',
        url: records,
        headers: { ...user.headers, 'content-type': 'application/json' },
        body: '{"metadata":{"a":1, "a":2.0}}',
      });
      assert.deepEqual(await document(created.body.result.objectId), { a: 2 });
    });

    test('refuses a body without a metadata object', async () => {
      const post = (body: unknown) => ({ method: 'POST', url: records, body }) as const;
      await assertRefusals(app, user.headers, [
        { rule: 'missing', request: post({ species: 'Kite' }), status: 400, code: 142, fields: ['metadata'] },
        { rule: 'null', request: post({ metadata: null }), status: 400, code: 142, fields: ['metadata'] },
        { rule: 'array', request: post({ metadata: [] }), status: 400, code: 142, fields: ['metadata'] },
        {
          rule: 'record over 256 KiB',
          request: post({ metadata: { a: 'x'.repeat(262_144) } }),
          status: 413,
          code: 116,
        },
      ]);
      await add({ a: 'x'.repeat(262_144 - 8) });
    });

    test('tells bad names from buckets that do not exist, for reading and for writing', async () => {
      const at = (name: string) => `/api/v2/data/bucket/${name}`;
      const body = { metadata: {} };
      await assertRefusals(app, user.headers, [
        ...['a'.repeat(31), '1abc', 'a-b', '%20', 'a%2Fb', 'é'].map((name) => ({
          rule: name,
          request: { method: 'POST', url: at(name), body } as const,
          status: 400,
          code: 301,
        })),
        { rule: 'reading', request: { method: 'GET', url: at('nosuch') }, status: 404, code: 101 },
        { rule: 'reading one', request: { method: 'GET', url: at('nosuch/x') }, status: 404, code: 101 },
        { rule: 'writing', request: { method: 'POST', url: at('nosuch'), body }, status: 400, code: 302 },
        {
          rule: 'a schema record of a bad name',
          request: { method: 'POST', url: '/api/v2/data/schema/1a', body: { column: { a: { type: 'Number' } } } },
          status: 400,
          code: 301,
        },
        {
          rule: 'schemas of a bucket that does not exist',
          request: { method: 'GET', url: '/api/v2/data/schema/nosuch' },
          status: 404,
          code: 101,
        },
      ]);
      const message = (await send('POST', at('nosuch'), body)).body.error.error;
      assert.match(message, /create it in the management console/);
    });

    test('PUT replaces members, a lone metadata object replaces the document, PATCH merges', async () => {
      const id = await add({ a: { x: 1, y: 2 }, b: 2, c: 3 });
      app.clock.now += 1000;
      const put = await send('PUT', `${records}/${id}`, {
        a: { z: 1 },
        c: null,
        objectId: 'ignored',
        createdAt: 'ignored',
      });
      assert.deepEqual(put.body, { result: [{ updatedAt: new Date(app.clock.now).toISOString() }] });
      assert.deepEqual(await document(id), { a: { z: 1 }, b: 2 });
      await send('PATCH', `${records}/${id}`, { a: { y: 5, z: null } });
      assert.deepEqual(await document(id), { a: { y: 5 }, b: 2 });
      await send('PATCH', `${records}/${id}`, { metadata: { b: null, d: 4 } });
      assert.deepEqual(await document(id), { a: { y: 5 }, d: 4 });
      await send('PUT', `${records}/${id}`, { metadata: { only: null } });
      assert.deepEqual(await document(id), { only: null });
      await send('PUT', `${records}/${id}`, { metadata: { a: 1 }, b: 2 });
      assert.deepEqual(
        await document(id),
        { only: null, metadata: { a: 1 }, b: 2 },
        'beside other members it is a member like any',
      );
      assert.deepEqual((await send('DELETE', `${records}/${id}`)).body, { result: [{}] });
      assert.equal((await send('GET', `${records}/${id}`)).status, 404);
    });

    test('concurrent updates of one record lose nothing', async () => {
      const id = await add({});
      await Promise.all(Array.from({ length: 20 }, (_, n) => send('PUT', `${records}/${id}`, { [`member${n}`]: n })));
      assert.equal(Object.keys(await document(id)).length, 20);
    });

    test('a schema creates its bucket, is returned like a record, and checks what is written', async () => {
      const url = '/api/v2/data/schema/planned';
      const column = {
        species: { type: 'String' },
        count: { type: 'Number' },
        seenAt: { type: 'Date' },
        rare: { type: 'Boolean' },
      };
      const id = await create(app, url, { column }, user.headers);
      assert.deepEqual((await send('GET', `${url}/${id}`)).body.result.metadata, column);
      const bucket = '/api/v2/data/bucket/planned';
      const fine = {
        species: 'Kite',
        count: -1.5,
        seenAt: '2026-05-04T09:30:00+02:00',
        rare: false,
        free: { any: [1] },
      };
      await add(fine, bucket);
      await add({ species: null, seenAt: { __type: 'Date', iso: '2026-05-04T09:30:00.000Z' } }, bucket);
      await assertRefusals(app, user.headers, [
        {
          rule: 'every type',
          request: {
            method: 'POST',
            url: bucket,
            body: { metadata: { species: 1, count: '1', seenAt: 'yesterday', rare: 0 } },
          },
          status: 400,
          code: 302,
          fields: ['metadata.species', 'metadata.count', 'metadata.seenAt', 'metadata.rare'],
        },
      ]);
      const record = await add(fine, bucket);
      await assertRefusals(app, user.headers, [
        {
          rule: 'PUT',
          request: { method: 'PUT', url: `${bucket}/${record}`, body: { count: 'many' } },
          status: 400,
          code: 302,
          fields: ['metadata.count'],
        },
        {
          rule: 'PATCH',
          request: { method: 'PATCH', url: `${bucket}/${record}`, body: { rare: 'no' } },
          status: 400,
          code: 302,
          fields: ['metadata.rare'],
        },
      ]);
    });

    test('refuses a schema without a usable column, with unknown members, reserved names or a contradiction', async () => {
      const post = (body: unknown) => ({ method: 'POST', url: schemas, body }) as const;
      await create(app, schemas, { column: { weight: { type: 'Number' } } }, user.headers);
      const refusal = (rule: string, body: unknown, fields: string[]) => ({
        rule,
        request: post(body),
        status: 400,
        code: 302,
        fields,
      });
      await assertRefusals(app, user.headers, [
        refusal('missing', {}, ['column']),
        refusal('empty', { column: {} }, ['column']),
        refusal('array', { column: [] }, ['column']),
        refusal('type', { column: { a: { type: 'Text' } } }, ['column.a.type']),
        refusal('no object', { column: { a: 'Number' } }, ['column.a']),
        refusal('unknown in a column', { column: { a: { type: 'Number', index: true } } }, ['column.a']),
        refusal('unknown member', { column: { a: { type: 'Number' } }, colum: 1 }, ['colum']),
        refusal('reserved', { column: { objectId: { type: 'String' }, createdAt: { type: 'Date' } } }, [
          'column.objectId',
          'column.createdAt',
        ]),
        refusal('form', { column: { 'a.b': { type: 'String' } } }, ['column.a.b']),
        refusal('contradiction', { column: { weight: { type: 'String' } } }, ['column.weight']),
      ]);
      await create(app, schemas, { column: { weight: { type: 'Number' }, height: { type: 'Number' } } }, user.headers);
    });

    test('schema records are updated, merged and deleted, with their effect on what is written', async () => {
      const url = '/api/v2/data/schema/changing';
      const bucket = '/api/v2/data/bucket/changing';
      const id = await create(app, url, { column: { a: { type: 'Number' } } }, user.headers);
      await add({ a: 1 }, bucket);
      app.clock.now += 1000;
      const updatedAt = new Date(app.clock.now).toISOString();
      assert.deepEqual((await send('PUT', `${url}/${id}`, { column: { a: { type: 'String' } } })).body, {
        result: [{ updatedAt }],
      });
      await add({ a: 'text' }, bucket);
      assert.equal((await send('POST', bucket, { metadata: { a: 1 } })).body.code, 302);
      await send('PATCH', `${url}/${id}`, { column: { b: { type: 'Boolean' } } });
      assert.deepEqual((await send('GET', url)).body.results[0].metadata, {
        a: { type: 'String' },
        b: { type: 'Boolean' },
      });
      assert.deepEqual((await send('DELETE', `${url}/${id}`)).body, { result: [{}] });
      await add({ a: 1, b: 2 }, bucket);
      assert.deepEqual((await send('GET', url)).body.results, []);
      assert.equal((await find(bucket, { where: '{"metadata.a":{"$in":[1,"text"]}}' })).length, 3);
    });

    test('finds the same records before a schema, after it, and while older values do not fit it', async () => {
      const bucket = '/api/v2/data/bucket/mixed';
      await app.app.buckets.createBucket(app.appId, 'mixed');
      const values = [1, 5, null, 'five', 2.5, undefined, true];
      const ids: string[] = [];
      for (const n of values) {
        app.clock.now += 1;
        ids.push(await add(n === undefined ? {} : { n }, bucket));
      }
      const ask = async () => [
        await find(bucket, { where: '{"metadata.n":{"$gt":1}}', order: 'metadata.n' }),
        await find(bucket, { where: '{"metadata.n":"five"}' }),
        await find(bucket, { where: '{"metadata.n":null}' }),
        await find(bucket, { order: '-metadata.n' }),
      ];
      const expected = [[ids[4], ids[1]], [ids[3]], [ids[2], ids[5]]];
      const before = await ask();
      assert.deepEqual(before.slice(0, 3), expected);
      await create(app, '/api/v2/data/schema/mixed', { column: { n: { type: 'Number' } } }, user.headers);
      assert.deepEqual(await ask(), before);
      await app.app.idle();
      assert.deepEqual(await ask(), before, 'the texts and booleans from before keep the column from being copied');
    });

    test('declared columns answer the same from their copies, for numbers, texts, dates and booleans', async () => {
      const bucket = '/api/v2/data/bucket/declared';
      const column = { n: { type: 'Number' }, s: { type: 'String' }, d: { type: 'Date' }, b: { type: 'Boolean' } };
      await create(app, '/api/v2/data/schema/declared', { column }, user.headers);
      const documents = [
        { n: 2, s: 'b', d: '2026-01-02', b: true },
        { n: -1, s: 'ä', d: '2026-01-01T00:00:00+01:00', b: false },
        {},
        { n: 0, s: '', d: { __type: 'Date', iso: '2026-01-01T00:00:00.000Z' } },
      ];
      const ids: string[] = [];
      for (const one of documents) {
        app.clock.now += 1;
        ids.push(await add(one, bucket));
      }
      const at = async (query: Record<string, string>) =>
        (await find(bucket, query)).map((id: string) => ids.indexOf(id)).join('');
      const ask = async () => [
        await at({ order: 'metadata.n' }),
        await at({ order: '-metadata.s' }),
        await at({ order: 'metadata.d' }),
        await at({ where: '{"metadata.d":{"$gte":"2026-01-01T00:00:00Z"}}', order: 'metadata.d' }),
        await at({ where: '{"metadata.b":{"$ne":true}}' }),
        await at({ where: '{"metadata.s":""}' }),
        await at({ where: '{"metadata.s":{"$regex":"^[bä]$"}}' }),
        await at({ where: '{"metadata.n":{"$gt":-5,"$lt":1},"metadata.s":{"$exists":true}}' }),
      ];
      const expected = ['2130', '1032', '2130', '30', '123', '3', '01', '13'];
      assert.deepEqual(await ask(), expected);
      const long = await add({ s: 'ö'.repeat(3000) }, bucket);
      ids.push(long);
      assert.equal(
        (await find(bucket, { order: '-metadata.s', limit: '1' }))[0],
        long,
        'a text too long for an index is found all the same',
      );
      await send('DELETE', `${bucket}/${long}`);
      assert.deepEqual(await ask(), expected);
    });

    test('records that are made at the same moment are all there, while a column is declared', async () => {
      const urls = ['first', 'second'].map((name) => `/api/v2/data/bucket/${name}`);
      for (const name of ['first', 'second']) {
        await app.app.buckets.createBucket(app.appId, name);
        await create(app, `/api/v2/data/schema/${name}`, { column: { n: { type: 'Number' } } }, user.headers);
      }
      const texts = ['plain', 'with "quotes", {braces} and \\ strokes', 'line\nbreak', 'Zürich 🦉', 'NULL', ''];
      const documents = Array.from({ length: 60 }, (_, n) => ({
        s: `${n} ${texts[n % texts.length]}`,
        ...(n % 3 === 0 ? {} : { n: n / 7 }),
      }));
      const declared = send('POST', '/api/v2/data/schema/first', { column: { s: { type: 'String' } } });
      const ids = await Promise.all(documents.map((one, n) => add(one, urls[n % 2])));
      assert.equal((await declared).status, 201);
      await app.app.idle();
      for (const [n, one] of documents.entries()) {
        const url = urls[n % 2] ?? '';
        assert.deepEqual((await send('GET', `${url}/${ids[n]}`)).body.result.metadata, one);
        assert.deepEqual(await find(url, { where: JSON.stringify({ 'metadata.s': one.s }) }), [ids[n]]);
        const where = JSON.stringify({ 'metadata.n': 'n' in one ? one.n : null, 'metadata.s': one.s });
        assert.deepEqual(await find(url, { where }), [ids[n]]);
      }
      assert.equal((await send('POST', urls[0] ?? '', { metadata: { n: 'text' } })).body.code, 302);
    });

    test('the document of the app says what the records of each bucket are like', async () => {
      for (const column of [{ stars: { type: 'Number' } }, { at: { type: 'Date' }, 'is-public': { type: 'Boolean' } }])
        assert.equal((await send('POST', '/api/v2/data/schema/guestbook', { column })).status, 201);
      const metadata = {
        stars: 5,
        at: { __type: 'Date', iso: '2026-05-04T09:30:00.000Z' },
        note: ['of', 'any', 'kind'],
      };
      const url = '/api/v2/data/bucket/guestbook';
      const id = await add(metadata, url);
      const { status, body } = await send('GET', '/api/v2/data/openapi');
      assert.equal(status, 200);
      const operations: Answer['body'][] = Object.values(body.paths).flatMap((path) => Object.values(path as object));
      const names = operations.map(({ operationId }) => operationId);
      assert.equal(new Set(names).size, names.length);
      assert.ok(names.includes('createRecord_guestbook') && names.includes('listBeacons'));
      assert.ok(!names.includes('createRecord'));
      const { schemas } = body.components;
      const answer = body.paths[`${url}/{objectId}`].get.responses['200'].content['application/json'];
      const reference = '{"$ref":"#/components/schemas/Bucket_guestbook"}';
      const text = JSON.stringify(answer.schema);
      assert.ok(text.includes(reference));
      const check = Compile(JSON.parse(text.replace(reference, JSON.stringify(schemas.Bucket_guestbook))));
      const { body: read } = await send('GET', `${url}/${id}`);
      assert.deepEqual([...check.Errors(read)], []);
      assert.ok(check.Check(answer.example));
      for (const wrong of [{ stars: '5' }, { at: 5 }, { 'is-public': 'no' }])
        assert.ok(
          !check.Check({ result: { ...read.result, metadata: { ...metadata, ...wrong } } }),
          JSON.stringify(wrong),
        );
      await app.app.apps.changeRules(app.appId, { resources: { schemas: { list: 'manager' } } });
      assert.equal((await send('GET', '/api/v2/data/openapi')).status, 403);
      await app.app.apps.changeRules(app.appId, {});
    });

    test('a deleted bucket is gone with its records, and its name is free again', async () => {
      await app.app.buckets.createBucket(app.appId, 'passing');
      await add({ a: 1 }, '/api/v2/data/bucket/passing');
      await app.app.buckets.deleteBucket(app.appId, 'passing');
      assert.equal((await send('GET', '/api/v2/data/bucket/passing')).status, 404);
      await app.app.buckets.createBucket(app.appId, 'passing');
      assert.deepEqual((await send('GET', '/api/v2/data/bucket/passing')).body.results, []);
      await assert.rejects(app.app.buckets.createBucket(app.appId, 'passing'), { name: 'DuplicateValue' });
    });
  });
}
