import assert from 'node:assert/strict';
import { parseOrder, parseWhereValue } from '@pharos/query';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { testFields } from '../../../packages/query/test/support/fields.ts';
import { type Engine, openMemory, openPostgres, openSqlite, type TestRecord } from '../support/query-engines.ts';

const owner = (objectId: string) => ({ __type: 'Pointer', className: '_User', objectId }) as const;
const date = (iso: string) => ({ __type: 'Date', iso });

const records: readonly TestRecord[] = [
  {
    objectId: 'a',
    createdAt: '2024-05-31T10:00:00.000Z',
    title: 'Alpha',
    size: 1.5,
    whole: 7,
    flag: true,
    owner: owner('u1'),
    place: { x: 1, y: 2 },
    metadata: { n: 1, s: 'apple', b: true, list: [1, 'x', null], deep: { a: { 'b-c': 5 } }, amount: 10, label: 'one' },
  },
  {
    objectId: 'b',
    createdAt: '2024-05-31T12:00:00.000Z',
    title: 'beta',
    size: 2,
    whole: -3,
    flag: false,
    owner: owner('u2'),
    place: { x: 3, tags: ['in'] },
    metadata: {
      n: '1',
      s: 'Ärger\nk',
      b: false,
      list: ['1'],
      seen: '2024-05-31T12:00:00+02:00',
      label: '',
      open: true,
    },
  },
  {
    objectId: 'c',
    createdAt: '2024-06-01T00:00:00.001Z',
    metadata: {
      n: null,
      s: '😀',
      list: { x: 1, y: [true] },
      seen: date('2024-05-31T10:00Z'),
      amount: -0.5,
      open: false,
    },
  },
  {
    objectId: 'd',
    createdAt: '2024-06-02T00:00:00.000Z',
    title: '',
    place: null,
    metadata: { n: 1e21, s: '\uffff', list: [[1]], d: date('2024-05-31T10:00:00Z'), label: 'One' },
  },
  {
    objectId: 'e',
    createdAt: '2024-06-03T00:00:00.000Z',
    title: "it's",
    whole: 0,
    metadata: { __proto__x: 1, n: [2], big: 2 ** 60 + 2 ** 20 },
  },
];
// A literal cannot have them: they would set the prototype, or be it.
const strange = JSON.parse(
  '{"objectId":"f","createdAt":"2024-06-04","metadata":{"__proto__":{"n":1},"constructor":"c"}}',
);

interface Case {
  readonly where: unknown;
  readonly finds: string;
}
const cases: readonly Case[] = [
  // Equality and its types
  { where: {}, finds: 'abcdef' },
  { where: { 'metadata.n': 1 }, finds: 'a' },
  { where: { 'metadata.n': '1' }, finds: 'b' },
  { where: { 'metadata.n': 1e21 }, finds: 'd' },
  { where: { 'metadata.n': 2 }, finds: 'e' },
  { where: { 'metadata.n': true }, finds: '' },
  { where: { 'metadata.b': true }, finds: 'a' },
  { where: { 'metadata.b': false }, finds: 'b' },
  { where: { 'metadata.n': { $eq: 1 } }, finds: 'a' },
  // The shortest text of this double is the text of another 64-bit integer.
  { where: { 'metadata.big': 2 ** 60 + 2 ** 20 }, finds: 'e' },
  { where: { 'metadata.big': { $gte: 2 ** 60 + 2 ** 20, $lte: 2 ** 60 + 2 ** 20 } }, finds: 'e' },
  // Missing equals null
  { where: { 'metadata.n': null }, finds: 'cf' },
  { where: { 'metadata.list': null }, finds: 'aef' },
  { where: { 'metadata.n': { $ne: null } }, finds: 'abde' },
  { where: { 'metadata.n': { $ne: 1 } }, finds: 'bcdef' },
  { where: { 'metadata.n': { $exists: true } }, finds: 'abde' },
  { where: { 'metadata.n': { $exists: false } }, finds: 'cf' },
  { where: { 'metadata.list': { $exists: true } }, finds: 'abcd' },
  { where: { title: null }, finds: 'cf' },
  { where: { title: { $exists: true } }, finds: 'abde' },
  { where: { size: { $ne: 2 } }, finds: 'acdef' },
  // Arrays contain scalars, and are not looked into otherwise
  { where: { 'metadata.list': 'x' }, finds: 'a' },
  { where: { 'metadata.list': 1 }, finds: 'a' },
  { where: { 'metadata.list': { $ne: '1' } }, finds: 'acdef' },
  { where: { 'metadata.list': { $in: ['1', 'x'] } }, finds: 'ab' },
  { where: { 'metadata.list': { $nin: ['1', 'x'] } }, finds: 'cdef' },
  { where: { 'metadata.list': { $all: [1, 'x'] } }, finds: 'a' },
  { where: { 'metadata.list': { $all: [1, '1'] } }, finds: '' },
  { where: { 'metadata.list': { $gte: 1 } }, finds: '' },
  { where: { 'metadata.list': { $regex: 'x' } }, finds: '' },
  { where: { 'metadata.list': ['1'] }, finds: 'b' },
  { where: { 'metadata.list': [[1]] }, finds: 'd' },
  { where: { 'metadata.list': [1] }, finds: '' },
  { where: { 'metadata.list': { y: [true], x: 1 } }, finds: 'c' },
  { where: { 'metadata.list': { $in: [{ x: 1, y: [true] }, 'x'] } }, finds: 'ac' },
  { where: { 'metadata.list.x': 1 }, finds: 'c' },
  { where: { 'metadata.list': {} }, finds: '' },
  // Ranges compare values of the same type
  { where: { 'metadata.n': { $gt: 0 } }, finds: 'ad' },
  { where: { 'metadata.n': { $gt: '0' } }, finds: 'b' },
  { where: { 'metadata.n': { $gte: 1, $lt: 1e21 } }, finds: 'a' },
  { where: { 'metadata.s': { $gt: 'z' } }, finds: 'bcd' },
  { where: { 'metadata.s': { $gt: '\uffff' } }, finds: 'c' },
  { where: { title: { $lt: 'a' } }, finds: 'ad' },
  { where: { size: { $lte: 1.5 } }, finds: 'a' },
  { where: { whole: { $gt: -3.5, $lt: 6.5 } }, finds: 'be' },
  { where: { whole: 7.5 }, finds: '' },
  { where: { whole: { $lt: 1e300 } }, finds: 'abe' },
  { where: { whole: { $in: [7, 0, 'x', null] } }, finds: 'acdef' },
  { where: { size: { $gt: '1' } }, finds: '' },
  // Lists
  { where: { 'metadata.n': { $in: [] } }, finds: '' },
  { where: { 'metadata.n': { $nin: [] } }, finds: 'abcdef' },
  { where: { 'metadata.n': { $in: [null, 1] } }, finds: 'acf' },
  { where: { 'metadata.n': { $nin: [null, 1] } }, finds: 'bde' },
  { where: { title: { $nin: ['Alpha', null] } }, finds: 'bde' },
  // Logic
  { where: { $or: [{ 'metadata.n': 1 }, { 'metadata.n': '1' }] }, finds: 'ab' },
  { where: { 'metadata.b': true, $or: [{ 'metadata.n': 1 }, { 'metadata.n': '1' }] }, finds: 'a' },
  { where: { $or: [{ $or: [{ title: 'beta' }] }, { $and: [{ flag: true }, { size: 1.5 }] }] }, finds: 'ab' },
  { where: { $nor: [{ title: 'beta' }, { flag: true }] }, finds: 'cdef' },
  { where: { $nor: [{ $nor: [{ title: 'beta' }] }] }, finds: 'b' },
  { where: { $or: [{}] }, finds: 'abcdef' },
  { where: { $or: [{ whole: 7 }, { 'metadata.s': '😀' }] }, finds: 'ac' },
  // Dates
  { where: { createdAt: { $gt: '2024-05-31T11:59:59.999Z', $lt: date('2024-06-01') } }, finds: 'b' },
  { where: { createdAt: '2024-06-01T02:00:00.001+02:00' }, finds: 'c' },
  { where: { createdAt: { $in: ['2024-06-02', date('2024-06-03')] } }, finds: 'de' },
  { where: { createdAt: 1_717_149_600_000 }, finds: '' },
  { where: { createdAt: { $regex: '2024' } }, finds: '' },
  { where: { 'metadata.seen': '2024-05-31T10:00:00Z' }, finds: 'bc' },
  { where: { 'metadata.seen': { $gt: '2024-05-31T09:59' } }, finds: 'bc' },
  { where: { 'metadata.seen': { $ne: date('2024-05-31T10:00:00.000Z') } }, finds: 'adef' },
  { where: { 'metadata.d': date('2024-05-31T12:00:00+0200') }, finds: 'd' },
  { where: { 'metadata.d': { $lte: date('2024-05-31T10:00:00.000Z') } }, finds: 'd' },
  { where: { 'metadata.d': '2024-05-31T10:00:00Z' }, finds: '' },
  // Declared members, which have slots in one of the runs
  { where: { 'metadata.amount': { $lt: 10 } }, finds: 'c' },
  { where: { 'metadata.amount': { $in: [10, null] } }, finds: 'abdef' },
  { where: { 'metadata.amount': 'x' }, finds: '' },
  { where: { 'metadata.amount': { $exists: true } }, finds: 'ac' },
  { where: { 'metadata.label': { $lt: 'p' } }, finds: 'abd' },
  { where: { 'metadata.label': '' }, finds: 'b' },
  { where: { 'metadata.label': null }, finds: 'cef' },
  { where: { 'metadata.label': { $regex: '^$' } }, finds: 'b' },
  { where: { 'metadata.label': { $regex: '^ONE', $options: 'i' } }, finds: 'ad' },
  { where: { 'metadata.open': { $ne: true } }, finds: 'acdef' },
  { where: { 'metadata.open': false }, finds: 'c' },
  // Pointers
  { where: { owner: owner('u1') }, finds: 'a' },
  { where: { owner: { __type: 'Pointer', className: 'Other', objectId: 'u1' } }, finds: '' },
  { where: { owner: 'u1' }, finds: '' },
  { where: { owner: { $ne: owner('u1') } }, finds: 'bcdef' },
  { where: { owner: { $in: [owner('u1'), owner('u2')] } }, finds: 'ab' },
  // Columns with JSON
  { where: { 'place.x': { $gte: 1 } }, finds: 'ab' },
  { where: { place: { y: 2, x: 1 } }, finds: 'a' },
  { where: { 'place.tags': 'in' }, finds: 'b' },
  { where: { place: null }, finds: 'cdef' },
  { where: { 'place.x': 3, 'metadata.n': '1', flag: false }, finds: 'b' },
  { where: { metadata: { big: 2 ** 60 + 2 ** 20, n: [2], __proto__x: 1 } }, finds: 'e' },
  // Paths
  { where: { 'metadata.deep.a.b-c': 5 }, finds: 'a' },
  { where: { 'metadata.list.length': 3 }, finds: '' },
  { where: { 'metadata.s.length': 5 }, finds: '' },
  { where: { 'metadata.__proto__.n': 1 }, finds: 'f' },
  { where: { 'metadata.constructor': 'c' }, finds: 'f' },
  { where: { 'metadata.toString': null }, finds: 'abcdef' },
  // Regular expressions
  { where: { 'metadata.s': { $regex: 'p+l' } }, finds: 'a' },
  { where: { 'metadata.s': { $regex: '^.$' } }, finds: 'cd' },
  { where: { 'metadata.s': { $regex: 'ÄRGER.K', $options: 'is' } }, finds: 'b' },
  { where: { 'metadata.s': { $regex: 'ÄRGER.K', $options: 'i' } }, finds: '' },
  { where: { 'metadata.s': { $regex: '^k', $options: 'm' } }, finds: 'b' },
  { where: { 'metadata.s': { $regex: '(?i)\u212a' } }, finds: 'b' },
  { where: { title: { $regex: "\\Qit's\\E" } }, finds: 'e' },
  { where: { title: { $regex: '' } }, finds: 'abde' },
  { where: { title: "it's' or '1'='1" }, finds: '' },
];

const orders: readonly (readonly [order: string | undefined, ids: string])[] = [
  [undefined, 'abcdef'],
  ['-objectId', 'fedcba'],
  ['-createdAt', 'fedcba'],
  ['title', 'cfdabe'],
  ['-title', 'ebadfc'],
  ['metadata.n', 'cfadbe'],
  ['-metadata.n', 'ebdafc'],
  ['metadata.amount', 'bdefca'],
  ['-metadata.amount', 'acfedb'],
  ['metadata.label,-createdAt', 'fecbda'],
  ['metadata.seen', 'adefbc'],
  // One instant in two forms
  ['metadata.seen,-objectId', 'fedacb'],
  ['metadata.open,-objectId', 'fedacb'],
  ['metadata.s', 'efabdc'],
  ['metadata.list', 'efbadc'],
  ['place.x,objectId', 'cdefab'],
];

describe('the where-language is the same', () => {
  const engines: Engine[] = [];
  beforeAll(async () => {
    engines.push(openMemory(), openSqlite(), await openPostgres());
    for (const engine of engines) await engine.load([...records, strange]);
  });
  afterAll(async () => {
    for (const engine of engines) await engine.close();
  });

  for (const slots of [false, true]) {
    const fields = testFields(slots);
    for (const { where, finds } of cases) {
      it(`finds "${finds}" by ${JSON.stringify(where)}${slots ? ' with slots' : ''}`, async () => {
        const order = parseOrder(undefined, fields);
        const parsed = parseWhereValue(where, fields);
        for (const engine of engines) assert.equal((await engine.find(parsed, order)).join(''), finds, engine.name);
      });
    }
    for (const [text, ids] of orders) {
      it(`orders "${ids}" by ${text}${slots ? ' with slots' : ''}`, async () => {
        const order = parseOrder(text, fields);
        for (const engine of engines) assert.equal((await engine.find(undefined, order)).join(''), ids, engine.name);
      });
    }
  }
});
