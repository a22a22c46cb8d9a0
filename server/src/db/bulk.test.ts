import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { bothDatabases, openStorage } from '../../test/support/build-app.ts';
import { raw, sql } from '../base/sql.ts';
import { BulkRead, BulkStatement, bulkDelete, bulkInsert, bulkUpdate, Lookup } from './bulk.ts';
import { bigint, defineTable, double, nullable, text, withDefault } from './table.ts';

const made = `create table things (app_id text, name text, n bigint, x double precision, other text default 'y',
  primary key (app_id, name))`;
const things = defineTable({
  name: 'things',
  owner: 'db',
  columns: { app_id: text, name: text, n: bigint, x: nullable(double), other: withDefault(text) },
  key: ['app_id', 'name'],
});
const insert = bulkInsert(things, {
  columns: ['x', 'app_id', 'name', 'n'],
  conflict: raw('on conflict (app_id, name) do update set n = excluded.n'),
});
const findByName = new Lookup(
  ['name'],
  (isWanted) => sql`select name, n, x from things where app_id = 'a' and n >= ${null} and ${isWanted}`,
);
const findByBoth = new Lookup(
  ['name', 'other'],
  (isWanted) => sql`select name, n, x from things where app_id = 'a' and n >= ${null} and ${isWanted}`,
);
const below = new BulkRead<'app_id' | 'least' | 'most' | 'other', { readonly name: string }>(
  { app_id: 'text', least: 'bigint', most: 'bigint', other: 'text' },
  (cell) => ({
    table: 'things',
    columns: ['name'],
    same: [
      ['app_id', cell.app_id],
      ['other', cell.other],
    ],
    range: ['n', '>=', cell.least],
    only: sql`n < ${cell.most}`,
  }),
);
const change = bulkUpdate(things, { by: ['app_id', 'name'], set: ['n'] });
const multiply = new BulkStatement(
  { app_id: 'text', name: 'text', times: 'bigint' } as const,
  ({ rows, cell }) =>
    sql`update things set n = n * ${cell.times} from ${rows} as given
      where things.app_id = ${cell.app_id} and things.name = ${cell.name}`,
);
const remove = bulkDelete(things, ['app_id', 'name', 'n']);

for (const database of bothDatabases) {
  describe(`many rows at once on ${database}`, () => {
    for (const count of [0, 1, 3, 64, 203]) {
      test(`${count} rows are inserted, found and changed, each once`, async () => {
        const { db, close } = await openStorage(database);
        try {
          await db.run(raw(made));
          const rows = Array.from({ length: count }, (_, n) => ({
            app_id: 'a',
            name: `a "quoted", {odd}\\ name ${n}`,
            n,
            x: n === 2 ? null : n / 8,
          }));
          assert.equal(await insert.run(db, rows), rows.length);
          assert.equal(await insert.run(db, rows), rows.length);
          const found = async () => {
            const both = rows.flatMap(({ name }) => [
              { name, other: 'y' },
              { name, other: 'no' },
            ]);
            const byName = (found: readonly (typeof rows)[number][]) =>
              new Map(found.map((row) => [row.name, { ...row }]));
            const one = byName(await findByName.read(db, [0], rows));
            assert.deepEqual(byName(await findByBoth.read(db, [0], both)), one);
            return rows.map(({ name }) => ({ app_id: 'a', ...one.get(name) }));
          };
          assert.deepEqual(await found(), rows);
          assert.equal(
            await change.run(
              db,
              rows.map((row) => ({ ...row, n: row.n * 2 })),
            ),
            rows.length,
          );
          const doubled = rows.map(({ name }) => ({ times: 3, app_id: 'a', name }));
          assert.equal(await multiply.run(db, doubled), rows.length);
          const now = rows.map((row) => ({ ...row, n: row.n * 6 }));
          assert.deepEqual(await found(), now);
          const [all] = await db.all<{ n: number }>(raw('select count(*) as n from things'));
          assert.equal(all?.n, rows.length);
          const half = now.filter((_, n) => n % 2 === 0);
          // Of the others only one of the two columns is as it is stored.
          const others = now.filter((_, n) => n % 2 === 1).map((row) => ({ ...row, n: -1 }));
          assert.equal(await remove.run(db, [...half, ...others]), half.length);
        } finally {
          await close();
        }
      });
    }

    test('what belongs to each of many rows is read, also where it is the same or nothing', async () => {
      const { db, close } = await openStorage(database);
      try {
        await db.run(raw(made));
        const rows = Array.from({ length: 10 }, (_, n) => ({ app_id: 'a', name: `${n}`, n, x: null }));
        for (const statement of insert.each(db.dialect, rows)) await db.run(statement);
        for (const count of [0, 1, 2, 5, 90]) {
          const asked = Array.from({ length: count }, (_, n) => ({
            app_id: 'a',
            least: n % 7,
            most: (n % 7) + (n % 5),
            other: n % 11 === 10 ? 'none' : 'y',
          }));
          const found = (await below.of(db, asked)).map((all) => all.map(({ name }) => name).sort());
          const expected = asked.map(({ least, most, other }) =>
            rows.flatMap(({ name, n }) => (other === 'y' && n >= least && n < most ? name : [])),
          );
          assert.deepEqual(found, expected);
        }
      } finally {
        await close();
      }
    });

    test('rows of several apps go to a statement each, which names its app by a parameter', async () => {
      const { db, close } = await openStorage(database);
      try {
        await db.run(raw(made));
        const rows = Array.from({ length: 9 }, (_, n) => ({ app_id: `app ${n % 3}`, name: `${n}`, n, x: null }));
        const inserts = insert.each(db.dialect, rows);
        for (const statement of inserts) await db.run(statement);
        for (const app of ['app 0', 'app 1', 'app 2']) assert.ok(inserts.some(({ values }) => values.includes(app)));
        // The keys of one app are another's too.
        const asked = rows.map(({ n }) => ({ app_id: `app ${(n + 1) % 3}`, least: 0, most: 5, other: 'y' }));
        const found = (await below.of(db, asked)).map((all) => all.map(({ name }) => Number(name)).sort());
        assert.deepEqual(
          found,
          asked.map(({ app_id }) => rows.filter((row) => row.app_id === app_id && row.n < 5).map(({ n }) => n)),
        );
        const others = rows.map((row) => ({ ...row, app_id: 'app 0' }));
        let hit = 0;
        for (const statement of remove.each(db.dialect, others)) hit += await db.run(statement);
        assert.equal(hit, 3);
      } finally {
        await close();
      }
    });

    test('a row with a cell that the statement does not know is refused, not cut', async () => {
      const { db, close } = await openStorage(database);
      try {
        const row = { app_id: 'a', name: 'a', n: 1, x: null, colour: 'red' };
        assert.throws(() => insert.each(db.dialect, [row]), /things .*colour/);
      } finally {
        await close();
      }
    });
  });
}
