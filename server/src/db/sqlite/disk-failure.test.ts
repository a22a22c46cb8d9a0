import assert from 'node:assert/strict';
import {
  copyFileSync,
  fdatasync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { Failure } from '../../base/errors.ts';
import { sql } from '../../base/sql.ts';
import { type Database, tryWrite } from '../db.ts';
import { migrate } from '../migrate.ts';
import { openSqlite, sqliteDialect } from './sqlite.ts';
import { openSqliteConnection } from './sqlite-connection.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { WriteConnection } from './write-connection.ts';

const realFlush = promisify(fdatasync);

/** A disk whose flush of some files fails from a moment on. */
function failingDisk() {
  let fails: RegExp | undefined;
  return {
    fail: (files: RegExp) => {
      fails = files;
    },
    async flush(descriptor: number, file: string): Promise<void> {
      if (fails?.test(file)) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      await realFlush(descriptor);
    },
  };
}

describe('a disk that fails under SQLite', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-disk-'));
    file = join(folder, 'test.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (disk = failingDisk()) =>
    openSqlite({ file, queryDeadlineMs: 30_000, checkpointFrames: 64, flushFile: disk.flush });
  const outcome = (write: Promise<unknown>) =>
    write.then(
      () => 'stored',
      (error: unknown) => {
        assert.ok(error instanceof Failure && error.entry.code === 124, String(error));
        return error.isOutcomeUnknown ? 'unknown' : 'refused';
      },
    );
  const numbers = async (db: Database) =>
    (await db.all<{ n: number }>(sql`select n from t order by n`)).map(({ n }) => n);

  test('is given nothing more once a flush of the log has failed, and what was refused is not there after a start', async () => {
    const disk = failingDisk();
    const db = open(disk);
    const told: Failure[] = [];
    db.listen({ failed: (failure) => told.push(failure), full() {}, troubled() {} });
    await db.run(sql`create table t (n int)`);
    await db.run(sql`insert into t values (1)`);
    disk.fail(/-wal$/);
    assert.equal(await outcome(db.run(sql`insert into t values (2)`)), 'unknown');
    const log = readFileSync(`${file}-wal`);
    for (let n = 10; n < 20; n++) assert.equal(await outcome(db.run(sql`insert into t values (${n})`)), 'refused');
    assert.equal(await outcome(db.transaction((db) => db.run(sql`insert into t values (20)`))), 'refused');
    assert.deepEqual([told.length, db.diskFailure], [1, told[0]]);
    const before = readFileSync(file);
    await db.close();
    assert.ok(
      log.equals(readFileSync(`${file}-wal`)),
      'the log is as it was at the failed flush, also once it is closed',
    );
    assert.ok(before.equals(readFileSync(file)), 'and so is the database');
    const again = open();
    await again.settle();
    const there = await numbers(again);
    assert.deepEqual(there, there.includes(2) ? [1, 2] : [1]);
    await again.run(sql`insert into t values (3)`);
    await again.close();
  });

  const ways: readonly (readonly [how: string, lose: () => void])[] = [
    ['its folder was deleted', () => rmSync(folder, { recursive: true })],
    ['its folder was moved away', () => renameSync(folder, `${folder}-moved`)],
    ['its log was deleted', () => rmSync(`${file}-wal`)],
    [
      'another database was put in its place',
      () => {
        copyFileSync(file, `${file}-copy`);
        renameSync(`${file}-copy`, file);
      },
    ],
  ];
  for (const [how, lose] of ways)
    test(`confirms nothing once ${how} while it is open`, async () => {
      const db = open();
      const told: Failure[] = [];
      db.listen({ failed: (failure) => told.push(failure), full() {}, troubled() {} });
      await db.run(sql`create table t (n int)`);
      await db.run(sql`insert into t values (1)`);
      try {
        lose();
        assert.equal(await outcome(db.run(sql`insert into t values (2)`)), 'unknown');
        assert.equal(await outcome(db.run(sql`insert into t values (3)`)), 'refused');
        assert.match(String(told[0]?.message), /deleted, moved or replaced/);
        assert.deepEqual([told.length, db.diskFailure], [1, told[0]]);
        assert.deepEqual((await numbers(db))[0], 1, 'what it holds can still be read');
      } finally {
        await db.close();
        rmSync(`${folder}-moved`, { recursive: true, force: true });
      }
    });

  test('is given nothing more once the flush of the database has failed in a checkpoint, and nothing is lost', async () => {
    const disk = failingDisk();
    const db = open(disk);
    const told: Failure[] = [];
    db.listen({ failed: (failure) => told.push(failure), full() {}, troubled() {} });
    await db.run(sql`create table t (n int, body text)`);
    disk.fail(/\.db$/);
    const stored: number[] = [];
    for (let n = 0; told.length === 0 && n < 2_000; n++) {
      const write = db.run(sql`insert into t values (${n}, ${'x'.repeat(4_000)})`);
      if ((await outcome(write)) === 'stored') stored.push(n);
      // Its thread may wait for the processor.
      await db.caughtUp();
    }
    assert.equal(told.length, 1);
    assert.equal(await outcome(db.run(sql`insert into t values (-1, '')`)), 'refused');
    await db.close();
    assert.ok(statSync(`${file}-wal`).size > 0, 'the log stays for the next start');
    const again = open();
    await again.settle();
    assert.deepEqual(await numbers(again), stored);
    await again.close();
  });

  test('is written to by the proof that a write would be accepted', async () => {
    const db = open();
    await migrate(db, 1);
    const other = openSqliteConnection(file, 'read');
    const version = () => other.raw.pragma('data_version', { simple: true });
    const before = version();
    await tryWrite(db);
    const after = version();
    await tryWrite(db);
    assert.ok(before !== after && after !== version(), 'the log has grown each time');
    other.close();
    await db.close();
  });

  test('does not end the process when it cannot be read, and is refused as such', async () => {
    const first = open();
    await first.run(sql`create table t (n int, body text)`);
    for (let n = 0; n < 200; n++) await first.run(sql`insert into t values (${n}, ${'x'.repeat(4_000)})`);
    await first.close();
    const db = open();
    assert.equal((await db.one<{ n: number }>(sql`select count(*) as n from sqlite_schema`))?.n, 1);
    truncateSync(file, 8_192);
    const ask = () => outcome(db.all(sql`select n, body from t`));
    assert.deepEqual(await Promise.all([ask(), ask(), ask(), ask()]), Array(4).fill('refused'));
    // What is left of the tick is ended in a later one.
    for (let tick = 0; tick < 3; tick++) await nextTick();
    assert.equal(await outcome(db.all(sql`select n, body from t`, { tenant: 'a' })), 'refused', 'nor on a thread');
    await db.close();
  });
});

describe('a full disk under SQLite', () => {
  test('is given room and the same writes once more, and those that need none are not lost with the others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-full-'));
    const connection = new WriteConnection(join(folder, 'test.db'));
    try {
      const pragma = (text: string) =>
        connection.outsideTick(({ raw }) => raw.pragma(text, { simple: true })) as number;
      connection.outsideTick(({ raw }) => raw.exec('create table t (n integer primary key, body text)'));
      connection.outsideTick(({ raw }) => raw.exec("insert into t values (1, '')"));
      const limit = (pages: number) => void pragma(`max_page_count = ${pages}`);
      const pages = pragma('page_count');
      limit(pages);
      let [asked, more] = [0, 100];
      const writer = new SqliteWriter(connection, sqliteDialect, {
        flush: async () => {},
        onCommit() {},
        makeRoom: () => {
          asked++;
          limit(pages + more);
        },
      });
      const insert = (n: number) => writer.run(sql`insert into t values (${n}, ${'x'.repeat(50_000)})`);
      await insert(2);
      assert.equal(asked, 1);
      limit(pragma('page_count'));
      more = 0;
      const remove = writer.run(sql`delete from t where n = 1`);
      const refused = insert(3);
      await assert.rejects(refused, (error: unknown) => error instanceof Failure && error.entry.code === 124);
      assert.equal(await remove, 1);
      assert.deepEqual(connection.tickReader()?.all(sql`select n from t`), [{ n: 2 }]);
    } finally {
      connection.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
