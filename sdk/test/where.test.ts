import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../server/test/support/build-app.ts';
import { consoleOrigin, openConsole } from '../../server/test/support/console.ts';
import { type Beacon, PharosClient, where } from '../src/index.ts';

describe('a filter', () => {
  const cases = [
    ['nothing', where(), {}],
    ['equality', where().equals('metadata.age', 3), { 'metadata.age': 3 }],
    ['a range', where().atLeast('a', 1).lessThan('a', 5), { a: { $gte: 1, $lt: 5 } }],
    ['an object, which could be taken for operators', where().equals('a', { $gt: 1 }), { a: { $eq: { $gt: 1 } } }],
    [
      'the same operator twice',
      where().notEquals('a', 1).notEquals('a', 2),
      { a: { $ne: 1 }, $and: [{ a: { $ne: 2 } }] },
    ],
    ['alternatives', where().equals('a', 1).or(where().equals('b', 2), { c: 3 }), { a: 1, $or: [{ b: 2 }, { c: 3 }] }],
    ['alternatives twice', where().or({ a: 1 }).or({ b: 2 }), { $or: [{ a: 1 }], $and: [{ $or: [{ b: 2 }] }] }],
    ['a text as it stands', where().contains('name', 'a.b(c)'), { name: { $regex: '(?i)a\\.b\\(c\\)' } }],
    ['a field called like a member of every object', where().equals('__proto__', 1), JSON.parse('{"__proto__":1}')],
  ] as const;
  for (const [what, built, plain] of cases)
    test(`becomes the plain object: ${what}`, () => assert.equal(JSON.stringify(built), JSON.stringify(plain)));

  test('is not changed by additions', () => {
    const base = where().equals('a', 1);
    base.equals('b', 2);
    assert.deepEqual(base.toJSON(), { a: 1 });
  });
});

describe('the client of a page, against the service', () => {
  let app: TestApp;
  let client: PharosClient;
  beforeAll(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    const origin = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
    const { cookie } = await openConsole(app, 'owner');
    client = new PharosClient({
      apiUrl: `${origin}/console/api/apps/${app.appId}/v2`,
      // A browser adds both by itself.
      fetch: (url, request) =>
        fetch(url, { ...request, headers: { ...(request?.headers as object), cookie, origin: consoleOrigin } }),
    });
  });
  afterAll(() => app.close());

  test('works with the session, and its filters find what they say', async () => {
    for (const [name, major] of [
      ['Hall (north)', 1],
      ['hall south', 2],
      ['Café', 3],
    ] as const)
      await client.beacons.create({ name, uuid: 'u', major, minor: 0, metadata: { floor: major } });
    const found = async (filter: ReturnType<typeof where<Beacon>>) =>
      (await client.beacons.list({ where: filter, order: 'major' })).results.map(({ major }) => major);
    assert.deepEqual(await found(where<Beacon>().contains('name', 'HALL')), [1, 2]);
    assert.deepEqual(await found(where<Beacon>().contains('name', '(n')), [1]);
    assert.deepEqual(await found(where<Beacon>().startsWith('name', 'Caf')), [3]);
    assert.deepEqual(await found(where<Beacon>().greaterThan('metadata.floor', 1).notEquals('name', 'Café')), [2]);
    assert.deepEqual(await found(where<Beacon>().or({ major: 1 }, where().isOneOf('minor', [7]))), [1]);
    assert.deepEqual(await found(where<Beacon>().nor({ major: 1 }).atMost('major', 2)), [2]);
    assert.deepEqual(await found(where<Beacon>().exists('radius')), []);
  });
});
