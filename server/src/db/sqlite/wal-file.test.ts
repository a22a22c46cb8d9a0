import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getPriority, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { testInFull } from '../../../test/support/depth.ts';
import { Failure } from '../../base/errors.ts';
import { sql } from '../../base/sql.ts';
import type { Db } from '../db.ts';
import { openSqlite, sqliteDialect } from './sqlite.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { WalFile } from './wal-file.ts';
import { WriteConnection } from './write-connection.ts';

async function untilFlushing(flushes: readonly unknown[]): Promise<void> {
  while (flushes.length === 0) await new Promise((resolve) => setImmediate(resolve));
}

describe('a write to SQLite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-wal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is acknowledged only when the disk has confirmed it, and those that come during the flush share the next one', async () => {
    const connection = new WriteConnection(join(folder, 'test.db'));
    connection.outsideTick(({ raw }) => raw.exec('create table t (n int)'));
    const flushes: (() => void)[] = [];
    const flush = () => new Promise<void>((resolve) => flushes.push(resolve));
    const writer = new SqliteWriter(connection, sqliteDialect, { flush, onCommit() {} });
    const done: number[] = [];
    const write = (n: number) => writer.run(sql`insert into t values (${n})`).then(() => done.push(n));
    const first = write(1);
    await untilFlushing(flushes);
    assert.deepEqual(done, []);
    const others = [write(2), write(3)];
    for (let tick = 0; tick < 5; tick++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(flushes.length, 1, 'nothing is written while the disk works on what was');
    flushes.shift()?.();
    await first;
    assert.deepEqual(done, [1]);
    await untilFlushing(flushes);
    flushes.shift()?.();
    await Promise.all(others);
    assert.deepEqual(done, [1, 2, 3]);
    connection.close();
  });

  test('is made by a SQLite that does not corrupt its log: 3.51.3 or newer', async () => {
    const db = openSqlite({ file: join(folder, 'test.db'), queryDeadlineMs: 30_000 });
    const row = await db.one<{ version: string }>(sql`select sqlite_version() as version`);
    await db.close();
    assert.ok('3.51.3'.localeCompare(row?.version ?? '', 'en', { numeric: true }) <= 0, row?.version);
  });

  test('is refused when the disk does not confirm it, and so is every later one', async () => {
    // A folder in place of the log cannot be opened for writing.
    mkdirSync(join(folder, 'test.db-wal'));
    const wal = new WalFile(join(folder, 'test.db'));
    const isRefused = (error: unknown) => error instanceof Failure && error.entry.name === 'Timeout';
    await assert.rejects(wal.flush(), isRefused);
    rmSync(join(folder, 'test.db-wal'), { recursive: true });
    writeFileSync(join(folder, 'test.db-wal'), '');
    await assert.rejects(wal.flush(), isRefused, 'what was lost before cannot be known');
  });

  test('goes on when the log was removed and created again', async () => {
    const file = join(folder, 'test.db-wal');
    const wal = new WalFile(join(folder, 'test.db'));
    await wal.flush();
    writeFileSync(file, 'one');
    await wal.flush();
    rmSync(file);
    await wal.flush();
    writeFileSync(file, 'two');
    await wal.flush();
    wal.close();
  });
});

describe('the log of SQLite', () => {
  for (const isRead of [false, true])
    (isRead ? testInFull : test)(
      `does not grow without end under steady writing${isRead ? ', while long queries read' : ''}`,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'pharos-log-'));
        const db = openSqlite({ file: join(folder, 'test.db'), queryDeadlineMs: 30_000, checkpointFrames: 256 });
        try {
          await db.run(sql`create table notes (id integer primary key, body text)`);
          const body = 'n'.repeat(4_000);
          let [writes, isDone] = [0, false];
          // It begins anew when its thread, and readers before it, have had the processor, which may take a while.
          const hasBegunAnew = () => writes * body.length - db.stats().walBytes > 40e6;
          const write = async () => {
            for (; writes < 400_000 && !hasBegunAnew(); writes++)
              await db.run(sql`insert into notes (body) values (${body})`);
          };
          let rows = 30_000;
          const read = async () => {
            // Begun before the previous one has ended, so that there is always a reader.
            while (isRead && !isDone) {
              const begun = performance.now();
              const some = sql`select sum(length(body)) as n from (select body from notes limit ${rows})`;
              await db.all(some, { tenant: 'reader' });
              // One that takes half a second is not waited for: it reads as much as a busy machine can in less.
              if (performance.now() - begun > 250) rows = Math.ceil(rows / 2);
            }
          };
          const reading = Promise.all([read(), read(), read()]);
          await Promise.all(Array.from({ length: 64 }, write));
          isDone = true;
          await reading;
          assert.ok(hasBegunAnew(), `the log has ${db.stats().walBytes} bytes after ${writes} writes`);
          const [row] = await db.all<{ n: number }>(sql`select count(*) as n from notes`);
          assert.equal(row?.n, writes);
        } finally {
          await db.close();
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );

  test('is in the database by the time a large writer continues', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-log-'));
    const file = join(folder, 'test.db');
    const db = openSqlite({ file, queryDeadlineMs: 30_000, checkpointFrames: 256 });
    try {
      await db.run(sql`create table notes (id integer primary key, body text)`);
      const write = (db: Db) => db.run(sql`insert into notes (body) values (${'n'.repeat(4_000)})`);
      await db.transaction(async (db) => {
        for (let n = 0; n < 400; n++) await write(db);
      });
      // The length of the log is checked at every 16th commit.
      for (let commits = 2; commits < 16; commits++) await write(db);
      await db.caughtUp();
      assert.ok(statSync(file).size > 400 * 4_096, `the database has ${statSync(file).size} bytes`);
    } finally {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test('long queries leave the processor to everybody else', { skip: platform() !== 'linux' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-log-'));
  const db = openSqlite({ file: join(folder, 'test.db'), queryDeadlineMs: 30_000 });
  const own = getPriority();
  try {
    await db.run(sql`create table notes (id integer primary key, body text)`);
    await db.all(sql`select count(*) from notes`, { tenant: 'reader' });
    const priorities = readdirSync('/proc/self/task').map((id) => getPriority(Number(id)));
    assert.ok(Math.max(...priorities) >= 5, priorities.join());
    assert.equal(getPriority(), own);
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
