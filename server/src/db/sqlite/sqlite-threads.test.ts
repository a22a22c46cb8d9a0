import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { sql } from '../../base/sql.ts';
import { openSqliteConnection } from './sqlite-connection.ts';
import { SqliteThread } from './sqlite-threads.ts';

const threads = () => readdirSync('/proc/self/task').length;

test('an idle thread is ended, and started again with the next query', {
  skip: platform() !== 'linux',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-thread-'));
  const file = join(folder, 'test.db');
  const connection = openSqliteConnection(file, 'write');
  const resting = new SqliteThread(file, 1);
  const staying = new SqliteThread(file);
  const one = async (thread: SqliteThread) => (await thread.query(sql`select 1 as one`, 30_000))[0]?.['one'];
  try {
    assert.equal(await one(staying), 1);
    await staying.snapshot(true);
    const before = threads();
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await Promise.all([one(resting), one(resting)]), [1, 1]);
      while (threads() > before) await delay(1);
    }
    assert.equal(threads(), before, 'the other one is still there');
    assert.equal(await one(staying), 1);
  } finally {
    await Promise.all([resting.close(), staying.close()]);
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
