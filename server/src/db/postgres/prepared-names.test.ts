import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { createPostgresDatabase } from '../../../test/support/build-app.ts';
import { patientMs } from '../../../test/support/patience.ts';
import { raw, sql } from '../../base/sql.ts';
import { openPostgres } from './postgres.ts';
import { maxPrepared, PreparedNames } from './prepared-names.ts';

const minute = 60_000;

describe('which statements are prepared', () => {
  const once = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, place) => raw(`select ${from + place} as n`));
  const often = (names: PreparedNames, text: string, times = 8) =>
    Array.from({ length: times }, () => names.use(raw(text)).name).at(-1);

  test('those that are used often, however many ran before them', () => {
    const names = new PreparedNames(() => 0);
    for (const statement of once(0, 2_000)) assert.equal(names.use(statement).name, undefined);
    assert.ok(often(names, 'select often'));
    const literal = () => sql`select ${1} as literal`;
    assert.ok(Array.from({ length: 8 }, () => names.use(literal()).name).at(-1));
  });

  test('not those that run once an hour, however often', () => {
    let now = 0;
    const names = new PreparedNames(() => now);
    for (let hour = 0; hour < 100; hour++) {
      now = hour * 60 * minute;
      assert.equal(names.use(raw('select hourly')).name, undefined);
    }
  });

  test('a name goes from what is no longer used to what is, and is a new one', () => {
    let now = 0;
    const names = new PreparedNames(() => now);
    const given = new Set<string | undefined>();
    for (let n = 0; n < 400; n++) given.add(often(names, `select first ${n}`));
    assert.equal(given.size, 400);
    now = 9 * minute;
    // In use all the time.
    assert.ok(names.use(raw('select first 7')).name);
    assert.equal(often(names, 'select later'), undefined);
    now = 10 * minute;
    const later = often(names, 'select later');
    assert.ok(later && !given.has(later));
    assert.ok(names.use(raw('select first 7')).name);
    assert.equal(names.use(raw('select first 0')).name, undefined);
  });
});

test('a text that stands at two places of the program has one name, which is in use as long as one of them is', () => {
  let now = 0;
  const names = new PreparedNames(() => now);
  const literal = () => names.use(sql`select ${1} as twice`).name;
  const other = () => names.use(raw('select $1 as twice')).name;
  literal();
  for (let n = 0; n < 1_100; n++) names.use(raw(`select ${n}`));
  for (let times = 0; times < 8; times++) other();
  for (let times = 0; times < 8; times++) literal();
  const name = other();
  assert.ok(name);
  for (let minutes = 1; minutes <= 11; minutes++) {
    now = minutes * minute;
    assert.equal(literal(), name);
  }
  for (let n = 0; n < 400; n++) for (let times = 0; times < 8; times++) names.use(raw(`select ${n} as others`));
  assert.deepEqual([literal(), other()], [name, name]);
});

test('a connection of PostgreSQL prepares what is used often, and few others', async () => {
  const { url, drop } = await createPostgresDatabase();
  const db = openPostgres({ url, poolSize: 1, queryDeadlineMs: 5_000, timeoutMs: patientMs, now: () => 0 });
  const preparedBy = async () => {
    const rows = await db.all<{ statement: string }>(raw('select statement from pg_prepared_statements'));
    return rows.map(({ statement }) => statement);
  };
  try {
    // As many as a start runs, each once.
    for (let n = 0; n < 450; n++) await db.all(raw(`select ${n} as started`));
    for (let times = 0; times < 9; times++) await db.all(sql`select ${'x'} as hot`);
    assert.deepEqual(await preparedBy(), ['select $1 as hot']);
  } finally {
    await db.close();
    await drop();
  }
});

test('a connection that has prepared too many statements is replaced', async () => {
  const { url, drop } = await createPostgresDatabase();
  let now = 0;
  const db = openPostgres({ url, poolSize: 1, queryDeadlineMs: 5_000, timeoutMs: patientMs, now: () => now });
  const backend = async () => (await db.one<{ pid: number }>(raw('select pg_backend_pid() as pid')))?.pid;
  try {
    const first = await backend();
    for (let n = 0; n < maxPrepared + 10; n++) {
      // Time for names to become free.
      if (n % 300 === 0) now += 20 * minute;
      for (let times = 0; times < 9; times++) await db.all(raw(`select ${n} as churning`));
    }
    assert.notEqual(await backend(), first);
    const [{ count } = { count: -1 }] = await db.all<{ count: number }>(
      raw('select count(*) as count from pg_prepared_statements'),
    );
    assert.ok(count < 50, `${count} statements`);
  } finally {
    await db.close();
    await drop();
  }
});

test('a statement whose table has changed since it was prepared is prepared anew, also in a transaction', async () => {
  const { url, drop } = await createPostgresDatabase();
  const db = openPostgres({ url, poolSize: 3, queryDeadlineMs: 5_000, timeoutMs: patientMs });
  const other = openPostgres({ url, poolSize: 1, queryDeadlineMs: 5_000, timeoutMs: patientMs });
  const tables = ['one', 'two', 'three', 'four'];
  const readOn = (on: Pick<typeof db, 'all'>, table: string) => on.all<object>(raw(`select * from ${table}`));
  try {
    for (const table of tables) {
      await db.run(raw(`create table ${table} (a integer)`));
      await db.run(raw(`insert into ${table} values (1)`));
      // On each connection of the pool.
      for (let times = 0; times < 12; times++)
        await Promise.all([readOn(db, table), readOn(db, table), readOn(db, table)]);
    }
    // As a newer node does beside this one.
    const change = async (column: string) => {
      for (const table of tables) await other.run(raw(`alter table ${table} add column ${column} integer default 2`));
    };
    await change('b');
    const alone = await Promise.all([readOn(db, 'one'), readOn(db, 'one'), readOn(db, 'one')]);
    assert.deepEqual(alone.flat(), Array(3).fill({ a: 1, b: 2 }));
    let runs = 0;
    const rows = await db.transaction(async (db) => {
      runs += 1;
      await db.run(raw('update one set a = a + 1'));
      const read: object[][] = [];
      for (const table of tables.slice(1)) read.push(await db.transaction((db) => readOn(db, table)));
      return read.flat();
    });
    assert.deepEqual(rows, Array(3).fill({ a: 1, b: 2 }));
    assert.ok(runs > 1);
    assert.deepEqual(await readOn(db, 'one'), [{ a: 2, b: 2 }]);
    await change('c');
    for (const table of tables.slice(1))
      for (let times = 0; times < 12; times++) assert.deepEqual(await readOn(db, table), [{ a: 1, b: 2, c: 2 }]);
  } finally {
    await Promise.all([db.close(), other.close()]);
    await drop();
  }
});

test('a connection on which something has dropped what was prepared goes on', async () => {
  const { url, drop } = await createPostgresDatabase();
  const db = openPostgres({ url, poolSize: 1, queryDeadlineMs: 5_000, timeoutMs: patientMs });
  const read = () => db.one(sql`select ${'x'} as hot`);
  try {
    for (let times = 0; times < 9; times++) await read();
    await db.run(raw('deallocate all'));
    assert.deepEqual(await read(), { hot: 'x' });
    await db.run(raw('deallocate all'));
    assert.deepEqual(await db.transaction((db) => db.one(sql`select ${'x'} as hot`)), { hot: 'x' });
  } finally {
    await db.close();
    await drop();
  }
});

test('the same holds for a list that is read in steps', async () => {
  const { url, drop } = await createPostgresDatabase();
  const db = openPostgres({ url, poolSize: 1, queryDeadlineMs: 5_000, timeoutMs: patientMs });
  const within = { characters: 1_000_000, rows: 1_000 };
  const read = () => db.all(raw('select * from long_list'), { tenant: 'one', isBrief: true, within });
  try {
    await db.run(raw('create table long_list as select n as a from generate_series(1, 300) as n'));
    for (let times = 0; times < 9; times++) assert.equal((await read()).length, 300);
    await db.run(raw('alter table long_list add column b integer default 2'));
    const rows = await read();
    assert.deepEqual([rows.length, rows[0]], [300, { a: 1, b: 2 }]);
    assert.equal((await read()).length, 300);
  } finally {
    await db.close();
    await drop();
  }
});
