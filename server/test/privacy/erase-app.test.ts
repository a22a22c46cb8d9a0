import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { service } from '../../src/access/audit.ts';
import { ruledFields, tables } from '../../src/app/tables.ts';
import { joinSql, raw, type SqlValue, sql } from '../../src/base/sql.ts';
import { CacheVersion } from '../../src/db/nodes/cache-version.ts';
import { createPast } from '../../src/features/data/history/past.ts';
import { AppService } from '../../src/features/operate/apps/service.ts';
import { bothDatabases, buildApp, type TestApp } from '../support/build-app.ts';
import { type StoredColumn, storedColumns } from '../support/schema.ts';

/** What stays when an app is deleted, and why. */
const kept = new Map(tables.flatMap(({ name, staysBecause: why }) => (why === undefined ? [] : [[name, why]])));

/** A row of the app in every table that has an `app_id`. All texts are the same, so that rows refer to one another. */
async function fill(app: TestApp, appId: string, tables: ReadonlyMap<string, readonly StoredColumn[]>): Promise<void> {
  for (const [table, columns] of tables) {
    const needed = columns.filter(
      ({ column_name, is_nullable, has_default }) => column_name === 'app_id' || !(is_nullable || has_default),
    );
    const cellOf = ({ column_name, data_type }: StoredColumn): SqlValue => {
      if (column_name === 'app_id') return appId;
      return /int|double|real|numeric/.test(data_type) ? 1 : `row of ${appId}`;
    };
    const names = raw(needed.map(({ column_name }) => column_name).join(', '));
    const values = joinSql(
      needed.map((column) => sql`${cellOf(column)}`),
      ', ',
    );
    await app.storage.db.run(sql`insert into ${raw(table)} (${names}) values (${values}) on conflict do nothing`);
  }
}

async function count(app: TestApp, appId: string, tables: Iterable<string>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const row = await app.storage.db.one<{ n: number }>(
      sql`select count(*) as n from ${raw(table)} where app_id = ${appId}`,
    );
    counts[table] = Number(row?.n);
  }
  return counts;
}

for (const database of bothDatabases) {
  describe(`deleting an app on ${database}`, () => {
    test('leaves no row of it in any table, and every row of another', async () => {
      const app = await buildApp({ database });
      try {
        // What is counted at the start would take rows away.
        await app.app.idle();
        const gone = (await app.app.apps.create('To be deleted')).appId;
        const all = await storedColumns(app.storage.db);
        const filled = new Map(
          [...all].filter(([, columns]) => columns.some(({ column_name }) => column_name === 'app_id')),
        );
        assert.ok(filled.size > 30, `only ${[...filled.keys()].join(', ')}`);
        for (const appId of [gone, app.appId]) await fill(app, appId, filled);
        const names = [...filled.keys()].filter((table) => !kept.has(table));
        for (const appId of [gone, app.appId])
          for (const [table, n] of Object.entries(await count(app, appId, names)))
            assert.ok(n > 0, `${table} has no row to lose`);
        const others = await count(app, app.appId, names);

        await app.app.apps.remove(gone);

        const none = Object.fromEntries(names.map((table) => [table, 0]));
        assert.deepEqual(await count(app, gone, names), none);
        assert.deepEqual(await count(app, app.appId, names), others);
        for (const table of kept.keys()) assert.ok((await count(app, gone, [table]))[table], `${table} is kept`);
      } finally {
        await app.close();
      }
    });
  });
}

test('an app is refused while it is being deleted, so that nothing is written in between', async () => {
  const app = await buildApp();
  const { db } = app.storage;
  try {
    // Without a bearer: 209 once the app has been recognised.
    const ask = async () => (await app.send({ method: 'GET', url: '/api/v2/beacons' })).body.code;
    const before = await ask();
    const meanwhile: unknown[] = [];
    const emptyApp = async () => void meanwhile.push(await ask());
    const apps = new AppService({
      db,
      cacheVersion: new CacheVersion(db),
      now: () => app.clock.now,
      emptyApp,
      enqueue: async () => undefined,
      ruledFields,
      past: createPast({}),
    });
    await apps.remove(app.appId, service);
    assert.deepEqual([before, meanwhile], [209, [903]]);
  } finally {
    await app.close();
  }
});
