import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { runs } from '../../../test/support/depth.ts';
import { newObjectId } from '../../base/id.ts';
import type { Row } from '../../db/db.ts';
import { bigint, defineTable, double, nullable, text } from '../../db/table.ts';
import { bytesOfText, textOfBytes } from './bytes-text.ts';
import { Chunk, packRows } from './chunk.ts';
import { filterOf, mayHold } from './filter.ts';

const table = defineTable({
  name: 'things',
  owner: 'cold',
  columns: {
    app_id: text,
    object_id: text,
    part_id: text,
    trigger: text,
    place: nullable(text),
    distance: nullable(double),
    n: bigint,
    seen_at: nullable(bigint),
  },
  key: ['app_id', 'object_id'],
  packed: { foundBy: ['place'], joined: { object_id: ['part_id', 'trigger'] } },
});

const start = Date.UTC(2026, 0, 1);

const ids = fc.integer({ min: 0, max: 1e10 }).map((later) => newObjectId(start + later));
const rows = fc
  .array(
    fc.record({
      part_id: fc.oneof({ weight: 20, arbitrary: ids }, { weight: 1, arbitrary: fc.string() }),
      trigger: fc.constantFrom('T1', 'T2'),
      place: fc.oneof(ids, fc.constantFrom('Hall', 'Halle „3“', '😀', '', null), fc.string({ unit: 'binary' })),
      distance: fc.oneof(
        fc.constant(null),
        fc.integer({ min: 0, max: 900 }).map((cm) => cm / 100),
        fc.double({ noNaN: true }),
      ),
      n: fc.oneof(fc.constantFrom(0, 1), fc.maxSafeInteger()),
      seen_at: fc.oneof(
        fc.constant(null),
        fc.integer({ min: 0, max: 1e10 }).map((later) => start + later),
      ),
      isJoined: fc.constantFrom(true, true, true, false),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((all) =>
    all
      .map(({ isJoined, ...row }, n): Row => {
        const id = isJoined ? `${row.part_id}-${row.trigger}` : `other ${n}`;
        return { app_id: 'app', object_id: id, ...row };
      })
      .sort((a, b) => (String(a['object_id']) < String(b['object_id']) ? -1 : 1)),
  );

describe('rows packed into a chunk', () => {
  test('are the same when they are unpacked, whatever is in them', async () => {
    const property = fc.asyncProperty(rows, async (given) => {
      const packing = await packRows(table, given);
      assert.equal(packing.row_count, given.length);
      assert.deepEqual([packing.first_id, packing.last_id], [given[0]?.['object_id'], given.at(-1)?.['object_id']]);
      assert.ok(!packing.content.includes('\0'), 'no database takes a zero in a text');
      assert.deepEqual(await Chunk.open(table, 'app', packing.content).all(), given);
      for (const { place } of given) if (typeof place === 'string') assert.ok(mayHold(packing.filter, [place]));
    });
    await fc.assert(property, runs(100));
  });

  test('are the same when some of them are unpacked, or found by their texts', async () => {
    const some = fc.tuple(rows, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }));
    const property = fc.asyncProperty(some, async ([given, at]) => {
      const { content } = await packRows(table, given);
      const places = [...new Set(at.map((n) => n % given.length))];
      assert.deepEqual(
        await Chunk.open(table, 'app', content).rows(places),
        places.map((place) => given[place]),
      );
      for (const name of ['object_id', 'part_id', 'trigger', 'place']) {
        const texts = ['Hall', ...places.map((place) => given[place]?.[name])].filter((one) => typeof one === 'string');
        const expected = given.flatMap((row, place) =>
          row[name] !== null && texts.includes(String(row[name])) ? place : [],
        );
        assert.deepEqual(await Chunk.open(table, 'app', content).placesOf(name, texts), expected, name);
      }
    });
    await fc.assert(property, runs(100));
  });

  const row = {
    app_id: 'app',
    object_id: 'a-b',
    part_id: 'a',
    trigger: 'b',
    place: null,
    distance: null,
    n: 1,
    seen_at: null,
  };

  test('a column that the table did not have then is null, or what is declared of it', async () => {
    const { content } = await packRows(table, [row]);
    const columns = { ...table.columns, floor: nullable(text), is_late: bigint };
    const wider = { ...table, columns, packed: { foundBy: [], added: { is_late: 0 } } };
    assert.deepEqual(await Chunk.open(wider, 'app', content).all(), [{ ...row, floor: null, is_late: 0 }]);
  });

  test('a column that the table does not have any more is passed over, also one that another was joined of', async () => {
    const { content } = await packRows(table, [row]);
    const { part_id: _, trigger: __, ...columns } = table.columns;
    const { part_id: ___, trigger: ____, ...left } = row;
    assert.deepEqual(await Chunk.open({ ...table, columns, packed: { foundBy: [] } }, 'app', content).all(), [left]);
  });

  test('of a later version are refused, not misread', async () => {
    const bytes = bytesOfText((await packRows(table, [row])).content);
    const end = 4 + bytes.readUInt32LE();
    const head = JSON.parse(zstdDecompressSync(bytes.subarray(4, end)).toString()) as object;
    const later = zstdCompressSync(Buffer.from(JSON.stringify({ ...head, format: 99 })));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(later.length);
    const content = textOfBytes(Buffer.concat([length, later, bytes.subarray(end)]));
    assert.throws(() => Chunk.open(table, 'app', content), /packed by a later version of Pharos \(format 99\)/);
  });
});

test('bytes are the same after they were a text', () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(bytes, (given) => assert.deepEqual([...bytesOfText(textOfBytes(given))], [...given])),
    runs(100),
  );
});

test('a filter knows all that is in it, and little of what is not', () => {
  const known = Array.from({ length: 2_000 }, (_, n) => newObjectId(start + n));
  const filter = filterOf(new Set(known));
  assert.ok(known.every((id) => mayHold(filter, [id])));
  const others = known.map((_, n) => mayHold(filter, [newObjectId(start + n)])).filter(Boolean).length;
  assert.ok(others < 100, `${others} of 2000`);
});
