import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { patientMs } from '../../../test/support/patience.ts';
import {
  createPostgresServer,
  createWire,
  type PostgresServer,
  type Wire,
} from '../../../test/support/servers/postgres-server.ts';
import { Failure } from '../../base/errors.ts';
import { raw, sql } from '../../base/sql.ts';
import type { Database } from '../db.ts';
import { migrate } from '../migrate.ts';
import { openPostgres, type PostgresOptions } from './postgres.ts';

/** Can be repeated: one whose outcome is unknown may have been done, as on a machine that is busy for longer than the deadline. */
const insert = (name: string) =>
  sql`insert into settings (name, value) values (${name}, 'v') on conflict (name) do nothing`;
const isRefused = (error: unknown) =>
  error instanceof Failure && error.entry.status === 503 && error.retryAfter !== undefined && !error.isOutcomeUnknown;
const isUnknown = (error: unknown) =>
  error instanceof Failure && error.entry.status === 503 && error.isOutcomeUnknown && error.retryAfter !== undefined;

/** Repeats until it is done. */
async function until<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // Refusals come at once, and asking without a pause would keep the server from coming back.
      await delay(10);
    }
  }
}

describe('PostgreSQL that fails', () => {
  let server: PostgresServer;
  const open: Database[] = [];
  const undo: (() => Promise<unknown>)[] = [];
  const openDatabase = (options: Partial<PostgresOptions> = {}) => {
    const db = openPostgres({ url: server.url, poolSize: 4, queryDeadlineMs: 1_000, timeoutMs: 5_000, ...options });
    open.push(db);
    return db;
  };
  const namesIn = async () =>
    (await server.query<{ name: string }>('select name from settings')).map(({ name }) => name);
  beforeAll(async () => {
    server = await createPostgresServer();
    await migrate(openDatabase(), 1);
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
    await Promise.all(open.splice(0).map((db) => db.close()));
    await server.query('delete from settings');
  });
  afterAll(() => server.remove());

  /** Another client's connection. */
  async function stranger(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    undo.push(() => client.end());
    return client;
  }

  async function wired(options: Partial<PostgresOptions> = {}): Promise<{ db: Database; wire: Wire }> {
    const wire = await createWire(server.port);
    undo.push(() => wire.close());
    return { wire, db: openDatabase({ url: server.urlAt(wire.port), ...options }) };
  }

  for (const how of ['fast', 'immediate'] as const) {
    test(`a ${how} restart under load ends nothing but what was under way, and loses nothing that was acknowledged`, async () => {
      const db = openDatabase();
      const acknowledged: string[] = [];
      const unexpected: unknown[] = [];
      let isOver = false;
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; !isOver; n++) {
          const name = `${how}-${writer}-${n}`;
          const work = n % 2 === 0 ? db.run(insert(name)) : db.transaction((db) => db.run(insert(name)));
          await work.then(
            () => acknowledged.push(name),
            (error: unknown) => {
              if (!isRefused(error) && !isUnknown(error)) unexpected.push(error);
              return delay(10);
            },
          );
          await nextTick();
        }
      });
      for (let restart = 0; restart < 3; restart++) {
        const before = acknowledged.length;
        while (acknowledged.length < before + 50) await delay(10);
        await server.stop(how);
        await server.start();
      }
      const before = acknowledged.length;
      while (acknowledged.length < before + 50) await delay(10);
      isOver = true;
      await Promise.all(writers);
      assert.deepEqual(unexpected, []);
      const stored = new Set(await namesIn());
      assert.deepEqual(
        acknowledged.filter((name) => !stored.has(name)),
        [],
      );
    });
  }

  test('backends that are ended again and again end no process and answer nothing but 503', async () => {
    const db = openDatabase();
    const unexpected: unknown[] = [];
    const acknowledged: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const name = `ended-${writer}-${n}`;
        await db
          .transaction((db) => db.run(insert(name)))
          .then(
            () => acknowledged.push(name),
            (error: unknown) => !isRefused(error) && !isUnknown(error) && unexpected.push(error),
          );
        // Refusals come without a wait: nothing else of this process would go on.
        await nextTick();
        await db.one(raw('select 1 as one')).catch((error: unknown) => !isRefused(error) && unexpected.push(error));
      }
    });
    const admin = await stranger();
    let ended = 0;
    while (ended < 100) {
      const { rowCount } = await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pharos'",
      );
      ended += rowCount ?? 0;
      await delay(5);
    }
    isOver = true;
    await Promise.all(writers);
    assert.deepEqual(unexpected, []);
    const stored = new Set(await namesIn());
    assert.ok(acknowledged.length > 0 && acknowledged.every((name) => stored.has(name)));
  });

  test('a read in steps that fails or stops at its budget leaves its connection to the next statement', async () => {
    const db = openDatabase({ poolSize: 1 });
    const inSteps = (statement: string, characters = 1_000_000) =>
      db.all<{ n: string }>(raw(statement), { tenant: 'app', isBrief: true, within: { characters, rows: 1_000 } });
    const processOf = async () => (await db.one<{ pid: number }>(raw('select pg_backend_pid() as pid')))?.pid;
    const before = await processOf();
    await assert.rejects(inSteps('select nothing'), /nothing/);
    await assert.rejects(inSteps('select 1 / (n - 1) as n from generate_series(1, 1000) as n'), /zero/);
    await assert.rejects(inSteps('select 1 / (n - 700) as n from generate_series(1, 1000) as n'), /zero/);
    await assert.rejects(inSteps('select pg_sleep(60)::text as n'), isRefused);
    const few = await inSteps('select n::text as n from generate_series(1, 1000) as n', 500);
    assert.ok(few.length < 1_000 && few.length > 100, String(few.length));
    assert.equal((await inSteps('select n::text as n from generate_series(1, 1000) as n')).length, 1_000);
    await db.transaction((db) => db.run(insert('after a read in steps')));
    assert.deepEqual(await namesIn(), ['after a read in steps']);
    assert.equal(await processOf(), before);
  });

  test('an idle connection that was ended costs the next statement nothing', async () => {
    const db = openDatabase({ poolSize: 1, timeoutMs: patientMs });
    await until(() => db.run(insert('before')));
    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pharos'");
    assert.equal((await db.one(sql`select name from settings`))?.['name'], 'before');
    await db.transaction((db) => db.run(insert('after')));
  });

  test('a server without a free connection is a 503, and those that are open go on', async () => {
    const db = openDatabase({ poolSize: 4 });
    await until(() => db.run(insert('first')));
    const taken: pg.Client[] = [];
    undo.push(() => Promise.all(taken.map((client) => client.end())));
    for (;;) {
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => undefined);
      const error = await client.connect().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (error) break;
      taken.push(client);
    }
    const results = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => db.run(insert(`n${n}`))));
    assert.ok(results.some(({ status }) => status === 'fulfilled'));
    for (const result of results) if (result.status === 'rejected') assert.ok(isRefused(result.reason), result.reason);
    await db.probe?.();
  });

  test('a locked table refuses what needs it and leaves connections for the rest', async () => {
    const db = openDatabase({ poolSize: 4 });
    const locker = await stranger();
    await locker.query('begin');
    await locker.query('lock table settings in access exclusive mode');
    const blocked = () => Promise.allSettled(Array.from({ length: 40 }, () => db.run(insert('blocked'))));
    const first = await blocked();
    assert.ok(first.every((result) => result.status === 'rejected' && isRefused(result.reason)));
    // From now on waiting is known to be in vain: requests that need the table must not block the others.
    let isOver = false;
    const flood = Promise.all(
      Array.from({ length: 20 }, async () => {
        while (!isOver) {
          await db.run(insert('blocked')).catch((error: unknown) => assert.ok(isRefused(error)));
          await nextTick();
        }
      }),
    );
    for (let n = 0; n < 20; n++) assert.ok(await db.one(raw("select n from revisions where name = 'access'")));
    await db.probe?.();
    isOver = true;
    await flood;
    await locker.query('rollback');
    await until(() => db.run(insert('free')));
    assert.deepEqual(await namesIn(), ['free']);
  });

  test('a server that vanishes silently is noticed by waiting requests, and used again as soon as it is back', async () => {
    const { db, wire } = await wired();
    const troubles: string[] = [];
    db.onTrouble?.((trouble) => troubles.push(trouble ? 'lost' : 'back'));
    await Promise.all(Array.from({ length: 4 }, (_, n) => until(() => db.run(insert(`before${n}`)))));
    wire.cut();
    const late = await Promise.allSettled([
      ...Array.from({ length: 10 }, (_, n) => db.run(insert(`lost${n}`))),
      db.one(raw('select 1 as one')),
      db.transaction((db) => db.run(insert('in a transaction'))),
      db.probe?.(),
    ]);
    for (const result of late) {
      assert.equal(result.status, 'rejected');
      assert.ok(isRefused(result.reason) || isUnknown(result.reason), String(result.reason?.stack));
    }
    // Known to be gone, it is not awaited again.
    await assert.rejects(db.run(insert('refused')), isRefused);
    wire.mend();
    await until(() => db.run(insert('back')));
    // On a busy machine the next question may come too late, too.
    await until(async () => db.probe?.());
    assert.ok((await namesIn()).includes('back'));
    assert.deepEqual([troubles[0], troubles.at(-1)], ['lost', 'back']);
  });

  test('connections that have died silently while they were idle fail one request, and not one each', async () => {
    const { db, wire } = await wired();
    await Promise.all(Array.from({ length: 4 }, () => until(() => db.one(raw('select pg_sleep(0.1)')))));
    wire.cut();
    wire.mend();
    await assert.rejects(db.run(insert('lost')), isUnknown);
    const next = () =>
      db.run(insert('next')).catch((error: unknown) => {
        assert.ok(!isUnknown(error), 'another dead connection was used');
        throw error;
      });
    for (let n = 0; n < 4; n++) await until(next);
  });

  test('a process that stood still while it asked whether the server is there does not take it for gone', async () => {
    const db = openDatabase({ timeoutMs: 2_000 });
    const long = db.longTransaction((db) => db.one<{ slept: string }>(raw("select 'yes' as slept from pg_sleep(4)")));
    const isAsleep = async () =>
      (await server.query("select from pg_stat_activity where wait_event = 'PgSleep'")).length > 0;
    while (!(await isAsleep())) await nextTick();
    let stood = 0;
    const standStill = () => {
      unsubscribe('net.client.socket', standStill);
      for (const over = performance.now() + 1_000; performance.now() < over; ) stood++;
    };
    subscribe('net.client.socket', standStill);
    assert.equal((await long)?.slept, 'yes');
    assert.ok(stood > 0);
  });

  test('a hanging server leads to 503 in time, and work resumes when it does', async () => {
    const db = openDatabase();
    await until(() => db.run(insert('before')));
    const pids = (
      await server.query<{ pid: number }>("select pid from pg_stat_activity where application_name = 'pharos'")
    ).map(({ pid }) => pid);
    const signalAll = (signal: NodeJS.Signals) => {
      for (const pid of pids) process.kill(pid, signal);
      server.signal(signal);
    };
    signalAll('SIGSTOP');
    try {
      await assert.rejects(db.run(insert('hung')), isUnknown);
      await assert.rejects(async () => db.probe?.(), isRefused);
    } finally {
      signalAll('SIGCONT');
    }
    await until(() => db.run(insert('after')));
  });

  /** A reload reaches the server's processes one after the other: waits until a commit really waits for the standby. */
  async function untilStandbyIsAsked(admin: pg.Client) {
    for (let isAsked = false; !isAsked; ) {
      const probe = await stranger();
      const pid = (await probe.query('select pg_backend_pid() as pid')).rows[0].pid as number;
      let isOver = false;
      const commit = probe.query("select pg_logical_emit_message(true, 'probe', '')").finally(() => {
        isOver = true;
      });
      while (!isOver && !isAsked) {
        const waits = `select from pg_stat_activity where pid = ${pid} and wait_event = 'SyncRep'`;
        isAsked = (await admin.query(waits)).rowCount === 1;
      }
      if (isAsked) await admin.query(`select pg_cancel_backend(${pid})`);
      await commit;
    }
  }

  test('a commit that no standby confirms is unknown, does not take the pool, and works again once one does', async () => {
    const db = openDatabase();
    await server.query("alter system set synchronous_standby_names = 'nobody'", 'select pg_reload_conf()');
    const reset = () => server.query('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
    undo.push(reset);
    await untilStandbyIsAsked(await stranger());
    await assert.rejects(
      db.transaction((db) => db.run(insert('unconfirmed'))),
      isUnknown,
    );
    const others = await Promise.allSettled(Array.from({ length: 30 }, (_, n) => db.run(insert(`other${n}`))));
    assert.ok(
      others.every((result) => result.status === 'rejected' && isRefused(result.reason)),
      'none was begun',
    );
    assert.ok(await db.one(raw("select n from revisions where name = 'access'")), 'reads go on');
    await assert.rejects(async () => db.probe?.(), isRefused);
    const [waiting] = await server.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep'",
    );
    assert.ok((waiting?.n ?? 99) <= 3, `${waiting?.n} backends of the server wait`);
    await reset();
    await until(() => db.run(insert('confirmed')));
    assert.deepEqual((await namesIn()).sort(), ['confirmed', 'unconfirmed']);
  });

  test("limits that the database's administrator has set do not end what the service does", async () => {
    const limits = ['transaction_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout'];
    undo.push(() => server.query(...limits.map((name) => `alter database pharos reset ${name}`)));
    // A connection that is being made, and the test's own, are subject to them.
    await server.query(...limits.map((name) => `alter database pharos set ${name} = '2s'`));
    const db = openDatabase({ timeoutMs: patientMs });
    await db.transaction(async (db) => {
      await db.run(insert('slow'));
      await db.one(raw('select pg_sleep(2.5)'));
    });
    await undo.pop()?.();
    assert.deepEqual(await namesIn(), ['slow']);
  });

  test('a transaction that the server ends because it takes too long has failed, and may be sent again', async () => {
    const db = openDatabase({ timeoutMs: patientMs });
    await assert.rejects(
      db.transaction(async (db) => {
        await db.run(raw("set local transaction_timeout = '50ms'"));
        await db.one(raw('select pg_sleep(1)'));
      }),
      isRefused,
    );
  });

  for (const how of ['cancel', 'terminate'] as const) {
    test(`a commit whose wait for the standby an administrator ends (${how}) is not acknowledged`, async () => {
      const db = openDatabase({ timeoutMs: patientMs });
      await until(() => db.run(insert('before')));
      await server.query("alter system set synchronous_standby_names = 'nobody'", 'select pg_reload_conf()');
      undo.push(() => server.query('alter system reset synchronous_standby_names', 'select pg_reload_conf()'));
      const admin = await stranger();
      await untilStandbyIsAsked(admin);
      const endWaits = async () => {
        for (let ended = 0; ended === 0; ) {
          const { rowCount } = await admin.query(
            `select pg_${how}_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
          );
          ended += rowCount ?? 0;
        }
      };
      await Promise.all([
        assert.rejects(
          db.transaction((db) => db.run(insert('transaction'))),
          isUnknown,
        ),
        endWaits(),
      ]);
      await Promise.all([assert.rejects(db.run(insert('statement')), isUnknown), endWaits()]);
      assert.deepEqual((await namesIn()).sort(), ['before', 'statement', 'transaction'], 'one machine has them');
    });
  }

  test('a transaction that PostgreSQL rolled back at its commit is not acknowledged', async () => {
    const db = openDatabase({ timeoutMs: patientMs });
    const work = db.transaction(async (db) => {
      await db.run(insert('lost'));
      await db.run(raw('select nonsense')).catch(() => undefined);
    });
    await assert.rejects(work);
    assert.deepEqual(await namesIn(), []);
  });

  test('a migration may wait for a lock for as long as it takes', async () => {
    const db = openDatabase({ timeoutMs: 10_000 });
    const locker = await stranger();
    await locker.query('begin');
    await locker.query('lock table settings in access exclusive mode');
    await assert.rejects(
      db.transaction((db) => db.run(insert('short'))),
      isRefused,
    );
    const long = db.longTransaction((db) => db.run(insert('long')));
    await locker.query('select pg_sleep(11)');
    await locker.query('commit');
    await long;
    assert.deepEqual(await namesIn(), ['long']);
  });
});
