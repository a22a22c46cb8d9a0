import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import {
  type FilterField,
  fieldsIn,
  filterOf,
  operatorsOf,
  rowText,
  takesValue,
  whereOf,
} from '../../src/components/list/filter-rows.ts';
import { listQuery, readListSearch } from '../../src/components/list/list-search.ts';

const fields: readonly FilterField[] = [
  { name: 'name', label: 'Name', kind: 'text' },
  { name: 'major', label: 'Major', kind: 'number' },
  { name: 'isOpen', label: 'Open', kind: 'boolean' },
  { name: 'createdAt', label: 'Created', kind: 'date' },
  { name: 'event', label: 'Event', kind: 'choice', choices: [{ value: 'ENTER', label: 'enter' }] },
  { name: 'beaconId', label: 'Beacon', kind: 'pointer', className: 'Beacon' },
  { name: 'metadata', label: 'Metadata', kind: 'member' },
];
const values: Readonly<Record<string, string>> = {
  text: 'a.b (c)',
  number: '-3.5',
  boolean: 'false',
  date: '2026-05-04T00:00:00.000Z',
  choice: 'ENTER',
  pointer: '0Vn',
  member: '"3"',
};

describe('a filter in rows', () => {
  test('comes back as the same rows from the where that it makes, whatever the field and operator', () => {
    for (const field of fields)
      for (const { value: operator } of operatorsOf(field.kind)) {
        const value = takesValue(operator) ? (values[field.kind] ?? '') : '';
        const plainValue = operator === 'contains' && field.kind === 'member' ? 'x' : value;
        const row = { field: field.name, path: field.kind === 'member' ? 'a.b' : '', operator, value: plainValue };
        const where = whereOf({ rows: [row], isAny: false }, fields);
        assert.ok(where, `${field.name} ${operator}`);
        assert.deepEqual(filterOf(where, fields), { rows: [row], isAny: false });
      }
  });

  const row = (field: string, operator: string, value: string) => ({ field, path: '', operator, value });
  const two = [row('major', 'atLeast', '1'), row('major', 'less', '5')];
  const joined: readonly [what: string, rows: typeof two, isAny: boolean, where: object | undefined][] = [
    ['all of different fields', [row('major', 'is', '1'), row('name', 'is', 'a')], false, { major: 1, name: 'a' }],
    ['all of one field', two, false, { $and: [{ major: { $gte: 1 } }, { major: { $lt: 5 } }] }],
    ['any', two, true, { $or: [{ major: { $gte: 1 } }, { major: { $lt: 5 } }] }],
    ['rows in which something is missing', [row('major', 'is', ''), row('major', 'is', 'x')], false, undefined],
  ];
  for (const [what, rows, isAny, where] of joined)
    test(`is joined: ${what}`, () => {
      assert.deepEqual(whereOf({ rows, isAny }, fields), where);
      if (where) assert.deepEqual(filterOf(where as never, fields), { rows, isAny });
    });

  test('says so when rows cannot say it', () => {
    for (const where of [
      { unknown: 1 },
      { $nor: [{ major: 1 }] },
      { major: { $gte: 1, $lt: 2 } },
      { name: { $regex: '^[ab]' } },
      { $or: [{ major: 1, name: 'a' }] },
    ])
      assert.equal(filterOf(where, fields), undefined, JSON.stringify(where));
  });
});

describe('a filter by date', () => {
  const inZone = fieldsIn('Asia/Jakarta', fields);
  const row = (operator: string, value: string) => ({ field: 'createdAt', path: '', operator, value });
  const cases: readonly [zone: string, value: string, iso: string][] = [
    ['Asia/Jakarta', '2026-05-04', '2026-05-03T17:00:00.000Z'],
    ['America/New_York', '2026-05-04', '2026-05-04T04:00:00.000Z'],
    ['Europe/Vienna', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-05-04', '2026-05-03T10:00:00.000Z'],
    // The clocks skip midnight there.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['Asia/Jakarta', '2026-05-04T09:30', '2026-05-04T02:30:00.000Z'],
  ];
  for (const [zone, value, iso] of cases)
    test(`${value} in ${zone} begins at ${iso}, and comes back as the same`, () => {
      const own = fieldsIn(zone, fields);
      const where = whereOf({ rows: [row('from', value)], isAny: false }, own);
      assert.deepEqual(where, { createdAt: { $gte: iso } });
      assert.deepEqual(filterOf(where, own), { rows: [row('from', value)], isAny: false });
    });

  test('is said as the page writes days and times', () => {
    assert.equal(rowText(row('from', '2026-05-04'), inZone), 'Created is from 4 May 2026');
    assert.equal(rowText(row('before', '2026-05-04T09:30'), inZone), 'Created is before 4 May 2026, 09:30');
  });
});

describe('a list in the address', () => {
  test('is taken as far as it means something', () => {
    const search = { q: 42, where: [1], order: '', page: -1, size: 7, other: 1 };
    assert.deepEqual(readListSearch(search), { q: '42' });
    assert.deepEqual(readListSearch({ where: { a: 1 }, order: '-a', page: 3, size: 100 }), {
      where: { a: 1 },
      order: '-a',
      page: 3,
      size: 100,
    });
  });

  test('becomes what the service is asked', () => {
    const about = { searchFields: ['name', 'uuid'], defaultOrder: 'name' };
    assert.deepEqual(listQuery({}, about), { order: 'name', skip: 0, limit: 25, count: 1 });
    assert.deepEqual(
      JSON.parse(JSON.stringify(listQuery({ q: ' a.b ', where: { major: 1 }, page: 3, size: 50 }, about))),
      {
        where: {
          $and: [{ major: 1 }, { $or: [{ name: { $regex: '(?i)a\\.b' } }, { uuid: { $regex: '(?i)a\\.b' } }] }],
        },
        order: 'name',
        skip: 100,
        limit: 50,
        count: 1,
      },
    );
    assert.equal(listQuery({ page: 9_999_999 }, about).skip, 100_000);
  });
});
