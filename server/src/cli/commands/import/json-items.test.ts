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
    await assert.rejects(itemsOf(folder, 'uid,email\n1,vera@example.org'), /no JSON/);
    const broken = await itemsOf(folder, '{"a":1}\n{"a":}\n{"a":2}\n{"a":');
    assert.deepEqual(broken, [
      { line: 1, value: { a: 1 } },
      { line: 2, problem: 'is not JSON' },
      { line: 3, value: { a: 2 } },
      { line: 4, problem: 'the file ends within this object' },
    ]);
  }));

test('a list that ends between two objects is said to, behind those that are whole', () =>
  withFolder(async (folder) => {
    const whole = { line: 1, value: { a: 1 } };
    const cut = { line: 2, problem: 'the file ends within the list' };
    assert.deepEqual(await itemsOf(folder, '[{"a":1},\n'), [whole, cut]);
    assert.deepEqual(await itemsOf(folder, '{"results": [{"a":1}\n'), [whole, cut]);
    assert.deepEqual(await itemsOf(folder, '[{"a":1},\n{"a":'), [
      whole,
      { line: 2, problem: 'the file ends within this object' },
    ]);
  }));

test('of objects without an end each is named, and those between them are read', () =>
  withFolder(async (folder) => {
    const whole = (n: number) => ({ n, note: `note ${n}`, x: { y: n } });
    const texts = Array.from({ length: 6 }, (_, n) => JSON.stringify(whole(n)));
    const [cut, open] = [String(texts[1]).slice(0, 14), String(texts[3]).slice(0, -1)];
    assert.deepEqual(await itemsOf(folder, [texts[0], cut, texts[2], open, texts[4], texts[5]].join('\n')), [
      { line: 1, value: whole(0) },
      { line: 2, problem: 'has no end' },
      { line: 3, value: whole(2) },
      { line: 4, problem: 'has no end' },
      { line: 5, value: whole(4) },
      { line: 6, value: whole(5) },
    ]);
    // Lines that begin within an object are its own as long as it has an end.
    const nested = { list: [{ a: 1 }, { a: 2 }] };
    assert.deepEqual(await itemsOf(folder, JSON.stringify(nested, null, '\n')), [{ line: 1, value: nested }]);
    const many = await itemsOf(folder, `{"a":"\n${`${texts[0]}\n`.repeat(200_000)}`);
    assert.equal(many.length, 200_001);
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
