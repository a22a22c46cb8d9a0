import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type App, createApp } from '../../src/app/app.ts';
import { raw, sql } from '../../src/base/sql.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { listPartitions, tablesInPartitions } from '../../src/db/partitions.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { createPostgresDatabase } from '../support/build-app.ts';
import type { PostgresDatabase } from '../support/migrated.ts';

/** `pharos migrate --partition` on a database in use, which others hold, and which ends it in the middle (ADR 69). */

describe('migrate --partition', () => {
  let database: PostgresDatabase;
  let db: Database;
  let app: App;
  const folder = mkdtempSync(join(tmpdir(), 'pharos-partition-command-'));
  const written: string[] = [];
  const refused: string[] = [];
  let [isStopping, writing] = [false, Promise.resolve()];

  beforeAll(async () => {
    database = await createPostgresDatabase();
    db = openPostgres({ url: database.url, poolSize: 4, queryDeadlineMs: 5_000 });
    // A database of the version before partitions, which an update leaves in one piece.
    await migrate(db, Date.now(), 98);
    await migrate(db, Date.now());
    const config = readConfig({
      PHAROS_DATABASE_URL: database.url,
      PHAROS_DATA: folder,
      PHAROS_PUBLIC_URL: 'http://pharos.test',
      PHAROS_LOG_LEVEL: 'silent',
    });
    app = await createApp({ config, db, now: Date.now });
    const { appId, appKey } = await app.apps.create('Old');
    const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey, 'content-type': 'application/json' };
    const post = (path: string, body: object) =>
      app.server.inject({ method: 'POST', url: `/api/v2/${path}`, headers, payload: JSON.stringify(body) });
    await db.run(sql`insert into beacons (app_id, object_id, name, uuid, uuid_key, major, minor, metadata, created_at, updated_at)
      values (${appId}, 'hall', 'Hall', 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', 'b9407f30f5f8466eaff925556b57fe6d', 1, 1, '{}', 0, 0)`);
    const record = {
      event: 'ENTER',
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId: 'hall' },
      moduleType: 'PRESENCE',
    };
    writing = (async () => {
      for (let n = 0; !isStopping; n++) {
        const answer = await post('logs', { ...record, eventId: `event-${n}` });
        if (answer.statusCode === 201) written.push(`event-${n}`);
        else refused.push(answer.body);
        await delay(5);
      }
    })();
  });
  afterAll(async () => {
    isStopping = true;
    await writing;
    await app.close();
    await db.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The command, as somebody runs it beside the service. */
  async function run() {
    const said: string[] = [];
    const terminal = {
      out: (text: string) => void said.push(text),
      err: (text: string) => void said.push(text),
      readInput: async () => '',
      isInteractive: false,
    };
    const environment = { PHAROS_DATABASE_URL: database.url, PHAROS_DATA: folder };
    const code = await runCommandLine({ words: ['migrate', '--partition'], environment, terminal });
    return { code, said: said.join('\n') };
  }
  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return client;
  }
  async function until<T>(find: () => Promise<T[]>): Promise<T[]> {
    for (;;) {
      const found = await find();
      if (found.length > 0) return found;
      await delay(20);
    }
  }
  const whole = async () => {
    const left: string[] = [];
    for (const table of tablesInPartitions) if ((await listPartitions(db, table)).length === 0) left.push(table);
    return left;
  };

  test('that is ended while it makes an index leaves a service that works', async () => {
    const reader = await connected();
    try {
      // An index that is made beside writes waits for whoever has begun to read before.
      await reader.query('begin isolation level repeatable read; select 1');
      const running = run();
      const [maker] = await until(() =>
        db.all<{ pid: number }>(
          raw(`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like 'create index concurrently%'`),
        ),
      );
      await reader.query('select pg_terminate_backend($1)', [maker?.pid]);
      const { code, said } = await running;
      assert.equal(code, 1, said);
      assert.match(said, /^PostgreSQL at \S+ cannot be reached \(Connection terminated unexpectedly\)/);
    } finally {
      await reader.end();
    }
    assert.deepEqual(await whole(), [...tablesInPartitions]);
    const unusable = await db.all(raw('select 1 as found from pg_index where not indisvalid'));
    assert.equal(unusable.length, 1, 'half an index is left');
  });

  test('says that a table is held by somebody, when what came before it is done', async () => {
    const holder = await connected();
    try {
      await holder.query('begin; select 1 from verdicts limit 1');
      const { code, said } = await run();
      assert.equal(code, 1, said);
      assert.match(said, /The data is locked by another operation\. Try again\./);
      assert.deepEqual(await whole(), ['verdicts', 'visits', 'deliveries']);
    } finally {
      await holder.end();
    }
  });

  test('goes on where it was when it is run again', async () => {
    const { code, said } = await run();
    assert.equal(code, 0, said);
    assert.match(said, /In partitions: verdicts, visits, deliveries\./);
    assert.deepEqual(await whole(), []);
    assert.match((await run()).said, /All tables are in partitions\./);
  });

  test('loses nothing that was written beside it, and leaves nothing of its own behind', async () => {
    const before = written.length;
    while (written.length < Math.max(before, 50) + 5 && refused.length === 0) await delay(5);
    isStopping = true;
    await writing;
    assert.deepEqual(refused.slice(0, 3), []);
    assert.ok(written.length > 50, `${written.length} were written`);
    const rows = await db.all<{ event_id: string }>(raw('select event_id from logs where event_id is not null'));
    assert.deepEqual(rows.map(({ event_id }) => event_id).sort(), [...written].sort());
    const left = await db.all<{ name: string }>(
      raw(`select conname as name from pg_constraint where conname like '%_in_time'
        union all select relname from pg_class where relname like '%_new' and relkind in ('r', 'p')
        union all select c.relname from pg_index x join pg_class c on c.oid = x.indexrelid where not x.indisvalid`),
    );
    assert.deepEqual(left, []);
    // The same indexes as a database that was born in partitions, by name and definition.
    const born = await createPostgresDatabase();
    const other = openPostgres({ url: born.url, poolSize: 2, queryDeadlineMs: 5_000 });
    const indexes = (of: Database) =>
      of.all(
        raw(`select indexname, indexdef from pg_indexes where tablename in ('logs', 'events', 'verdicts', 'visits', 'deliveries')
          order by indexname`),
      );
    try {
      await migrate(other, Date.now());
      assert.deepEqual(await indexes(db), await indexes(other));
    } finally {
      await other.close();
      await born.drop();
    }
  });
});
