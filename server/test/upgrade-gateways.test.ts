import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sql } from '../src/base/sql.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/postgres.ts';
import { openSqlite } from '../src/db/sqlite/sqlite.ts';
import { createPostgresDatabase, databases } from './support/build-app.ts';

for (const database of databases)
  describe(`gateways of the version that tied them to secret keys by name, on ${database}`, () => {
    test('name the key with their name, once; others are as they were', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pharos-upgrade-'));
      const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
      const queryDeadlineMs = 5_000;
      const db = postgres
        ? openPostgres({ url: postgres.url, poolSize: 2, queryDeadlineMs })
        : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs });
      try {
        await migrate(db, 1, 220);
        const key = async (appId: string, keyId: string, name: string, revokedAt: number | null = null) =>
          db.run(sql`insert into secret_keys (app_id, key_id, name, key_hash, hint, scopes, networks, made_by, created_at, revoked_at)
            values (${appId}, ${keyId}, ${name}, 'h', 'h', '[]', '[]', 'Ada', 1, ${revokedAt})`);
        await key('a', 'ceiling', 'North "ceiling" \\ 1');
        await key('a', 'before', 'Stairs', 5);
        await key('a', 'stairs', 'Stairs');
        await key('a', 'revoked', 'Door', 5);
        await key('b', 'other', 'Door');
        const north = { name: 'North "ceiling" \\ 1', x: 1.25, y: -2 };
        const stairs = { name: 'Stairs', x: 0, y: 0 };
        const door = { name: 'Door', x: 3, y: 3 };
        const floor = async (appId: string, id: string, gateways: readonly object[] | null) =>
          db.run(sql`insert into floors (app_id, object_id, venue_id, name, level, gateways, created_at, updated_at)
            values (${appId}, ${id}, 'v', ${id}, 0, ${gateways && JSON.stringify(gateways)}, 1, 1)`);
        await floor('a', 'all', [door, north, stairs]);
        await floor('a', 'again', [stairs]);
        await floor('a', 'strange', [door]);
        await floor('a', 'empty', []);
        await floor('a', 'none', null);
        await floor('b', 'theirs', [stairs, door]);
        await migrate(db, 2);
        const rows = await db.all<{ object_id: string; gateways: string | null }>(
          sql`select object_id, gateways from floors`,
        );
        const found = Object.fromEntries(rows.map((row) => [row.object_id, JSON.parse(row.gateways ?? 'null')]));
        assert.deepEqual(found, {
          all: [door, { ...north, keyId: 'ceiling' }, { ...stairs, keyId: 'stairs' }],
          again: [{ ...stairs, keyId: 'stairs' }],
          strange: [door],
          empty: [],
          none: null,
          theirs: [stairs, { ...door, keyId: 'other' }],
        });
      } finally {
        await db.close();
        await postgres?.drop();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
