import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { restoreBackup, verifyBackup } from '../../src/backup/restore.ts';
import { writeBackup } from '../../src/backup/write.ts';
import { raw, sql } from '../../src/base/sql.ts';
import type { Database, Row } from '../../src/db/db.ts';
import { migrate, newestMigration } from '../../src/db/migrate.ts';
import { listPartitions } from '../../src/db/partitions.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { createPostgresDatabase, databases } from '../support/build-app.ts';
import { shellOf } from '../support/command-line.ts';
import { testInFull } from '../support/depth.ts';
import { patientMs } from '../support/patience.ts';
import { openEmpty, storageBlobs } from '../support/storage/backups.ts';
import { chunkCount, makePacked, packedMigration, packedTables, unpacked } from '../support/storage/packed-database.ts';
import { canMount, smallDisk } from '../support/storage/small-disk.ts';

/** A database of the version before, with packed rows, is opened by this one (ADR 137). */

interface Opened {
  readonly db: Database;
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function open(database: (typeof databases)[number], folder: string): Promise<Opened> {
  const queryDeadlineMs = 5_000;
  if (database === 'sqlite') {
    const db = openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs });
    return { db, settings: { PHAROS_DATA: folder }, close: () => db.close() };
  }
  const { url, drop } = await createPostgresDatabase();
  const db = openPostgres({ url, poolSize: 3, queryDeadlineMs, timeoutMs: patientMs });
  return {
    db,
    settings: { PHAROS_DATA: folder, PHAROS_DATABASE_URL: url },
    async close() {
      await db.close();
      await drop();
    },
  };
}

const stored = (db: Database) =>
  Promise.all(
    packedTables.map(async (name) =>
      (await db.all<Row>(raw(`select * from ${name} order by app_id, object_id`))).map((row) => ({ ...row })),
    ),
  );
const count = async (db: Database, table: string) =>
  Number((await db.one<{ n: number }>(raw(`select count(*) as n from ${table}`)))?.n);

async function assertUnpacked(db: Database): Promise<void> {
  const found = await stored(db);
  for (const [n, rows] of unpacked.entries()) assert.deepEqual(found[n], rows, packedTables[n]);
  assert.deepEqual([await count(db, 'cold_chunks'), await count(db, 'cold_summaries')], [0, 0]);
  assert.equal(await db.one(raw("select 1 as found from settings where name = 'packed'")), undefined);
}

/** The earlier version can go on with it. */
async function assertUntouched(db: Database): Promise<void> {
  assert.equal(await newestMigration((statement) => db.all(statement)), packedMigration);
  assert.equal(await count(db, 'cold_chunks'), chunkCount);
}

for (const database of databases)
  describe(`packed rows of the version before on ${database}`, () => {
    let folder: string;
    let opened: Opened;
    let db: Database;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'pharos-unpacking-'));
      opened = await open(database, folder);
      ({ db } = opened);
    });
    afterEach(async () => {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    });

    for (const isOlder of database === 'sqlite' ? [false] : [false, true])
      test(`are all rows again once it is migrated${isOlder ? ', also without partitions' : ''}`, async () => {
        await makePacked(db, { isOlder });
        assert.equal((await listPartitions(db, 'events')).length > 0, database === 'postgres' && !isOlder);
        const { run } = shellOf(folder, opened.settings);
        const migrated = await run('migrate --json');
        assert.equal(migrated.code, 0, migrated.err);
        await assertUnpacked(db);
        assert.deepEqual((await run('migrate --json')).json, { applied: [] });
        await assert.rejects(
          db.run(sql`insert into cold_chunks (app_id, object_id, kind, first_id, last_id, row_count, filter, content)
            values ('museum', 'late', 'events', 'a', 'b', 1, '', '')`),
          'a node of the version before packs nothing more',
        );
      });

    test('stay deleted if they were once “pharos unpack” had stored them', async () => {
      await makePacked(db);
      const marked = sql`app_id = 'museum' and object_id in (select first_id from cold_chunks where row_count = 0)`;
      assert.equal(await db.run(sql`delete from events where ${marked}`), 1);
      await migrate(db, Date.now());
      assert.equal(await count(db, 'events'), (unpacked[0] ?? []).length - 1);
    });

    testInFull('are neither lost nor doubled by a kill in the middle of it', async () => {
      await makePacked(db);
      const program = fileURLToPath(new URL('../support/storage/unpack-process.ts', import.meta.url));
      const start = (...words: readonly string[]) =>
        spawn(process.execPath, [program, ...words], {
          env: { ...process.env, ...opened.settings },
          stdio: ['ignore', 'pipe', 'ignore'],
        });
      const stops = ['delete from cold_chunks', 'insert into events', 'insert into verdicts', 'insert into deliveries'];
      for (const stop of [...stops, 'delete from cold_summaries', 'alter table cold_chunks'])
        for (const nth of stop === 'insert into verdicts' ? ['1', '3'] : ['1']) {
          const child = start(stop, nth);
          const ended = once(child, 'exit');
          await Promise.race([once(child.stdout, 'data'), ended]);
          assert.equal(child.exitCode, null, `There was no “${stop}”.`);
          child.kill('SIGKILL');
          await ended;
          const ids = (rows: readonly Row[]) => rows.map(({ app_id, object_id }) => `${app_id} ${object_id}`);
          for (const [n, rows] of (await stored(db)).entries()) {
            const known = new Set(ids(unpacked[n] ?? []));
            assert.deepEqual(
              ids(rows).filter((id) => !known.has(id)),
              [],
            );
          }
        }
      const [code] = await once(start('nothing'), 'exit');
      assert.equal(code, 0);
      await assertUnpacked(db);
    });

    testInFull('are rows again in what is restored from a backup of it', async () => {
      await makePacked(db);
      const source = await openEmpty(database);
      const target = await openEmpty(database);
      try {
        const backup = join(folder, 'backup');
        await writeBackup({ db, blobs: storageBlobs(source), folder: backup, now: 0 });
        await restoreBackup(
          { db: target.db, blobs: storageBlobs(target), folder: backup, now: 0 },
          await verifyBackup(backup),
        );
        await assertUnpacked(target.db);
      } finally {
        await source.close();
        await target.close();
      }
    });

    test('that are damaged stay as they are, and the start fails', async () => {
      await makePacked(db);
      await db.run(sql`update cold_chunks set content = 'damaged' where app_id = 'shop' and kind = 'events'`);
      await assert.rejects(migrate(db, Date.now()));
      const [left] = await db.all<{ n: number }>(raw("select count(*) as n from cold_chunks where app_id = 'shop'"));
      assert.ok(Number(left?.n) > 0);
      assert.equal(await newestMigration((statement) => db.all(statement)), packedMigration);
    });
  });

describe('packed rows of the version before, on PostgreSQL with several nodes', () => {
  let folder: string;
  let opened: Opened;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-unpacking-'));
    opened = await open('postgres', folder);
    await makePacked(opened.db);
  });
  afterEach(async () => {
    await opened.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const node = async (until: number) => {
    const now = (await opened.db.time?.()) ?? 0;
    await opened.db.run(sql`insert into nodes (node, alive_until, works) values ('earlier', ${now + until}, 1)`);
  };

  testInFull('stay as they are while a node of that version runs', async () => {
    await node(3_600_000);
    const refused = await shellOf(folder, opened.settings).run('migrate');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /services of the version before run on it\. Stop all of them and start again/);
    await assertUntouched(opened.db);
  });

  testInFull('wait for one that was killed a moment ago', async () => {
    await node(1_500);
    await migrate(opened.db, Date.now());
    await assertUnpacked(opened.db);
  });

  test('are unpacked once by two nodes that start at the same moment', async () => {
    const url = opened.settings['PHAROS_DATABASE_URL'] ?? '';
    const other = openPostgres({ url, poolSize: 3, queryDeadlineMs: 5_000, timeoutMs: patientMs });
    await Promise.all([migrate(opened.db, Date.now()), migrate(other, Date.now())]).finally(() => other.close());
    await assertUnpacked(opened.db);
  });
});

test('packed rows of the version before stay as they are on a disk without space for them', {
  skip: !canMount,
}, async () => {
  const disk = smallDisk(60_000_000);
  assert.ok(disk);
  const { db, settings, close } = await open('sqlite', disk.folder);
  try {
    await makePacked(db);
    const refused = await shellOf(disk.folder, settings).run('migrate');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /^\d+ old records are still packed .* too little space: \d+ MB are missing\. Make room/);
    await assertUntouched(db);
  } finally {
    await close();
    disk.remove();
  }
});
