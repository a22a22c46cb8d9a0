import assert from 'node:assert/strict';
import { test } from 'vitest';
import { bothDatabases, openStorage } from '../../../test/support/build-app.ts';
import { raw } from '../../base/sql.ts';
import { bigint, defineTable, nullable, text, withDefault } from '../table.ts';
import { rowsOf } from './row-statements.ts';

const rows = rowsOf(
  defineTable({
    name: 'things',
    owner: 'db',
    columns: { app_id: text, name: text, n: bigint, note: nullable(text), other: withDefault(text) },
    key: ['app_id', 'name'],
  }),
);
const find = rows.find('app_id', 'name');
const listByNumber = rows.list(['app_id'], ['n desc', 'name']);

for (const database of bothDatabases) {
  test(`rows of a declared table on ${database}`, async () => {
    const { db, close } = await openStorage(database);
    try {
      await db.run(
        raw(`create table things (app_id text, name text, n bigint, note text, other text default 'y',
          primary key (app_id, name))`),
      );
      const first = { app_id: 'a', name: 'one', n: 1, note: null, other: 'y' };
      await rows.insert(db, { app_id: 'a', name: 'one', n: 1 });
      assert.deepEqual(await find(db, 'a', 'one'), first);
      await assert.rejects(rows.insert(db, first), /unique value taken/);
      assert.deepEqual(
        [await rows.add(db, { ...first, n: 9 }), await rows.add(db, { ...first, name: 'two' })],
        [false, true],
      );
      await rows.save(db, { app_id: 'a', name: 'two', n: 7 });
      await rows.insert(db, { ...first, app_id: 'b' });
      assert.deepEqual(
        (await listByNumber(db, 'a')).map(({ name, n }) => [name, n]),
        [
          ['two', 7],
          ['one', 1],
        ],
      );
      await db.transaction(async (db) => {
        const row = await rows.lock('app_id', 'name')(db, 'a', 'one');
        assert.ok(row);
        await rows.write(db, { ...row, note: 'kept', n: 3 });
      });
      assert.equal(await rows.update(['app_id', 'name'], ['n'])(db, { ...first, n: 4 }), 1);
      assert.deepEqual(await find(db, 'a', 'one'), { ...first, note: 'kept', n: 4 });
      const take = rows.take('app_id', 'name');
      assert.deepEqual([await take(db, 'a', 'one'), await take(db, 'a', 'one')], [true, false]);
      assert.equal(await rows.remove('app_id')(db, 'a'), 1);
      assert.deepEqual(await find(db, 'b', 'one'), { ...first, app_id: 'b' });
    } finally {
      await close();
    }
  });
}
