import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, buildApp, type SignedIn, signIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { testOn } from '../../../../../test/support/depth.ts';
import { sql } from '../../../../base/sql.ts';
import type { Slot } from './slots.ts';

const bucket = '/api/v2/data/bucket/pieces';

/** One in four has no room, every ninth no level; `mixed` has two types, `long` a text that no index takes. */
const pieces = Array.from({ length: 600 }, (_, n) => ({
  metadata: {
    extra: {
      ...(n % 4 === 0 ? {} : { room: `Room ${n % 7}` }),
      level: n % 9 === 0 ? null : (n * 31) % 100,
      lent: n % 5 === 0,
    },
    mixed: n % 2 === 0 ? n : `${n}`,
    long: 'x'.repeat(n === 599 ? 300 : 3),
  },
}));

const room = 'metadata.extra.room';
const level = 'metadata.extra.level';
const questions: readonly Readonly<Record<string, string>>[] = [
  { where: `{"${room}":"Room 3","${level}":{"$gte":40}}`, order: `-${level}`, limit: '20' },
  { where: `{"${room}":"Room 3","${level}":93}` },
  { where: `{"${room}":null}`, order: level },
  { where: `{"${level}":null,"${room}":{"$in":["Room 1","Room 2"]}}` },
  { where: `{"${level}":{"$lt":10}}`, order: `${level},${room}` },
  { where: `{"${room}":{"$regex":"[56]$"},"metadata.extra.lent":true}`, order: `-${room}` },
  { where: `{"${room}":7}` },
  { where: `{"${level}":"40"}` },
  { where: `{"${room}":{"$exists":false},"${level}":{"$ne":3}}`, count: '1' },
  { where: '{"metadata.extra.lent":false}', order: '-metadata.extra.lent' },
  { order: `-${level}`, limit: '30', skip: '5' },
  { where: '{"metadata.mixed":{"$gte":590}}' },
  { where: '{"metadata.long":"xxx"}', order: 'metadata.long', limit: '3' },
];

for (const database of bothDatabases) {
  describe(`members that lists ask for often on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      await app.app.buckets.createBucket(app.appId, 'pieces');
      await addAll(pieces.slice(0, 300));
    });
    afterAll(() => app.close());

    const send = (method: 'GET' | 'POST', url: string, body?: unknown) =>
      app.send({ method, url, headers: user.headers, body });
    const ask = async (query: Readonly<Record<string, string>>) => {
      const { body } = await send('GET', `${bucket}?${new URLSearchParams(query)}`);
      return { count: body.count, ids: body.results.map(({ objectId }: { objectId: string }) => objectId) };
    };
    const askAll = async () => {
      const answers = [];
      for (const question of questions) answers.push(await ask(question));
      return answers;
    };
    const addAll = async (bodies: readonly object[]) => {
      for (const body of bodies) {
        app.clock.now += 1;
        assert.equal((await send('POST', bucket, body)).status, 201);
      }
    };
    const often = async (query: Readonly<Record<string, string>>) => {
      for (let times = 0; times < 20; times++) await ask(query);
      await app.app.idle();
    };
    const slots = async () => {
      const row = await app.storage.db.one<{ slots: string }>(sql`select slots from buckets where name = 'pieces'`);
      return (JSON.parse(row?.slots ?? '[]') as Slot[]).map(
        ({ slot, column, state, exact }) => `${slot} ${column} ${state}${exact ? '' : ', not exact'}`,
      );
    };
    const declare = (column: object) => send('POST', '/api/v2/data/schema/pieces', { column });

    test('few records are read each time', async () => {
      await often(questions[0] ?? {});
      assert.deepEqual(await slots(), []);
    });

    test('of many, members of one type are copied to slots that share an index, and the answers stay the same', async () => {
      await addAll(pieces.slice(300));
      const earlier = await askAll();
      const none = earlier.flatMap(({ ids }, n) => (ids.length === 0 ? n : []));
      assert.deepEqual(none, [6, 7], 'all but the two that ask for another type find something');
      // The first twenty were too few records; this many more make it due again.
      for (let times = 0; times < 3; times++) await often(questions[0] ?? {});
      assert.deepEqual(await slots(), ['t1 extra.room ready', 'n1 extra.level ready']);
      assert.deepEqual(await askAll(), earlier);
    });

    testOn(database)('what has several types, or is too long for an index, is not copied', async () => {
      const known = await slots();
      await often({ where: '{"metadata.mixed":5}' });
      await often({ where: '{"metadata.long":"xxx"}' });
      await often({ where: '{"metadata.nothing":"xxx"}' });
      await often({ where: '{"$or":[{"metadata.extra.lent":true}]}' });
      assert.deepEqual(await slots(), known);
    });

    test('records are made, changed and removed as before', async () => {
      const [first] = (await ask({ where: `{"${room}":"Room 3"}`, order: `-${level}`, limit: '1' })).ids;
      const at = async () => (await ask({ where: `{"${room}":"Room 3","${level}":{"$lt":0}}` })).ids[0];
      const patch = { extra: { level: -5 } };
      await app.send({ method: 'PATCH', url: `${bucket}/${first}`, headers: user.headers, body: patch });
      assert.equal(await at(), first);
      await app.send({ method: 'DELETE', url: `${bucket}/${first}`, headers: user.headers });
      assert.notEqual(await at(), first);
      await addAll([{ metadata: { extra: { room: 'Room 3', level: -7 } } }]);
      assert.equal((await ask({ where: `{"${room}":"Room 3","${level}":-7}` })).ids.length, 1);
    });

    test('a value of another type is taken and found', async () => {
      await addAll([{ metadata: { extra: { room: 12, level: [40, 41] } } }, { metadata: { extra: 'none' } }]);
      assert.equal((await ask({ where: `{"${room}":12}` })).ids.length, 1);
      assert.equal((await ask({ where: `{"${level}":41,"${room}":12}` })).ids.length, 1);
      assert.deepEqual(await slots(), ['t1 extra.room ready, not exact', 'n1 extra.level ready, not exact']);
      assert.equal((await ask({ where: `{"${room}":{"$regex":"^Room"}}`, limit: '1000' })).ids.length, 450);
    });

    test('a declared column takes the place of what was learned, and may be what was learned', async () => {
      await often({ where: '{"metadata.extra.lent":true}' });
      assert.equal((await slots())[2], 'n2 extra.lent ready');
      const numbers = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { type: 'Number' }]));
      assert.equal((await declare(numbers)).status, 201);
      await app.app.idle();
      const now = await slots();
      assert.ok(!now.some((slot) => slot.includes('extra.level')), 'what was of no use goes first');
      assert.ok(now.includes('n2 extra.lent ready'));
      assert.ok(now.includes('n1 e ready'));
      assert.equal((await ask({ where: '{"metadata.e":null}', limit: '1000' })).ids.length, 602);
      assert.equal((await ask({ where: '{"metadata.extra.lent":true}', limit: '1000' })).ids.length, 120);
    });

    test('a learned member that is declared later is checked and found like a declared one', async () => {
      await app.storage.db.run(sql`delete from records where doc like ${'%"mixed":"%'}`);
      await often({ where: '{"metadata.mixed":{"$gte":4}}' });
      await often({ where: '{"metadata.mixed":{"$gte":4}}' });
      const found = (await ask({ where: '{"metadata.mixed":{"$gte":4}}', limit: '1000' })).ids;
      assert.equal((await declare({ mixed: { type: 'Number' } })).status, 201);
      await app.app.idle();
      assert.deepEqual((await ask({ where: '{"metadata.mixed":{"$gte":4}}', limit: '1000' })).ids, found);
      assert.equal((await send('POST', bucket, { metadata: { mixed: '5' } })).body.code, 302);
    });
  });
}
