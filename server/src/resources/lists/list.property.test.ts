import assert from 'node:assert/strict';
import {
  compareByOrder,
  createFieldLookup,
  fieldReader,
  type MemberField,
  matchesRecord,
  parseOrder,
  parseWhere,
} from '@pharos/query';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, buildApp, type SignedIn, signIn, type TestApp } from '../../../test/support/build-app.ts';
import { runs } from '../../../test/support/depth.ts';
import { sql } from '../../base/sql.ts';

/** Lists of a bucket whose columns are declared and learned, asked for values of every type, beside the matcher. */

const bucket = '/api/v2/data/bucket/things';
const declared: Readonly<Record<string, 'string' | 'number' | 'boolean' | 'date'>> = {
  kind: 'string',
  count: 'number',
  open: 'boolean',
  seen: 'date',
};
const learned = ['extra.room', 'extra.level', 'extra.lent'];

/** More records than are judged one by one; `rare` has few of them, and each member is missing or null in some. */
const documents = Array.from({ length: 620 }, (_, n) => ({
  ...(n % 13 === 0 ? {} : { kind: n % 40 === 1 ? 'rare' : 'common' }),
  ...(n % 17 === 0 ? {} : { count: n % 19 === 0 ? null : (n * 37) % 50 }),
  ...(n % 5 === 0 ? {} : { open: n % 3 === 0 }),
  ...(n % 7 === 0 ? {} : { seen: `2026-05-${String((n % 28) + 1).padStart(2, '0')}T10:00:00.000Z` }),
  extra: {
    ...(n % 11 === 0 ? {} : { room: `Room ${n % 4}` }),
    ...(n % 9 === 0 ? {} : { level: (n * 31) % 20 }),
    ...(n % 6 === 0 ? {} : { lent: n % 2 === 0 }),
  },
  note: n % 3 === 0 ? n : n % 3 === 1 ? `${n % 10}` : [n % 10, `${n % 10}`],
}));

const fields = createFieldLookup(
  {
    objectId: { from: 'column', column: 'object_id', type: 'string', indexed: 'unique' },
    createdAt: { from: 'column', column: 'created_at', type: 'date' },
    updatedAt: { from: 'column', column: 'updated_at', type: 'date' },
  },
  {
    name: 'metadata',
    find: (path): MemberField => ({
      from: 'member',
      column: 'doc',
      path,
      ...(path.length === 1 && declared[path[0] ?? ''] ? { declared: declared[path[0] ?? ''] } : {}),
    }),
  },
);

const members = [...Object.keys(declared), ...learned].map((name) => `metadata.${name}`);
const names = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...members) },
  { weight: 1, arbitrary: fc.constantFrom('objectId', 'createdAt', 'metadata.note', 'metadata.none') },
);
const dates = fc.constantFrom('2026-05-04T10:00:00.000Z', '2026-05-14', '2026-05-28T12:00:00.000+02:00');
const strings = fc.constantFrom('rare', 'common', 'Room 2', '', '7', 'true', 'null');
const numbers = fc.constantFrom(0, 1, 7, 12, 19, 49, -1, 0.5, 1e300);
/** Of every type, whatever the member has. Texts for a date have to be dates. */
const values = (name: string) =>
  fc.oneof(
    isDate(name) ? dates : strings,
    numbers,
    fc.boolean(),
    dates.map((iso) => ({ __type: 'Date', iso })),
    fc.constantFrom(null, [], [7], ['7', 7], {}, { a: 1 }),
  );
const isDate = (name: string) => name === 'metadata.seen' || name === 'createdAt';
const operandOf = (name: string): fc.Arbitrary<unknown> => {
  const value = values(name);
  const bound = fc.oneof(
    isDate(name) ? dates : strings,
    numbers,
    dates.map((iso) => ({ __type: 'Date', iso })),
  );
  const list = fc.array(value, { maxLength: 3 });
  const scalar = fc.oneof(isDate(name) ? dates : strings, numbers, fc.boolean(), fc.constant(null));
  const one = (keys: readonly string[], operand: fc.Arbitrary<unknown>) =>
    fc.tuple(fc.constantFrom(...keys), operand).map(([key, each]) => ({ [key]: each }));
  return fc.oneof(
    { weight: 3, arbitrary: value },
    { weight: 4, arbitrary: one(['$lt', '$lte', '$gt', '$gte'], bound) },
    { weight: 1, arbitrary: fc.record({ $gte: bound, $lt: bound }) },
    { weight: 1, arbitrary: one(['$ne', '$eq'], value) },
    { weight: 2, arbitrary: one(['$in', '$nin'], list) },
    { weight: 1, arbitrary: one(['$all'], fc.array(scalar, { minLength: 1, maxLength: 2 })) },
    { weight: 1, arbitrary: one(['$exists'], fc.boolean()) },
    { weight: 1, arbitrary: one(['$regex'], fc.constantFrom('^r', '[^\\n]', '7|2', '(?i)ROOM', '')) },
  );
};
type Conditions = Readonly<Record<string, unknown>>;
const condition = names.chain((name) => operandOf(name).map((operand): Conditions => ({ [name]: operand })));
const wheres = fc.letrec<{ where: Conditions }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: condition },
    {
      weight: 4,
      arbitrary: fc.array(condition, { minLength: 2, maxLength: 3 }).map((all) => Object.assign({}, ...all)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('$or', '$and', '$nor'), fc.array(tie('where'), { minLength: 1, maxLength: 3 }))
        .map(([key, parts]): Conditions => ({ [key]: parts })),
    },
  ),
})).where;
const orders = fc.option(
  fc
    .array(fc.tuple(fc.constantFrom('', '-'), names), { minLength: 1, maxLength: 2 })
    .map((terms) => terms.map((term) => term.join('')).join(',')),
  { nil: undefined, freq: 4 },
);
const questions = fc.record({
  where: wheres,
  order: orders,
  limit: fc.constantFrom('0', '1', '5', '30', '1000'),
  skip: fc.constantFrom('0', '0', '2', '500'),
  count: fc.constantFrom('0', '1'),
});

for (const database of bothDatabases) {
  describe(`values of any type over indexed members on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let records: readonly { readonly objectId: string }[];
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      const column = { kind: { type: 'String' }, count: { type: 'Number' }, open: { type: 'Boolean' } };
      const body = { column: { ...column, seen: { type: 'Date' } } };
      await app.send({ method: 'POST', url: '/api/v2/data/schema/things', headers: user.headers, body });
      for (const metadata of documents) {
        app.clock.now += 1;
        const answer = await app.send({ method: 'POST', url: bucket, headers: user.headers, body: { metadata } });
        assert.equal(answer.status, 201);
      }
      const together = JSON.stringify({ 'metadata.extra.room': 'Room 1', 'metadata.extra.level': { $gte: 5 } });
      for (let times = 0; times < 20; times++) {
        await ask({ where: together });
        await ask({ where: '{"metadata.extra.lent":true}' });
      }
      await app.app.idle();
      const found = await app.storage.db.one<{ slots: string }>(sql`select slots from buckets where name = 'things'`);
      const ready = (JSON.parse(found?.slots ?? '[]') as { column: string; state: string }[])
        .filter(({ state }) => state === 'ready')
        .map(({ column }) => column);
      assert.deepEqual(ready.sort(), [...Object.keys(declared), ...learned].sort(), 'all have an index');
      records = (await ask({ limit: '1000' })).body.results;
      assert.equal(records.length, documents.length);
    });
    afterAll(() => app.close());

    const ask = (query: Readonly<Record<string, string>>) => {
      // The rate limit is not what is tried here.
      app.clock.now += 100;
      return app.send({ method: 'GET', url: `${bucket}?${new URLSearchParams(query)}`, headers: user.headers });
    };

    test('answers, orders and counts as the matcher does', async () => {
      const property = fc.asyncProperty(questions, async ({ where, order, limit, skip, count }) => {
        const text = JSON.stringify(where);
        const parsed = parseWhere(text, fields);
        const sorting = parseOrder(order, fields);
        const all = records
          .filter((record) => matchesRecord(parsed, record))
          .sort((left, right) => compareByOrder(sorting, fieldReader(left), fieldReader(right)));
        const page = all.slice(Number(skip), Number(skip) + Number(limit)).map(({ objectId }) => objectId);
        const query = { where: text, limit, skip, count, ...(order === undefined ? {} : { order }) };
        const answer = await ask(query);
        assert.equal(answer.status, 200, `${JSON.stringify(query)}: ${app.log.at(-2)}`);
        const ids = answer.body.results.map(({ objectId }: { objectId: string }) => objectId);
        assert.deepEqual(ids, page, JSON.stringify(query));
        assert.equal(answer.body.count, count === '1' ? all.length : undefined, JSON.stringify(query));
      });
      await fc.assert(property, runs(400));
    });
  });
}
