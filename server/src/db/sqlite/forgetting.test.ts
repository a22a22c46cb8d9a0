import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { sql } from '../../base/sql.ts';
import type { Database } from '../db.ts';
import { openSqlite } from './sqlite.ts';

const secret = 'what nobody may find';

describe('what has been deleted from SQLite', () => {
  let folder: string;
  let db: Database;
  const open = (name: string) =>
    openSqlite({ file: join(folder, name, 'a.db'), queryDeadlineMs: 5_000, cutAgainMs: 100 });
  const isFound = (name: string) =>
    readdirSync(join(folder, name)).some((file) => readFileSync(join(folder, name, file)).includes(secret));
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-forgetting-'));
    mkdirSync(join(folder, 'data'));
    db = open('data');
    await db.run(sql`create table notes (id integer primary key, note text)`);
    for (let id = 0; id < 300; id++) {
      const note = id % 3 === 1 ? `${secret} `.repeat(id * 5) : 'a note '.repeat(id % 50);
      await db.run(sql`insert into notes (id, note) values (${id}, ${note})`);
    }
  });
  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const remove = () => db.run(sql`delete from notes where id % 3 = 1`);

  test('is not in its files any more', async () => {
    assert.ok(isFound('data'));
    await remove();
    await db.forgetDeleted();
    assert.ok(!isFound('data'));
    assert.equal((await db.one<{ n: number }>(sql`select count(*) as n from notes`))?.n, 200);
  });

  test('is not in them once a backup that still reads it has ended', async () => {
    await db.snapshot(async (read) => {
      await read(sql`select count(*) from notes`);
      await remove();
      await db.forgetDeleted();
      assert.ok(isFound('data'), 'the backup reads it');
    });
    while (isFound('data')) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  test('is not in them after a start, if the process ended before that', async () => {
    await remove();
    cpSync(join(folder, 'data'), join(folder, 'ended'), { recursive: true });
    assert.ok(isFound('ended'));
    const again = open('ended');
    await again.settle();
    assert.ok(!isFound('ended'));
    await again.close();
  });
});
