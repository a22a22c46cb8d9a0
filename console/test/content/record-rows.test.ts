import assert from 'node:assert/strict';
import type { JsonObject } from '@pharos/sdk';
import { describe, test } from 'vitest';
import { applyRows, type RowOutcome } from '../../src/components/import/import-rows.ts';
import { cellOf, readCell } from '../../src/features/buckets/record-cells.ts';
import { planRecords, readCsvRecords, readJsonRecords } from '../../src/features/buckets/record-rows.ts';
import { parseCsv, writeCsv } from '../../src/lib/text/csv.ts';
import { jsonFault } from '../../src/lib/text/json-fault.ts';
import { readJsonObject } from '../../src/lib/text/json-text.ts';
import { isJsonFile } from '../../src/lib/text/table-file.ts';

const values: readonly (readonly [unknown, string | undefined])[] = [
  [undefined, 'String'],
  [null, undefined],
  [null, 'String'],
  ['', undefined],
  ['', 'String'],
  ['null', 'String'],
  ['3', undefined],
  ['3', 'String'],
  [3, undefined],
  [-1.5e-7, 'Number'],
  [true, undefined],
  [false, 'Boolean'],
  ['true', undefined],
  ['=1+2', undefined],
  ['\t=x', 'String'],
  [' spaced ', 'String'],
  ['"quoted"', 'String'],
  ['a "b", c;\nd', undefined],
  ['{not json', undefined],
  [{ a: [1, '2'] }, undefined],
  [[], undefined],
  ['2026-05-04T09:30:00Z', 'Date'],
  [{ __type: 'Date', iso: '2026-05-04T09:30:00.000Z' }, 'Date'],
];

describe('a value in a cell of a table', () => {
  for (const [value, type] of values)
    test(`${JSON.stringify(value)} as ${type ?? 'anything'} comes back through CSV`, () => {
      const { rows } = parseCsv(
        writeCsv([
          ['a', 'b'],
          ['x', cellOf(value, type)],
        ]),
      );
      assert.deepEqual(readCell(rows[0]?.cells[1] ?? '', type), value);
    });

  for (const [cell, type, problem] of [
    ['two', 'Number', 'must be a number'],
    ['1e999', 'Number', 'must be a number'],
    ['maybe', 'Boolean', 'must be true or false'],
    ['yesterday', 'Date', 'must be a date such as 2026-05-04T09:30:00Z'],
    ['2026-13-40', 'Date', 'must be a date such as 2026-05-04T09:30:00Z'],
  ] as const)
    test(`${cell} is no ${type}`, () => assert.throws(() => readCell(cell, type), { message: problem }));
});

const stamps = { createdAt: '2026-05-04T09:30:00.000Z', updatedAt: '2026-05-04T09:30:00.000Z' };
const record = (objectId: string, metadata: JsonObject) => ({ objectId, metadata, ...stamps });
const known = [record('a', { name: 'Hall', size: 1 }), record('b', { name: 'Attic' }), record('c', { name: 'Attic' })];

describe('the plan of an import', () => {
  const plan = (text: string, isCopy = false) =>
    planRecords(readCsvRecords(text, { size: 'Number' }), { columns: { size: 'Number' }, records: known, isCopy }).map(
      ({ kind, problem, document }) => [kind, problem ?? document],
    );

  for (const [what, text, expected] of [
    [
      'a row with an objectId keeps what the file has no column for',
      'objectId,name\na,Hall 2\n',
      [['changed', { name: 'Hall 2', size: 1 }]],
    ],
    ['an empty cell takes a member away', 'objectId,size\na,\n', [['changed', { name: 'Hall' }]]],
    ['nothing to change', 'objectId,name\na,Hall\n', [['unchanged', { name: 'Hall', size: 1 }]]],
    [
      'the same content is there twice, so the third adds one',
      'name\nAttic\nAttic\nAttic\n',
      [
        ['unchanged', { name: 'Attic' }],
        ['unchanged', { name: 'Attic' }],
        ['new', { name: 'Attic' }],
      ],
    ],
    ['an unknown objectId', 'objectId,name\nz,Hall\n', [['refused', 'The bucket has no record with the objectId z.']]],
    [
      'the same record twice',
      'objectId,name\na,X\na,Y\n',
      [
        ['changed', { name: 'X', size: 1 }],
        ['refused', 'Line 2 is about the same record.'],
      ],
    ],
    ['a wrong type', 'name,size\nX,big\n', [['refused', 'size must be a number.']]],
  ] as const)
    test(what, () => assert.deepEqual(plan(text), expected));

  test('as copies, rows add records whatever their objectId', () =>
    assert.deepEqual(plan('objectId,name\nz,Cellar\n', true), [['new', { name: 'Cellar' }]]));

  test('JSON: documents, records of an export and lists of the service', () => {
    for (const text of [
      '[{"name":"X"}]',
      '[{"objectId":"a","metadata":{"name":"X"},"createdAt":"","updatedAt":""}]',
      '{"results":[{"objectId":"a","metadata":{"name":"X"}}]}',
    ])
      assert.deepEqual(
        readJsonRecords(text).map(({ members }) => members),
        [{ name: 'X' }],
      );
    for (const text of ['', '{"a":1}', '[1', '3']) assert.throws(() => readJsonRecords(text));
    assert.deepEqual(readJsonRecords('[1]')[0]?.problems, ['it must be an object']);
  });

  test('JSON that is broken says where', () => {
    assert.throws(() => readJsonRecords('[\n  {"name": "X"},\n  {"name": }\n]'), {
      message: /^The file is not JSON\. Line 3, column 12: /,
    });
  });

  test('where a text stops being JSON is known for every mistake', () => {
    for (const [text, fault] of [
      ['{"a": }', 6],
      ['[1, 2', 5],
      ['[1,]', 3],
      ['{"a" 1}', 5],
      ['{a: 1}', 1],
      ['{"a": 01}', 7],
      ['["\\x"]', 1],
      ['["a\tb"]', 1],
      ['{"a": tru}', 6],
      ['{} {}', 3],
      ['', 0],
    ] as const) {
      assert.throws(() => JSON.parse(text), text);
      assert.equal(jsonFault(text), fault, text);
    }
    for (const text of [' {"a": [1.5e-3, "\\u00e9\\n", {}, [], null]} ', '[]', '"x"', '-0'])
      assert.equal(jsonFault(text), text.length, JSON.stringify(JSON.parse(text)));
  });

  test('JSON Lines: a broken line is refused by itself', () => {
    const text = '{"name":"Hall"}\n{"name":"Attic"\n\n{"objectId":"a","metadata":{"name":"X"}}\n';
    assert.deepEqual(
      readJsonRecords(`\uFEFF${text}`).map(({ line, objectId, members, problems }) => [
        line,
        objectId,
        members,
        problems,
      ]),
      [
        [1, undefined, { name: 'Hall' }, []],
        [2, undefined, {}, ['it is not JSON from column 16 on']],
        [4, 'a', { name: 'X' }, []],
      ],
    );
    assert.equal(isJsonFile({ name: 'records.txt', text }), true);
    assert.equal(isJsonFile({ name: 'table.csv', text: '{a},b\n{1},2\n{3},4\n' }), false);
  });
});

test('broken JSON is told with its place', () => {
  for (const [text, place] of [
    ['{\n "a" 1}', [2, 6]],
    ['{"a": 1,}', [1, 9]],
    ['{"a": ', [1, 6]],
    ['[1]', [undefined, undefined]],
  ] as const) {
    const read = readJsonObject(text);
    assert.ok('problem' in read, text);
    assert.deepEqual([read.problem.line, read.problem.column], place, `${text}: ${read.problem.message}`);
  }
});

test('every row shows its outcome, also one that is answered after the progress was drawn', async () => {
  const rows = [1, 2, 3].map((line) => ({ line, kind: 'new' as const, name: '', differences: [] }));
  const told = new Map<number, RowOutcome>();
  const drawn = Promise.withResolvers<void>();
  const apply = async ({ line }: { line: number }) => {
    if (line === 1) {
      // Longer than the progress waits to be drawn.
      const begun = performance.now();
      while (performance.now() - begun < 250) await new Promise((resolve) => setImmediate(resolve));
    } else if (line === 2) {
      await drawn.promise;
    } else throw new Error('refused');
  };
  await applyRows(rows, apply, (fresh) => {
    for (const [line, outcome] of fresh) told.set(line, outcome);
    drawn.resolve();
  });
  assert.deepEqual(
    [...told].sort(([a], [b]) => a - b),
    [
      [1, 'done'],
      [2, 'done'],
      [3, { failed: 'refused' }],
    ],
  );
});
