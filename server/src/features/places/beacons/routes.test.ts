import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  pointerTo,
  type SignedIn,
  signIn,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { beaconExample } from './resource.ts';

for (const database of databases) {
  describe(`beacons on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
    });
    afterAll(() => app.close());
    const url = '/api/v2/beacons';
    const get = async (id: string) =>
      (await app.send({ method: 'GET', url: `${url}/${id}`, headers: user.headers })).body.result;

    test('keeps what was sent and adds an id and times', async () => {
      const id = await create(app, url, { ...beaconExample, objectId: 'mine', unknown: 1 }, user.headers);
      const now = new Date(app.clock.now).toISOString();
      assert.match(id, /^[0-9A-Za-z]{20}$/);
      assert.deepEqual(await get(id), {
        objectId: id,
        ...beaconExample,
        createdBy: pointerTo(user),
        createdAt: now,
        updatedAt: now,
      });
    });

    test('answers metadata as an empty object and leaves location out when none was given', async () => {
      const { location, metadata, ...bare } = beaconExample;
      assert.ok(location && metadata);
      const id = await create(app, url, bare, user.headers);
      const record = await get(id);
      assert.deepEqual(record.metadata, {});
      assert.ok(!('location' in record));
    });

    test('the count is the same on every page, in front of the end, at it and behind it', async () => {
      for (let minor = 0; minor < 5; minor++)
        await create(app, url, { ...beaconExample, name: 'Counted', minor }, user.headers);
      const page = async (query: string) => {
        const where = encodeURIComponent('{"name":{"$regex":"^Counted"}}');
        const { body } = await app.send({
          method: 'GET',
          url: `${url}?where=${where}&count=1&${query}`,
          headers: user.headers,
        });
        return [body.results.length, body.count];
      };
      assert.deepEqual(await page('limit=2'), [2, 5]);
      assert.deepEqual(await page('limit=2&skip=4'), [1, 5]);
      assert.deepEqual(await page('limit=5'), [5, 5]);
      assert.deepEqual(await page('limit=100'), [5, 5]);
      assert.deepEqual(await page('limit=2&skip=5'), [0, 5]);
      assert.deepEqual(await page('limit=2&skip=90'), [0, 5]);
      assert.deepEqual(await page('limit=0'), [0, 5]);
    });

    test('takes every limit of the specification and nothing beyond', async () => {
      const at = {
        ...beaconExample,
        name: 'n'.repeat(50),
        uuid: 'u',
        major: 65535,
        minor: 0,
        location: { x: -1.5, y: 0, floor: 'EG' },
      };
      assert.deepEqual((await get(await create(app, url, at, user.headers))).location, at.location);
      const broken = (change: object, fields: string[]) => ({
        rule: JSON.stringify(change).slice(0, 60),
        request: { method: 'POST', url, body: { ...beaconExample, ...change } } as const,
        status: 400,
        code: 142,
        fields,
      });
      await assertRefusals(app, user.headers, [
        {
          rule: 'all required members',
          request: { method: 'POST', url, body: {} },
          status: 400,
          code: 142,
          fields: ['name', 'uuid', 'major', 'minor'],
        },
        broken({ name: '' }, ['name']),
        broken({ name: 'n'.repeat(51) }, ['name']),
        broken({ name: 5 }, ['name']),
        broken({ name: null }, ['name']),
        broken({ uuid: '' }, ['uuid']),
        broken({ uuid: 'u'.repeat(51) }, ['uuid']),
        broken({ major: '1' }, ['major']),
        broken({ major: 1.5 }, ['major']),
        broken({ major: -1, minor: 65536 }, ['major', 'minor']),
        broken({ location: { x: 1 } }, ['location.y']),
        broken({ location: { x: '1', y: 2 } }, ['location.x']),
        broken({ location: [1, 2] }, ['location']),
        broken({ metadata: [] }, ['metadata']),
        broken({ metadata: 'text' }, ['metadata']),
      ]);
    });

    test('PUT keeps what is omitted, replaces objects as a whole and clears with null', async () => {
      const id = await create(app, url, beaconExample, user.headers);
      const before = await get(id);
      app.clock.now += 5000;
      const put = await app.send({
        method: 'PUT',
        url: `${url}/${id}`,
        headers: user.headers,
        body: { metadata: { a: 1 }, location: null },
      });
      assert.deepEqual(put.body, { result: { updatedAt: new Date(app.clock.now).toISOString() } });
      const { location, ...rest } = before;
      assert.ok(location);
      assert.deepEqual(await get(id), { ...rest, metadata: { a: 1 }, updatedAt: put.body.result.updatedAt });
      await assertRefusals(app, user.headers, [
        {
          rule: 'a required member cannot be cleared',
          request: { method: 'PUT', url: `${url}/${id}`, body: { name: null } },
          status: 400,
          code: 142,
          fields: ['name'],
        },
        {
          rule: 'members are validated as for create',
          request: { method: 'PUT', url: `${url}/${id}`, body: { major: 70000, uuid: '' } },
          status: 400,
          code: 142,
          fields: ['major', 'uuid'],
        },
      ]);
      assert.equal((await get(id)).uuid, beaconExample.uuid, 'nothing of a refused update is written');
    });

    test('updatedAt moves on with each change, even when the clock goes back', async () => {
      const id = await create(app, url, beaconExample, user.headers);
      app.clock.now -= 60_000;
      const put = await app.send({
        method: 'PUT',
        url: `${url}/${id}`,
        headers: user.headers,
        body: { name: 'Moved' },
      });
      const record = await get(id);
      app.clock.now += 60_000;
      assert.equal(Date.parse(record.updatedAt), Date.parse(record.createdAt) + 1);
      assert.equal(put.body.result.updatedAt, record.updatedAt);
    });

    test('PATCH merges objects member by member', async () => {
      const id = await create(app, url, { ...beaconExample, metadata: { a: { b: 1, c: 2 }, d: 3 } }, user.headers);
      const patch = { metadata: { a: { b: null, e: 4 }, __proto__: { x: 1 } }, location: null };
      const answer = await app.send({ method: 'PATCH', url: `${url}/${id}`, headers: user.headers, body: patch });
      assert.equal(answer.status, 200);
      const record = await get(id);
      assert.deepEqual(record.metadata, { a: { c: 2, e: 4 }, d: 3 });
      assert.ok(!('location' in record));
      await assertRefusals(app, user.headers, [
        {
          rule: 'the merged record has to be valid',
          request: { method: 'PATCH', url: `${url}/${id}`, body: { name: null } },
          status: 400,
          code: 142,
          fields: ['name'],
        },
      ]);
    });

    test('DELETE answers an empty result and the record is gone', async () => {
      const id = await create(app, url, beaconExample, user.headers);
      assert.deepEqual((await app.send({ method: 'DELETE', url: `${url}/${id}`, headers: user.headers })).body, {
        result: {},
      });
      assert.equal((await app.send({ method: 'GET', url: `${url}/${id}`, headers: user.headers })).status, 404);
    });

    test('finds by its fields, by members of location and metadata, in the order asked for', async () => {
      const fresh = await buildApp({ database });
      try {
        const { headers } = await signIn(fresh);
        for (const [name, x] of [
          ['c', 3],
          ['a', 1],
          ['b', 2],
        ] as const) {
          await create(
            fresh,
            url,
            { ...beaconExample, name, location: { x, y: 0 }, metadata: { zone: { no: x } } },
            headers,
          );
          fresh.clock.now += 1000;
        }
        const names = async (query: Record<string, string>) => {
          const answer = await fresh.send({ method: 'GET', url: `${url}?${new URLSearchParams(query)}`, headers });
          return [answer.body.results?.map(({ name }: { name: string }) => name).join(''), answer.body.count];
        };
        assert.deepEqual(await names({}), ['cab', undefined], 'oldest first');
        assert.deepEqual(await names({ order: 'name' }), ['abc', undefined]);
        assert.deepEqual(await names({ order: '-location.x', limit: '2' }), ['cb', undefined]);
        assert.deepEqual(await names({ where: '{"metadata.zone.no":{"$gte":2}}', order: 'name', count: '1' }), [
          'bc',
          2,
        ]);
        assert.deepEqual(await names({ where: '{"name":{"$in":["a","c"]}}', skip: '1' }), ['a', undefined]);
        assert.deepEqual(await names({ count: '1', limit: '0' }), ['', 3]);
      } finally {
        await fresh.close();
      }
    });

    test('an app may open reading to visitors and keep writing to managers', async () => {
      const id = await create(app, url, beaconExample, user.headers);
      await app.app.apps.change(app.appId, { policy: { readContent: 'app', writeContent: 'manager' } });
      assert.equal((await app.send({ method: 'GET', url: `${url}/${id}` })).status, 200);
      await assertRefusals(app, user.headers, [
        { rule: 'only managers write', request: { method: 'POST', url, body: beaconExample }, status: 403, code: 119 },
        { rule: 'only managers write', request: { method: 'DELETE', url: `${url}/${id}` }, status: 403, code: 119 },
      ]);
      await app.app.apps.change(app.appId, { policy: { readContent: 'user', writeContent: 'user' } });
      assert.equal((await app.send({ method: 'GET', url: `${url}/${id}` })).status, 403);
    });
  });
}
