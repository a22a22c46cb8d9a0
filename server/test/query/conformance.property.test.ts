import assert from 'node:assert/strict';
import { parseInstant, parseOrder, parseWhere, QueryError, type Where } from '@pharos/query';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { testFields } from '../../../packages/query/test/support/fields.ts';
import { runs } from '../support/depth.ts';
import { type Engine, openMemory, openPostgres, openSqlite, type TestRecord } from '../support/query-engines.ts';

// Values come from small pools, so that records and conditions meet often.
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'a', 'A', 'ab', 'b', 'K', 'k', 'é', '😀', '\uffff', 'a\nb', '"', "'") },
  { weight: 1, arbitrary: fc.constantFrom('1', 'true', 'null', '\u212a', 'ß', 'ẞ', '\u007f', '\\', '2024-05-31') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }).map((text) => text.replaceAll('\u0000', '')) },
);
const numbers = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, -1, 1.5, 2, 10, 1e21, 1e-7, 0.1) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(2 ** 53, 2 ** 53 + 2, 2 ** 60 + 2 ** 20, 5e-324, 1.7976931348623157e308),
  },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
);
const isoTexts = fc.oneof(
  fc.constantFrom('2024-05-31', '2024-05-31T00:00:00.000Z', '2024-05-31T02:00+02:00', '2024-02-29T23:59:59.9999-0130'),
  fc.constantFrom('0001-01-01', '9999-12-31T23:59:59.999999999Z', '1969-12-31T23:59:59.999Z', '2023-12-31T24:00:00Z'),
  fc.constantFrom('2023-02-29', '2024-13-01', '2024-05-31 10:00', '2024-00-10', '2024-05-00', '0000-01-01', '2024-5-3'),
  fc
    .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString()),
);
const goodIsoTexts = isoTexts.filter((text) => parseInstant(text) !== undefined);
const dateObjects = isoTexts.map((iso) => ({ __type: 'Date', iso }));
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));
const keys = fc.constantFrom('a', 'b', 'x-1', '__proto__', 'constructor', 'é', 'länger', '__type');
const objectOf = <T>(values: fc.Arbitrary<T>) => fc.array(fc.tuple(keys, values), { maxLength: 3 }).map(toObject);
const flat = fc.oneof(fc.array(scalars, { maxLength: 3 }), objectOf(scalars));
const json = fc.oneof(
  { weight: 5, arbitrary: scalars },
  { weight: 1, arbitrary: isoTexts },
  { weight: 1, arbitrary: dateObjects },
  { weight: 2, arbitrary: flat },
  { weight: 1, arbitrary: fc.oneof(fc.array(flat, { maxLength: 2 }), objectOf(flat)) },
);

/** Members are defined as JSON.parse does it, including `__proto__`. */
function toObject(entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(entries);
}

const dates = fc.oneof(
  fc.constantFrom('2024-05-31T02:00+02:00', '2024-05-31'),
  goodIsoTexts,
  goodIsoTexts.map((iso) => ({ __type: 'Date', iso })),
);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 3 });

/** The values of the declared members: of their types if slots copy them, otherwise anything. */
function documents(slots: boolean) {
  const of = <T>(values: fc.Arbitrary<T>) => (slots ? fc.option(values, { nil: null, freq: 4 }) : json);
  const members = fc.record(
    { amount: of(numbers), seen: of(dates), open: of(fc.boolean()), label: of(texts), m: json, o: objectOf(json) },
    { requiredKeys: [] },
  );
  return fc
    .tuple(members, objectOf(json))
    .map(([known, other]) => toObject([...Object.entries(other), ...Object.entries(known)]));
}

const pointers = fc
  .constantFrom('u1', 'u2')
  .map((objectId) => ({ __type: 'Pointer', className: '_User', objectId }) as const);
const recordsOf = (slots: boolean): fc.Arbitrary<readonly TestRecord[]> =>
  fc
    .array(
      fc.record({
        createdAt: goodIsoTexts,
        title: maybe(texts),
        size: maybe(numbers),
        whole: maybe(fc.integer({ min: -3, max: 3 })),
        flag: maybe(fc.boolean()),
        owner: maybe(pointers),
        place: maybe(json),
        metadata: documents(slots),
      }),
      { minLength: 1, maxLength: 8 },
    )
    .map((list) => list.map((record, index) => ({ ...record, objectId: String.fromCharCode(97 + index) })));

const names = fc.constantFrom(
  ...['objectId', 'createdAt', 'title', 'size', 'whole', 'flag', 'owner', 'place', 'place.a', 'metadata'],
  ...['metadata.amount', 'metadata.seen', 'metadata.open', 'metadata.label', 'metadata.m', 'metadata.o.a'],
  ...['metadata.m', 'metadata.a', 'metadata.b', 'metadata.x-1', 'metadata.__proto__', 'metadata.constructor.a'],
);

const atoms = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'k',
    'K',
    'é',
    '😀',
    '.',
    '\\n',
    '\\x{212A}',
    '\\.',
    ' ',
    '[a-c]',
    '[^a]',
    '[^\\n😀]',
    '[^\\n]',
    '[\\s\\S]',
    '\\p{Any}',
    '\\pL',
  ),
  fc.constantFrom(
    '\\w',
    '\\W',
    '\\d',
    '\\s',
    '\\S',
    '[[:upper:]]',
    '[\\w-]',
    '[]a]',
    '\\P{Lu}',
    '\\p{Greek}',
    '\\Q.*\\E',
  ),
  fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\z', '(?i)', '(?m)', '(?s)', '(?-i)', '(?i:k)', '()', ''),
);
const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    atoms,
    fc.array(tie('pattern'), { maxLength: 4 }).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{2,}', '*?', '{0,300}'))
      .map(([part, count]) => `(${part})${count}`),
  ),
})).pattern;

const values = fc.oneof(
  { weight: 5, arbitrary: json },
  { weight: 1, arbitrary: dates },
  { weight: 1, arbitrary: pointers },
);
const bounds = fc.oneof(texts, numbers, dates);
const operations: fc.Arbitrary<unknown> = fc.oneof(
  values,
  fc.record({ $ne: values }),
  fc.record({ $gt: bounds, $lte: bounds }, { requiredKeys: [] }),
  fc.record({ $lt: bounds, $gte: bounds }, { requiredKeys: [] }),
  fc.record({ $in: fc.array(values, { maxLength: 4 }) }),
  fc.record({ $nin: fc.array(values, { maxLength: 4 }) }),
  fc.record({ $all: fc.array(scalars, { minLength: 1, maxLength: 2 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $regex: patterns, $options: fc.constantFrom('', 'i', 'm', 's', 'ims') }, { requiredKeys: ['$regex'] }),
);

/** A field together with values that it really has, which random mixtures seldom produce. */
function fitting(name: string, own: fc.Arbitrary<unknown>): fc.Arbitrary<readonly [string, unknown]> {
  const list = fc.array(fc.oneof(own, fc.constant(null)), { maxLength: 3 });
  const operation = fc.oneof(
    own,
    fc.constantFrom('$lt', '$lte', '$gt', '$gte', '$ne').chain((key) => own.map((value) => toObject([[key, value]]))),
    fc.constantFrom('$in', '$nin').chain((key) => list.map((value) => toObject([[key, value]]))),
  );
  return operation.map((value) => [name, value]);
}
const conditions: fc.Arbitrary<readonly [string, unknown]> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(names, operations) },
  ...['metadata.seen', 'createdAt'].map((name) => fitting(name, dates)),
  ...['metadata.amount', 'size', 'metadata.m'].map((name) => fitting(name, numbers)),
  ...['metadata.label', 'title', 'metadata.m'].map((name) => fitting(name, texts)),
);
const wheres = fc.letrec<{ where: Readonly<Record<string, unknown>> }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: conditions.map((entry) => toObject([entry])) },
    {
      weight: 1,
      arbitrary: fc.array(conditions, { minLength: 2, maxLength: 3 }).map(toObject),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('$or', '$and', '$nor'), fc.array(tie('where'), { minLength: 1, maxLength: 3 }))
        .map((entry) => toObject([entry])),
    },
  ),
})).where;
const orders = fc
  .array(fc.tuple(fc.constantFrom('', '-'), names), { minLength: 1, maxLength: 3 })
  .map((terms) => terms.map((term) => term.join('')).join(','));

/** Conditions that the grammar refuses (such as a bad ISO text for a date) concern none of the three. */
function tryParse(where: unknown, slots: boolean): Where | undefined | 'refused' {
  try {
    return parseWhere(JSON.stringify(where), testFields(slots));
  } catch (error) {
    if (error instanceof QueryError) return 'refused';
    throw error;
  }
}

describe('for any records and conditions', () => {
  const engines: Engine[] = [];
  beforeAll(async () => {
    engines.push(openMemory(), openSqlite(), await openPostgres());
  });
  afterAll(async () => {
    for (const engine of engines) await engine.close();
  });

  for (const slots of [false, true]) {
    it(`SQLite, PostgreSQL and match find the same in the same order${slots ? ' with slots' : ''}`, async () => {
      const queries = fc.array(fc.tuple(wheres, orders), { minLength: 12, maxLength: 12 });
      const property = fc.asyncProperty(recordsOf(slots), queries, async (records, list) => {
        for (const engine of engines) await engine.load(records);
        for (const [where, text] of list) await compareEngines(where, text, slots);
      });
      await fc.assert(property, runs(200));
    });
  }

  async function compareEngines(value: unknown, text: string, slots: boolean): Promise<void> {
    const where = tryParse(value, slots);
    if (where === 'refused') return;
    const order = parseOrder(text, testFields(slots));
    const [expected, ...found] = await Promise.all(engines.map((engine) => engine.find(where, order)));
    found.forEach((ids, index) => {
      assert.deepEqual(ids, expected, `${engines[index + 1]?.name} differs: ${JSON.stringify(value)} by ${text}`);
    });
  }
});
