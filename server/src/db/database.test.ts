import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { databaseConformance } from '../../test/conformance/database.ts';
import { bothDatabases, createPostgresDatabase, openStorage } from '../../test/support/build-app.ts';
import { patientMs } from '../../test/support/patience.ts';
import { sql } from '../base/sql.ts';
import { knownMigrations, migrate } from './migrate.ts';
import { openPostgres } from './postgres/postgres.ts';

for (const database of bothDatabases) {
  describe(`the database port on ${database}`, () => {
    databaseConformance(() => openStorage(database));

    test('refuses a database that a newer version has migrated', async () => {
      const storage = await openStorage(database);
      try {
        const newest = Math.max(...knownMigrations().map(({ id }) => id));
        assert.deepEqual(await migrate(storage.db, 1), [], 'nothing is left to do');
        await storage.db.run(sql`insert into migrations (id, name, applied_at) values (${newest + 1}, 'later', 1)`);
        await assert.rejects(migrate(storage.db, 1), /is at migration \d+, this version of Pharos knows \d+/);
      } finally {
        await storage.close();
      }
    });
  });
}

test('SQLite refuses to change anything where rows are asked for, as nobody would flush it to the disk', async () => {
  const { db, close } = await openStorage('sqlite');
  try {
    const write = sql`insert into settings (name, value) values ('a', 'b') returning name`;
    await assert.rejects(db.one(write), /a statement that writes needs a transaction/);
    await assert.rejects(db.all(write), /a statement that writes needs a transaction/);
    assert.deepEqual(await db.all(sql`select * from settings`), []);
    assert.deepEqual(await db.transaction((db) => db.one(write)), { name: 'a' });
  } finally {
    await close();
  }
});

describe('migrating PostgreSQL', () => {
  test('two nodes that start at the same moment apply each migration once', async () => {
    const { url, drop } = await createPostgresDatabase();
    const nodes = [1, 2].map(() => openPostgres({ url, poolSize: 2, queryDeadlineMs: 5_000, timeoutMs: patientMs }));
    try {
      const applied = await Promise.all(nodes.map((node) => migrate(node, 1)));
      assert.deepEqual(
        applied.flat().sort(),
        knownMigrations().map(({ name }) => name),
      );
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
      await drop();
    }
  });
});
