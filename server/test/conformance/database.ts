import assert from 'node:assert/strict';
import { test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { type Database, UniqueViolation } from '../../src/db/db.ts';
import { deleteInSteps } from '../../src/db/delete-in-steps.ts';

/** What every implementation of the Db port has to do. `open` returns an empty, migrated database. */
export function databaseConformance(open: () => Promise<{ readonly db: Database; close(): Promise<void> }>): void {
  const insert = (name: string, value = 'v') => sql`insert into settings (name, value) values (${name}, ${value})`;
  const names = async (db: Database) =>
    (await db.all<{ name: string }>(sql`select name from settings order by name`)).map(({ name }) => name);

  async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
    const storage = await open();
    try {
      await work(storage.db);
    } finally {
      await storage.close();
    }
  }

  test('answers rows with numbers as numbers, and the number of changed rows', () =>
    withDatabase(async (db) => {
      assert.equal(await db.run(sql`insert into revisions (name, n) values ('a', ${2 ** 52}), ('b', 1)`), 2);
      assert.deepEqual(await db.all(sql`select n from revisions where name in ('a', 'b') order by n`), [
        { n: 1 },
        { n: 2 ** 52 },
      ]);
      assert.equal(await db.run(sql`update revisions set n = 0 where name = 'nosuch'`), 0);
      assert.equal(await db.one(sql`select n from revisions where name = 'nosuch'`), undefined);
    }));

  test('a transaction is all or nothing, and what it wrote is seen inside it', () =>
    withDatabase(async (db) => {
      await db.transaction(async (db) => {
        await db.run(insert('kept'));
        assert.equal((await db.one<{ n: number }>(sql`select count(*) as n from settings`))?.n, 1);
      });
      const broken = db.transaction(async (db) => {
        await db.run(insert('lost'));
        throw new Error('stop');
      });
      await assert.rejects(broken, /stop/);
      assert.deepEqual(await names(db), ['kept']);
    }));

  test('what a transaction has written is seen by others once it is committed, and not before', () =>
    withDatabase(async (db) => {
      await db.run(insert('before'));
      assert.deepEqual(await names(db), ['before']);
      const written = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const transaction = db.transaction(async (db) => {
        await db.run(insert('within'));
        written.resolve();
        await goOn.promise;
      });
      await written.promise;
      assert.deepEqual(await names(db), ['before'], 'while it is open');
      assert.equal(await db.one(sql`select value from settings where name = 'within'`), undefined);
      goOn.resolve();
      await transaction;
      assert.deepEqual(await names(db), ['before', 'within']);
    }));

  test('what is asked side by side in a transaction is answered, and a failure among it ends the transaction alone', () =>
    withDatabase(async (db) => {
      const warnings: Error[] = [];
      const note = (warning: Error) => void warnings.push(warning);
      process.on('warning', note);
      try {
        const numbers = Array.from({ length: 20 }, (_, n) => n);
        await db.transaction(async (db) => {
          await db.run(insert('a'));
          const rows = await Promise.all(
            numbers.map((n) => db.one<{ name: string; n: number }>(sql`select name, ${n} + 0 as n from settings`)),
          );
          assert.deepEqual(
            rows,
            numbers.map((n) => ({ name: 'a', n })),
          );
        });
        const broken = db.transaction(async (db) => {
          const all = [insert('b'), insert('a'), insert('c')].map((statement) => db.run(statement));
          await Promise.allSettled(all);
          await Promise.all(all);
        });
        await assert.rejects(broken, UniqueViolation);
        assert.deepEqual(await names(db), ['a']);
        assert.deepEqual(warnings, []);
      } finally {
        process.off('warning', note);
      }
    }));

  test('an inner transaction that fails takes nothing of the outer one with it', () =>
    withDatabase(async (db) => {
      await db.transaction(async (db) => {
        await db.run(insert('outer'));
        const inner = db.transaction(async (db) => {
          await db.run(insert('inner'));
          throw new Error('stop');
        });
        await assert.rejects(inner, /stop/);
      });
      assert.deepEqual(await names(db), ['outer']);
    }));

  test('statements that run together run one after the other, and the first that fails is the error', () =>
    withDatabase(async (db) => {
      const change = (from: string, to: string) => sql`update settings set value = ${to} where value = ${from}`;
      await db.transaction(async (db) => {
        const steps = Array.from({ length: 20 }, (_, n) => change(`${n}`, `${n + 1}`));
        const done = db.runTogether([insert('a', '0'), ...steps]);
        assert.deepEqual(await db.one(sql`select value from settings where name = 'a'`), { value: '20' });
        await done;
        const broken = db.transaction((db) => db.runTogether([insert('b'), insert('a'), sql`select nonsense`]));
        await assert.rejects(broken, UniqueViolation);
        await db.runTogether([]);
        await db.runTogether([insert('c'), insert('d')]);
      });
      assert.deepEqual(await names(db), ['a', 'c', 'd']);
    }));

  test('a taken unique value is a UniqueViolation and concerns only its own write', () =>
    withDatabase(async (db) => {
      const writes = [insert('a'), insert('a'), insert('b')].map((statement) => db.run(statement));
      const outcomes = await Promise.allSettled(writes);
      const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
      assert.equal(failed.length, 1);
      assert.ok(failed[0]?.reason instanceof UniqueViolation);
      assert.deepEqual(await names(db), ['a', 'b']);
    }));

  test('a failing transaction among many that arrive together leaves the others alone', () =>
    withDatabase(async (db) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) =>
          db.transaction(async (db) => {
            await db.run(insert(`n${String(n).padStart(2, '0')}`));
            if (n % 10 === 3) throw new Error('stop');
            return n;
          }),
        ),
      );
      assert.deepEqual(
        outcomes.map(({ status }, n) => status === (n % 10 === 3 ? 'rejected' : 'fulfilled')),
        Array(50).fill(true),
      );
      assert.equal((await names(db)).length, 45);
    }));

  test('effects happen after the commit, and not at all after a rollback', () =>
    withDatabase(async (db) => {
      const seen: string[] = [];
      await db.transaction(async (db) => {
        db.afterCommit(() => seen.push('committed'));
        await db.run(insert('a'));
        assert.deepEqual(seen, []);
      });
      const broken = db.transaction(async (db) => {
        db.afterCommit(() => seen.push('rolled back'));
        throw new Error('stop');
      });
      await assert.rejects(broken);
      assert.deepEqual(seen, ['committed']);
    }));

  test('increments that race are all counted', () =>
    withDatabase(async (db) => {
      await db.run(sql`insert into revisions (name, n) values ('race', 0)`);
      const read = (db: Pick<Database, 'one' | 'dialect'>) =>
        db.one<{ n: number }>(
          db.dialect.lockRow === ''
            ? sql`select n from revisions where name = 'race'`
            : sql`select n from revisions where name = 'race' for update`,
        );
      await Promise.all(
        Array.from({ length: 40 }, () =>
          db.transaction(async (db) => {
            const row = await read(db);
            await db.run(sql`update revisions set n = ${(row?.n ?? 0) + 1} where name = 'race'`);
          }),
        ),
      );
      assert.equal((await db.one<{ n: number }>(sql`select n from revisions where name = 'race'`))?.n, 40);
    }));

  test('a snapshot does not see what is written after it began', () =>
    withDatabase(async (db) => {
      await db.run(insert('before'));
      await db.snapshot(async (read) => {
        assert.equal((await read(sql`select name from settings`)).length, 1);
        await db.run(insert('after'));
        assert.equal((await read(sql`select name from settings`)).length, 1);
      });
      assert.deepEqual(await names(db), ['after', 'before']);
    }));

  test('deleting in steps removes what is in scope and nothing else', () =>
    withDatabase(async (db) => {
      for (let n = 0; n < 1200; n += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, m) => db.run(insert(`row${n + m}`, m % 2 ? 'odd' : 'even'))));
      }
      const deleted = await deleteInSteps(db, { table: 'settings', id: 'name', scope: sql`value = ${'odd'}` });
      assert.equal(deleted, 600);
      assert.equal((await names(db)).length, 600);
    }));

  test('text is ordered by code point', () =>
    withDatabase(async (db) => {
      for (const name of ['b', 'ä', 'B', 'a', '😀', '\uffff']) await db.run(insert(name));
      assert.deepEqual(await names(db), ['B', 'a', 'b', 'ä', '\uffff', '😀']);
    }));
}
