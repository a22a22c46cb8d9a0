import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/depth.ts';
import { bigint, defineTable, nullable, text } from '../db/table.ts';
import type { Field } from '../query/fields.ts';
import { type Candidate, FirstRows } from './first-rows.ts';

const table = defineTable({
  name: 'things',
  owner: 'cold',
  columns: { object_id: text, n: nullable(bigint) },
  key: ['object_id'],
});
const field = (column: keyof typeof table.columns, type: 'text' | 'number'): Field =>
  ({ from: 'column', column, type }) as Field;
const order = [
  { name: 'n', field: field('n', 'number'), descending: true },
  { name: 'objectId', field: field('object_id', 'text'), descending: false },
];
const head = { object_id: 'chunk', first_id: '', last_id: '', row_count: 0 };

const compare = (a: Candidate, b: Candidate) =>
  Number(b.key['n']) - Number(a.key['n']) || (String(a.key['object_id']) < String(b.key['object_id']) ? -1 : 1);

test('the first rows of many runs are those of all of them in order, each once', async () => {
  const runsOfRows = fc.array(fc.array(fc.tuple(fc.nat({ max: 2_000 }), fc.boolean()), { maxLength: 400 }), {
    maxLength: 40,
  });
  const property = fc.asyncProperty(
    runsOfRows,
    fc.oneof(fc.constantFrom(1, 3, 100), fc.integer({ min: 1, max: 6_000 })),
    async (given, limit) => {
      const first = new FirstRows(order, limit);
      const known = new Map<string, Candidate>();
      for (const run of given) {
        const rows = new Map<string, Candidate>();
        for (const [n, isPacked] of run) {
          // Some come in several runs, with the same cells.
          const id = String(n).padStart(5, '0');
          rows.set(id, { key: { object_id: id, n: n % 17 }, from: isPacked ? { head, place: n } : undefined });
        }
        for (const [id, row] of rows) known.set(id, row);
        await first.add([...rows.values()].sort(compare));
      }
      const expected = [...known.values()].sort(compare).slice(0, limit);
      assert.deepEqual(
        (await first.all()).map(({ key }) => key),
        expected.map(({ key }) => key),
      );
    },
  );
  await fc.assert(property, runs(100));
});
