import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databases, openStorage } from '../../test/support/build-app.ts';
import { raw, sql } from '../base/sql.ts';
import { insertRows, Lookup, RowsStatement } from './rows.ts';

const table = `create table things (name text primary key, n bigint, x double precision, other text default 'y')`;
const insert = insertRows(
  ['text', 'bigint', 'double precision'],
  raw('things (name, n, x)'),
  raw('on conflict (name) do update set n = excluded.n'),
);
const findByName = new Lookup(
  ['name'],
  (isWanted) => sql`select name, n, x from things where n >= ${null} and ${isWanted}`,
);
const findByBoth = new Lookup(
  ['name', 'other'],
  (isWanted) => sql`select name, n, x from things where n >= ${null} and ${isWanted}`,
);
const change = new RowsStatement(
  ['text', 'bigint'],
  (rows) => sql`update things set n = given.column2 from ${rows} as given where things.name = given.column1`,
);

for (const database of databases) {
  describe(`many rows at once on ${database}`, () => {
    for (const count of [0, 1, 3, 64, 203]) {
      test(`${count} rows are inserted, found and changed, each once`, async () => {
        const { db, close } = await openStorage(database);
        try {
          await db.run(raw(table));
          const rows = Array.from({ length: count }, (_, n) => [
            `a "quoted", {odd}\\ name ${n}`,
            n,
            n === 2 ? null : n / 8,
          ]);
          for (const statement of insert.each(db.dialect, rows)) await db.run(statement);
          for (const statement of insert.each(db.dialect, rows)) await db.run(statement);
          const names = rows.map(([name]) => String(name));
          const found = async () => {
            const byOne = findByName.of(
              db.dialect,
              [0],
              names.map((name) => [name]),
            );
            const byBoth = findByBoth.of(
              db.dialect,
              [0],
              names.flatMap((name) => [
                [name, 'y'],
                [name, 'no'],
              ]),
            );
            const [one, both] = await Promise.all(
              [byOne, byBoth].map(async (statements) => {
                const all = statements.map((one) => db.all<{ name: string; n: number; x: number }>(one));
                const cells = (await Promise.all(all)).flat().map((row) => [row.name, row.n, row.x]);
                return new Map(cells.map((row) => [row[0], row]));
              }),
            );
            assert.deepEqual(both, one);
            return names.map((name) => one?.get(name));
          };
          assert.deepEqual(await found(), rows);
          const changed = rows.map(([name = null], n) => [name, n * 2]);
          let hit = 0;
          for (const statement of change.each(db.dialect, changed)) hit += await db.run(statement);
          assert.equal(hit, rows.length);
          assert.deepEqual(
            (await found()).map((row) => row?.[1]),
            changed.map(([, n]) => n),
          );
          const [all] = await db.all<{ n: number }>(raw('select count(*) as n from things'));
          assert.equal(all?.n, rows.length);
        } finally {
          await close();
        }
      });
    }
  });
}
