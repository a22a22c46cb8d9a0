import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { withFolder } from '../../../../test/support/storage/backups.ts';
import { type JsonItem, jsonItems } from './json-items.ts';

const itemsOf = (folder: string, text: string): Promise<JsonItem[]> => {
  const file = join(folder, 'items.json');
  writeFileSync(file, text);
  return Array.fromAsync(jsonItems(file));
};

test('objects are found in lines, in arrays and within an object, each with its line', () =>
  withFolder(async (folder) => {
    const values = [{ a: 'x } { "', b: [{ c: {} }], '\u2028': '\\' }, { a: '\n"' }, {}];
    const texts = values.map((value) => JSON.stringify(value));
    const expected = values.map((value, place) => ({ line: place + 1, value }));
    assert.deepEqual(await itemsOf(folder, texts.join('\n')), expected);
    assert.deepEqual(await itemsOf(folder, `\uFEFF[${texts.join(',\n')}]`), expected);
    assert.deepEqual(await itemsOf(folder, `{ "results": [${texts.join(',\n')}], "count": 3 }`), expected);
    assert.deepEqual(await itemsOf(folder, `\uFEFF{"users":[${texts.join(',\n')}]}`), expected);
    assert.deepEqual(await itemsOf(folder, ''), []);
    assert.deepEqual(await itemsOf(folder, '[]'), []);
    const broken = await itemsOf(folder, '{"a":1}\n{"a":}\n{"a":2}\n{"a":');
    assert.deepEqual(broken, [
      { line: 1, value: { a: 1 } },
      { line: 2, problem: 'is not JSON' },
      { line: 3, value: { a: 2 } },
      { line: 4, problem: 'the file ends within this object' },
    ]);
  }));

test('an object is whole wherever the file is cut into pieces, and none fills the memory', () =>
  withFolder(async (folder) => {
    // Longer than a piece of the stream.
    const values = Array.from({ length: 300 }, (_, n) => ({ n, text: `{"${'\\'.repeat(n)}ü€\u{1f600}`.repeat(20) }));
    const found = await itemsOf(folder, values.map((value) => JSON.stringify(value)).join('\n'));
    assert.deepEqual(
      found.map(({ value }) => value),
      values,
    );
    await assert.rejects(itemsOf(folder, `{"a":"${'x'.repeat(5_000_000)}`), /line 1 has more than 4 MiB, or no end/);
  }));

test('whatever objects there are, they are read as JSON.parse reads them', () =>
  withFolder(async (folder) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 }), async (values) => {
        const found = await itemsOf(folder, JSON.stringify(values, null, 1));
        assert.deepEqual(
          found.map(({ value }) => JSON.stringify(value)),
          values.map((value) => JSON.stringify(value)),
        );
      }),
      { numRuns: 100 },
    );
  }));
