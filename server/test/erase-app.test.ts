import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { joinSql, raw, type SqlValue, sql } from '../src/base/sql.ts';
import { buildApp, databases, type TestApp } from './support/build-app.ts';

/** What stays when an app is deleted, and why. */
const kept = new Map([['audit', 'says who deleted it']]);

interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly data_type: string;
  /** It needs a value. */
  readonly is_needed: number | boolean;
}

/** The columns of all tables, as the database itself lists them. */
async function columnsOf(app: TestApp): Promise<ReadonlyMap<string, readonly Column[]>> {
  const { db } = app.storage;
  const listed = await db.all<Column>(
    db.dialect.name === 'sqlite'
      ? raw(`select m.name as table_name, c.name as column_name, lower(c.type) as data_type,
          (c."notnull" = 1 or c.pk > 0) and c.dflt_value is null as is_needed
          from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite_%'`)
      : raw(`select table_name, column_name, data_type, is_nullable = 'NO' and column_default is null as is_needed
          from information_schema.columns where table_schema = current_schema()`),
  );
  return Map.groupBy(listed, ({ table_name }) => table_name) as ReadonlyMap<string, readonly Column[]>;
}

/** A row of the app in every table that has an `app_id`. All texts are the same, so that rows refer to one another. */
async function fill(app: TestApp, appId: string, tables: ReadonlyMap<string, readonly Column[]>): Promise<void> {
  for (const [table, columns] of tables) {
    const needed = columns.filter(({ column_name, is_needed }) => column_name === 'app_id' || is_needed);
    const cellOf = ({ column_name, data_type }: Column): SqlValue => {
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

for (const database of databases) {
  describe(`deleting an app on ${database}`, () => {
    test('leaves no row of it in any table, and every row of another', async () => {
      const app = await buildApp({ database });
      try {
        const gone = (await app.app.apps.create('To be deleted')).appId;
        const all = await columnsOf(app);
        const tables = new Map(
          [...all].filter(([, columns]) => columns.some(({ column_name }) => column_name === 'app_id')),
        );
        assert.ok(tables.size > 30, `only ${[...tables.keys()].join(', ')}`);
        for (const appId of [gone, app.appId]) await fill(app, appId, tables);
        const names = [...tables.keys()].filter((table) => !kept.has(table));
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
