import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { bothDatabases, buildApp, type SignedIn, signIn, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { testOn } from '../support/depth.ts';

/** Lists whose order is that of a filtered member: no other condition may be lost, and the owner's rule is one of them. */

interface Listed {
  readonly objectId: string;
  readonly beaconId: { readonly objectId: string };
  readonly metadata: Readonly<Record<string, string>>;
}

async function openApp(database: (typeof bothDatabases)[number]): Promise<TestApp> {
  const app = await buildApp({ database });
  await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  return app;
}

async function list(app: TestApp, path: string, query: Readonly<Record<string, unknown>>, by: SignedIn) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    given.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  const answer = await app.send({ method: 'GET', url: `${path}?${given}`, headers: by.headers });
  assert.equal(answer.status, 200, answer.raw.toString());
  return answer.body as { results: Listed[]; count?: number };
}

const operators: Readonly<Record<string, (value: string, bound: string) => boolean>> = {
  $eq: (value, bound) => value === bound,
  $lt: (value, bound) => value < bound,
  $gte: (value, bound) => value >= bound,
};
const pairs = Object.keys(operators).flatMap((one) => Object.keys(operators).map((other) => [one, other] as const));

for (const database of bothDatabases) {
  describe(`lists by a filtered member on ${database}`, () => {
    test('meet both conditions on declared columns', async () => {
      const app = await openApp(database);
      try {
        const user = await signIn(app);
        const column = { a: { type: 'String' }, b: { type: 'String' } };
        await create(app, '/api/v2/data/schema/pairs', { column }, user.headers);
        const url = '/api/v2/data/bucket/pairs';
        for (let n = 0; n < 160; n++)
          await create(app, url, { metadata: { a: 'wxyz'[n % 4], b: 'opqr'[(n >> 2) % 4] } }, user.headers);
        const wrong: string[] = [];
        for (const [first, second] of pairs)
          for (const order of ['metadata.a', '-metadata.a', 'metadata.b', '-metadata.b'])
            for (const limit of [1, 2, 5, 20]) {
              const where = { 'metadata.a': { [first]: 'x' }, 'metadata.b': { [second]: 'p' } };
              const { results, count } = await list(app, url, { where, order, limit, count: 1 }, user);
              const meets = ({ metadata: { a = '', b = '' } }: Listed) =>
                operators[first]?.(a, 'x') && operators[second]?.(b, 'p');
              const isWhole = results.length === Math.min(limit, count ?? 0);
              if (!isWhole || !results.every(meets)) wrong.push(`${first} ${second} ${order} ${limit}`);
            }
        assert.deepEqual(wrong, []);
      } finally {
        await app.close();
      }
    });

    testOn(database)('have no record of somebody else, however many the caller has', async () => {
      const app = await openApp(database);
      try {
        await app.app.apps.changeRules(app.appId, { preset: 'visitors' });
        await app.app.buckets.createBucket(app.appId, 'notes');
        const url = '/api/v2/data/bucket/notes';
        const [vera, mallory] = [await signIn(app), await signIn(app)];
        for (let n = 0; n < 12; n++)
          await create(app, url, { metadata: { room: 'private', text: `${n}` } }, vera.headers);
        const own = new Set<string>();
        for (let n = 0; n < 505; n++)
          own.add(await create(app, url, { metadata: { room: `room ${n % 9}` } }, mallory.headers));
        const order = 'metadata.room';
        // Until the member has an index.
        for (let times = 0; times < 20; times++)
          await list(app, url, { where: { [order]: 'private' }, order }, mallory);
        await app.app.idle();
        for (const [operand, meets] of [
          ['private', () => false],
          [{ $gte: 'private', $lt: 'r' }, () => false],
          [{ $gte: 'p' }, (room: string) => room >= 'p'],
          [{ $lte: 'private' }, () => false],
        ] as const)
          for (const sign of ['', '-'])
            for (const limit of [1, 3]) {
              const query = { where: { [order]: operand }, order: sign + order, limit, count: 1 };
              const { results, count } = await list(app, url, query, mallory);
              const said = JSON.stringify({ ...query, results });
              const isRight = ({ objectId, metadata }: Listed) => own.has(objectId) && meets(metadata['room'] ?? '');
              assert.ok(results.every(isRight), said);
              assert.equal(results.length, Math.min(limit, count ?? 0), said);
            }
      } finally {
        await app.close();
      }
    });

    test('meet both conditions of the log', async () => {
      const app = await openApp(database);
      try {
        const user = await signIn(app);
        const beacon = (minor: number) =>
          create(
            app,
            '/api/v2/beacons',
            { name: 'Door', uuid: 'f7826da6-4fa2-4e98-8024-bc5b71e0893e', major: 1, minor },
            user.headers,
          );
        const beacons = [await beacon(1), await beacon(2)];
        for (let n = 0; n < 60; n++) {
          const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: beacons[n % 2] };
          const moduleType = n % 4 < 2 ? 'PRESENCE' : 'STORYLINE';
          await create(app, '/api/v2/logs', { event: 'ENTER', beaconId, moduleType }, user.headers);
        }
        const kinds = new Map<string, string>();
        for (const moduleType of ['PRESENCE', 'STORYLINE'])
          for (const each of (await list(app, '/api/v2/logs', { where: { moduleType } }, user)).results)
            kinds.set(each.objectId, moduleType);
        assert.equal(kinds.size, 60);
        for (const order of ['beaconId', '-beaconId', 'moduleType', '-moduleType'])
          for (const moduleType of ['PRESENCE', 'STORYLINE'])
            for (const limit of [1, 4]) {
              const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: beacons[0] };
              const query = { where: { beaconId, moduleType }, order, limit };
              const { results } = await list(app, '/api/v2/logs', query, user);
              assert.deepEqual(
                results.map((each) => [each.beaconId.objectId, kinds.get(each.objectId)]),
                Array.from({ length: limit }, () => [beacons[0], moduleType]),
                JSON.stringify(query),
              );
            }
      } finally {
        await app.close();
      }
    });
  });
}
