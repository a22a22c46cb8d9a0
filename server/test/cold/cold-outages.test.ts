import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { defaultPolicy } from '../../src/access/policy.ts';
import { Failure } from '../../src/base/errors.ts';
import { raw } from '../../src/base/sql.ts';
import { packOld } from '../../src/cold/pack.ts';
import type { Database } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import type { DbTable } from '../../src/db/table.ts';
import { ColdPacking } from '../../src/features/sightings/record/cold-packing.ts';
import { startCutProxy } from '../support/servers/cut-proxy.ts';
import { createPostgresServer, type PostgresServer } from '../support/servers/postgres-server.ts';
import { packedTables } from '../support/storage/cold-data.ts';
import {
  assertEverything,
  chunks,
  chunksOf,
  during,
  everything,
  fillWithPast,
} from '../support/storage/packed-past.ts';
import { canMount, fillUp, smallDisk } from '../support/storage/small-disk.ts';

/** Packing while the database goes away or the disk is full. */

const day = 86_400_000;
/** No other node is there. */
const atOnce = async () => undefined;
const isStorageFailure = (error: unknown) => error instanceof Failure && error.entry.status === 503;

describe('PostgreSQL that goes away in the middle of packing', () => {
  let server: PostgresServer;
  let db: Database;
  const now = Date.now();
  beforeEach(async () => {
    server = await createPostgresServer();
    db = openPostgres({ url: server.url, poolSize: 4, queryDeadlineMs: 30_000, timeoutMs: 10_000 });
    await fillWithPast(db, now, 700);
  });
  afterEach(async () => {
    await db.close();
    await server.remove();
  });

  /** Sweeps until nothing is left to pack; `trouble` comes within every n-th transaction. */
  async function sweepThrough(
    database: Database,
    every: number,
    trouble: () => Promise<void>,
    mend: () => Promise<void>,
  ) {
    let steps = 0;
    const troubled = during(database, async () => {
      if (++steps % every === 0) await trouble();
    });
    const listApps = async () => [{ appId: 'app', policy: defaultPolicy }];
    const packing = new ColdPacking({
      db: troubled,
      now: () => now,
      packedTables,
      coldAfterDays: 40,
      listApps,
      wait: atOnce,
    });
    const errors: unknown[] = [];
    for (let isOver = false; !isOver; ) {
      try {
        await packing.sweep();
        isOver = true;
      } catch (error) {
        assert.ok(error instanceof AggregateError);
        errors.push(...error.errors);
      }
      await mend();
    }
    return errors;
  }

  test('is gone on with by the next sweeps, and nothing is lost or doubled', async () => {
    const before = await everything(db);
    let stops = 0;
    const stop = () => server.stop(stops++ % 2 === 0 ? 'immediate' : 'fast');
    let isStopped = false;
    const errors = await sweepThrough(
      db,
      4,
      async () => {
        await stop();
        isStopped = true;
      },
      async () => {
        if (isStopped) await server.start();
        isStopped = false;
      },
    );
    assert.ok(stops >= 3, `${stops} times`);
    assert.deepEqual(
      errors.filter((error) => !isStorageFailure(error)),
      [],
    );
    await assertEverything(db, before);
    assert.ok((await chunks(db)).length >= 5);
  });

  test('may have packed what it could not confirm: that is neither lost nor packed again', async () => {
    const before = await everything(db);
    const proxy = await startCutProxy(server.port);
    const through = openPostgres({
      url: server.urlAt(proxy.port),
      poolSize: 4,
      queryDeadlineMs: 30_000,
      timeoutMs: 10_000,
    });
    let cuts = 0;
    try {
      const errors = await sweepThrough(
        through,
        3,
        async () => {
          cuts++;
          // The commit gets there, its answer does not come back.
          proxy.cutAllAfter(0);
        },
        async () => proxy.mend(),
      );
      assert.ok(cuts >= 3, `${cuts} times`);
      assert.ok(errors.some((error) => error instanceof Failure && error.isOutcomeUnknown));
      assert.deepEqual(
        errors.filter((error) => !isStorageFailure(error)),
        [],
      );
      await assertEverything(db, before);
    } finally {
      await through.close();
      await proxy.close();
    }
  });

  test('has no room for a chunk: the rows stay, and are packed when there is some', {
    skip: !canMount && 'only as root on Linux',
  }, async () => {
    const before = await everything(db);
    const disk = smallDisk(4_000_000);
    assert.ok(disk);
    try {
      execFileSync('chown', ['postgres', disk.folder]);
      await server.query(
        `create tablespace small location '${disk.folder}'`,
        'alter table cold_chunks set tablespace small',
      );
      const filler = fillUp(disk.folder);
      const packing = { appId: 'app', table: packedTables[1] as DbTable, before: now - 40 * day };
      await assert.rejects(packOld(db, packing), isStorageFailure);
      await assertEverything(db, before);
      rmSync(filler);
      assert.ok((await packOld(db, packing)) > 1_000);
      await assertEverything(db, before);
      await server.query('alter table cold_chunks set tablespace pg_default', 'drop tablespace small');
    } finally {
      disk.remove();
    }
  });
});

test('a full disk of the embedded database leaves every row where it was, and is packed on when there is room', {
  skip: !canMount && 'only as root on Linux',
}, async () => {
  const disk = smallDisk(32_000_000);
  assert.ok(disk);
  const now = Date.now();
  const open = () => openSqlite({ file: join(disk.folder, 'pharos.db'), queryDeadlineMs: 30_000 });
  let db = open();
  try {
    await fillWithPast(db, now, 700);
    const before = await everything(db);
    // Its log is as short as it gets.
    await db.close();
    db = open();
    const filler = fillUp(disk.folder);
    const packed: unknown[] = [];
    for (const table of packedTables)
      packed.push(await packOld(db, { appId: 'app', table, before: now - 40 * day }).catch((error: unknown) => error));
    assert.ok(packed.every(isStorageFailure), String(packed));
    await assertEverything(db, before);
    const events = { appId: 'app', table: packedTables[0] as DbTable, before: now - 40 * day };
    // A little more room each time: at some point the rows could go and their chunk could not be written.
    const count = async () => {
      const stored = await db.one<{ n: number }>(raw('select count(*) as n from events'));
      const packed = await chunksOf(db, events.table);
      return packed.reduce((sum, { row_count }) => sum + Number(row_count), Number(stored?.n));
    };
    let failures = 0;
    for (;;) {
      const answer = await packOld(db, events, { sizes: { small: 64, large: 4_096 } }).catch((error: unknown) => error);
      assert.equal(await count(), before[0]?.length, `with ${failures} times 16 kB of room`);
      if (typeof answer === 'number') break;
      assert.ok(isStorageFailure(answer), String(answer));
      failures++;
      truncateSync(filler, statSync(filler).size - 16_384);
    }
    assert.ok(failures > 5, `${failures} failures`);
    await assertEverything(db, before);
    rmSync(filler);
    for (const table of packedTables) await packOld(db, { appId: 'app', table, before: now - 40 * day });
    await assertEverything(db, before);
    assert.ok((await chunks(db)).length >= 5);
  } finally {
    await db.close();
    disk.remove();
  }
});
