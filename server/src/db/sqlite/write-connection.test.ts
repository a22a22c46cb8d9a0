import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { sql } from '../../base/sql.ts';
import type { Database } from '../db.ts';
import { openSqlite } from './sqlite.ts';
import { openSqliteConnection } from './sqlite-connection.ts';
import { WriteConnection } from './write-connection.ts';

describe('what one tick of the event loop reads from SQLite', () => {
  let folder: string;
  let file: string;
  let db: Database;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-tick-'));
    file = join(folder, 'test.db');
    db = openSqlite({ file, queryDeadlineMs: 30_000 });
    await db.run(sql`create table t (n int)`);
    await db.run(sql`insert into t values (0)`);
  });
  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const read = async () => (await db.one<{ n: number }>(sql`select n from t`))?.n;
  const readThrice = () => Promise.all([read(), read(), read()]);

  test('is one state, and what another process commits is seen in the next tick', async () => {
    const other = openSqliteConnection(file, 'write');
    try {
      assert.deepEqual(await readThrice(), [0, 0, 0]);
      const before = readThrice();
      other.raw.exec('update t set n = 1');
      const after = read();
      assert.deepEqual([...(await before), await after], [0, 0, 0, 0]);
      const latest = db.latest<{ n: number }>(sql`select n from t`);
      assert.deepEqual([(await latest)?.n, await read()], [1, 1], 'who has to know is told at once');
      await nextTick();
      assert.deepEqual(await readThrice(), [1, 1, 1]);
    } finally {
      other.close();
    }
  });

  test('never blocks a write, and shows what was written when it is acknowledged', async () => {
    for (let n = 1; n <= 50; n++) {
      const [, ...seen] = await Promise.all([
        db.run(sql`update t set n = ${n}`).then(async () => assert.equal(await read(), n)),
        ...Array.from({ length: 5 }, read),
      ]);
      for (const value of seen) assert.ok(value === n - 1 || value === n);
    }
    await db.transaction(async (inside) => {
      await readThrice();
      await inside.run(sql`update t set n = 100`);
      assert.deepEqual(await readThrice(), [50, 50, 50], 'what is not committed is not seen');
      await nextTick();
      assert.deepEqual(await readThrice(), [50, 50, 50]);
    });
    assert.deepEqual(await readThrice(), [100, 100, 100]);
  });

  test('continues while another process keeps a write from beginning, until that is refused, and afterwards', async (t) => {
    t.onTestFinished(() => mock.reset());
    const other = openSqliteConnection(file, 'write');
    try {
      other.raw.exec('begin immediate');
      mock.timers.enable({ apis: ['Date'], now: Date.now() });
      let isOver = false;
      const refused = assert
        .rejects(db.run(sql`update t set n = 7`), { name: 'Timeout' })
        .finally(() => (isOver = true));
      while (!isOver) {
        assert.deepEqual(await readThrice(), [0, 0, 0]);
        await nextTick();
        mock.timers.tick(100);
      }
      await refused;
      other.raw.exec('rollback');
      await db.run(sql`update t set n = 8`);
      assert.deepEqual(await readThrice(), [8, 8, 8]);
    } finally {
      other.close();
    }
  });

  test('is over before the database is closed', async () => {
    await readThrice();
    await db.close();
    db = openSqlite({ file, queryDeadlineMs: 30_000 });
    assert.equal(await read(), 0);
  });
});

describe('the connection that writes to SQLite', () => {
  let folder: string;
  let file: string;
  let connection: WriteConnection;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-tick-'));
    file = join(folder, 'test.db');
    connection = new WriteConnection(file);
    connection.outsideTick(({ raw }) => raw.exec('create table t (n int); insert into t values (0)'));
  });
  afterEach(() => {
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const inTick = () => connection.tickReader()?.one(sql`select n from t`)?.['n'];

  /** What the tick reads is open, and another process has committed since. */
  function commitBesides(work: () => void): void {
    const other = openSqliteConnection(file, 'write');
    try {
      assert.deepEqual([inTick(), inTick()], [0, 0]);
      other.raw.exec('update t set n = 1');
      assert.equal(inTick(), 0, 'the tick goes on with what it has seen');
      work();
    } finally {
      other.close();
    }
  }

  test('shows what others have committed to what is asked outside the tick, and to the tick from then on', () => {
    commitBesides(() => {
      assert.deepEqual(
        connection.outsideTick(({ raw }) => [raw.inTransaction, raw.prepare('select n from t').pluck().get()]),
        [false, 1],
      );
      assert.equal(inTick(), 1);
    });
  });

  test('shows it to readers that ask for the latest state', () => {
    commitBesides(() => assert.equal(connection.latestReader()?.one(sql`select n from t`)?.['n'], 1));
  });

  test('looks at the whole log from outside the tick', () => {
    commitBesides(() => {
      const frames = () =>
        connection.outsideTick(({ raw }) => raw.pragma('wal_checkpoint(NOOP)') as { log: number }[])[0]?.log;
      const other = openSqliteConnection(file, 'write');
      const [row] = other.raw.pragma('wal_checkpoint(NOOP)') as { log: number }[];
      other.close();
      assert.equal(frames(), row?.log);
    });
  });

  test('has no reader for others while a transaction that writes is open', () => {
    connection.outsideTick(({ raw }) => raw.exec('begin immediate'));
    assert.deepEqual([connection.tickReader(), connection.latestReader()], [undefined, undefined]);
    connection.outsideTick(({ raw }) => raw.exec('commit'));
    assert.equal(inTick(), 0);
  });

  test('is handed out by nothing else', () => {
    const names = Object.getOwnPropertyNames(WriteConnection.prototype).sort();
    assert.deepEqual(names, ['close', 'constructor', 'latestReader', 'outsideTick', 'tickReader']);
    assert.deepEqual(Object.keys(connection), []);
    const here = new URL('./', import.meta.url);
    const opening = readdirSync(here)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .filter((name) => /openSqliteConnection\([^)]*'write'\)/.test(readFileSync(new URL(name, here), 'utf8')));
    // The thread checkpoints the log, beside the main thread.
    assert.deepEqual(opening, ['sqlite-thread.ts', 'write-connection.ts']);
  });
});
