import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { bothDatabases, openStorage } from '../../../test/support/build-app.ts';
import { sql } from '../../base/sql.ts';
import { type WriteListener, watchWrites } from './watched-database.ts';

const add = (id: string, name = 'a') =>
  sql`insert into list_changes (app_id, object_id, name, node) values ('app', ${id}, ${name}, 'n')
    on conflict (app_id, object_id) do nothing`;
const change = (name: string) => sql`update list_changes set name = ${name} where app_id = 'app'`;

for (const database of bothDatabases) {
  describe(`watched writes on ${database}`, () => {
    test('each row that a statement writes is told with its commit, and the statement answers as it would', async () => {
      const storage = await openStorage(database);
      try {
        const told: string[] = [];
        const listener: WriteListener = {
          isIdle: false,
          settling: undefined,
          wants: (table) => table === 'list_changes',
          async note(db, table, rows) {
            const ids = rows.map(({ appId, objectId }) => `${appId}/${objectId}`).sort();
            db.afterCommit(() => told.push(`${table}: ${ids.join()}`));
          },
        };
        const db = watchWrites(storage.db, { listener });
        const heard = () => told.splice(0);
        assert.equal(await db.run(add('1')), 1);
        assert.deepEqual(heard(), ['list_changes: app/1']);
        assert.equal(await db.run(add('1')), 0);
        await db.run(sql`insert into live_apps (app_id, wanted_until, seq, floor_seq) values ('app', 0, 0, 0)`);
        assert.deepEqual(heard(), []);
        await db.transaction(async (db) => {
          await db.runTogether([add('2'), add('3')]);
          assert.deepEqual(heard(), [], 'not before the commit');
          const row = await db.one(
            sql`update list_changes set node = 'm' where app_id = 'app' and object_id = '2' returning node`,
          );
          assert.deepEqual(row, { node: 'm' });
          await db.transaction(async (db) => assert.equal(await db.run(change('b')), 3));
        });
        assert.deepEqual(heard(), [
          'list_changes: app/2',
          'list_changes: app/3',
          'list_changes: app/2',
          'list_changes: app/1,app/2,app/3',
        ]);
        const failing = db.transaction(async (db) => {
          await db.run(change('c'));
          throw new Error('taken back');
        });
        await assert.rejects(failing, /taken back/);
        assert.deepEqual(heard(), []);
        assert.equal(await db.run(sql`delete from list_changes where app_id = 'app' and object_id <> '1'`), 2);
        assert.deepEqual(heard(), ['list_changes: app/2,app/3']);
        assert.deepEqual(await db.one(sql`select name from list_changes where app_id = 'app'`), { name: 'b' });
      } finally {
        await storage.close();
      }
    });
  });
}
