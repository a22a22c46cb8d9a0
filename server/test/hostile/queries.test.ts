import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, type SignedIn, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import {
  assertErrorAnswer,
  assertUnharmed,
  type HostileApp,
  hostileRequests,
  openHostile,
  type Row,
} from '../support/hostile/hostile-input.ts';

/** Queries, regular expressions and audiences that are malformed or huge. */

for (const database of databases) {
  describe(`hostile input on ${database}`, () => {
    let opened: HostileApp;
    let app: TestApp;
    let user: SignedIn;
    const { withBody, get, assertRows } = hostileRequests(() => opened);
    beforeAll(async () => {
      opened = await openHostile(database);
      ({ app, user } = opened);
    });
    afterAll(() => app.close());

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

    test('went through all of it without an error of its own, and still works', () => assertUnharmed(opened));
  });
}
