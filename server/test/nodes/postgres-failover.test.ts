import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { sql } from '../../src/base/sql.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { call, firstCredentials, runCommand, type Service, signInTo, startService } from '../e2e/service.ts';
import { testInFull } from '../support/depth.ts';
import { createPostgresServer, createWire, type PostgresServer } from '../support/servers/postgres-server.ts';

const bothOf = (one: PostgresServer, other: PostgresServer, query = '') =>
  `${one.url.replace('/pharos', `,127.0.0.1:${other.port}/pharos`)}${query}`;

describe('a primary and its standby', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  beforeAll(async () => {
    primary = await createPostgresServer();
    const db = openPostgres({ url: primary.url, poolSize: 1, queryDeadlineMs: 1_000 });
    await migrate(db, 1);
    await db.close();
    standby = await primary.makeStandby();
  });
  afterAll(async () => {
    await standby.remove();
    await primary.remove();
  });

  test('the one that takes writes is found wherever it stands, and a standby alone is told in words', async () => {
    const db = openPostgres({ url: bothOf(standby, primary), poolSize: 2, queryDeadlineMs: 1_000 });
    try {
      await db.run(sql`insert into settings (name, value) values ('found', 'v')`);
      await db.probe?.();
    } finally {
      await db.close();
    }
    const folder = mkdtempSync(join(tmpdir(), 'pharos-standby-'));
    try {
      for (const [command, url] of [
        ['migrate', standby.url],
        ['migrate', `${standby.url}?target_session_attrs=read-write`],
        ['doctor', standby.url],
      ] as const) {
        const { code, output } = await runCommand([command], { PHAROS_DATA: folder, PHAROS_DATABASE_URL: url });
        assert.equal(code, 1, output);
        assert.match(output, /standby/);
        assert.doesNotMatch(output, new RegExp(new URL(standby.url).password));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('after a failover the service goes on with the other one, and nothing that was acknowledged is lost', async () => {
    await primary.query("alter system set synchronous_standby_names = 'standby'", 'select pg_reload_conf()');
    while (!(await primary.query("select 1 from pg_stat_replication where sync_state = 'sync'")).length)
      await delay(20);
    const folder = mkdtempSync(join(tmpdir(), 'pharos-failover-'));
    let service: Service | undefined;
    try {
      service = await startService({ PHAROS_DATA: folder, PHAROS_DATABASE_URL: bothOf(primary, standby) });
      const running = service;
      const headers = await signInTo(running, firstCredentials(folder));
      const column = { key: { type: 'String' } };
      await call(running, 'POST', '/api/v2/data/schema/kept', { headers, body: { column } });
      const acknowledged: string[] = [];
      const statuses = new Set<number>();
      let isOver = false;
      const writers = Array.from({ length: 6 }, async (_, writer) => {
        for (let n = 0; !isOver; n++) {
          const body = { metadata: { key: `${writer}-${n}` } };
          const answer = await call(running, 'POST', '/api/v2/data/bucket/kept', { headers, body });
          statuses.add(answer.status);
          if (answer.status === 201) acknowledged.push(body.metadata.key);
        }
      });
      const more = async (count: number) => {
        const target = acknowledged.length + count;
        while (acknowledged.length < target) await delay(5);
      };
      await more(50);
      await primary.stop('immediate');
      await standby.query('select pg_promote()');
      await more(50);
      isOver = true;
      await Promise.all(writers);
      assert.deepEqual(
        [...statuses].filter((status) => status !== 201 && status !== 503),
        [],
      );
      const stored = await standby.query<{ key: string }>("select doc::json->>'key' as key from records");
      const keys = new Set(stored.map(({ key }) => key));
      assert.deepEqual(
        acknowledged.filter((key) => !keys.has(key)),
        [],
      );
      assert.equal(running.process.exitCode, null, running.output());
      assert.equal((await fetch(`${running.baseUrl}/readyz`)).status, 200);
    } finally {
      if (service) assert.equal(await service.stop('SIGTERM'), 0);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  testInFull('a primary that is made read-only under the service is left for one that is not', async () => {
    const other = await createPostgresServer();
    const url = bothOf(standby, other);
    const password = new URL(standby.url).password;
    await other.query(`alter user postgres password '${password}'`);
    const db = openPostgres({ url, poolSize: 2, queryDeadlineMs: 1_000 });
    const later = openPostgres({
      url: url.replace(`@127.0.0.1:${standby.port},`, '@'),
      poolSize: 1,
      queryDeadlineMs: 1_000,
    });
    try {
      await migrate(later, 1);
      await db.run(sql`insert into settings (name, value) values ('one', 'v')`);
      await standby.query('alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
      for (;;) {
        await db.run(sql`delete from settings where name = 'two'`);
        await db.run(sql`insert into settings (name, value) values ('two', 'v')`);
        const [row] = await standby.query<{ ro: string }>(
          "select current_setting('default_transaction_read_only') as ro",
        );
        if (row?.ro === 'on') break;
      }
      await db.transaction((db) => db.run(sql`insert into settings (name, value) values ('three', 'v')`));
      assert.equal((await later.one(sql`select value from settings where name = 'three'`))?.['value'], 'v');
    } finally {
      await db.close();
      await later.close();
      await other.remove();
    }
  });
});

describe('a service whose database does not answer', () => {
  test('/healthz answers at once and /readyz within two seconds with the truth, whatever becomes of the database', async () => {
    const server = await createPostgresServer();
    const wire = await createWire(server.port);
    const folder = mkdtempSync(join(tmpdir(), 'pharos-ready-'));
    let service: Service | undefined;
    try {
      service = await startService({
        PHAROS_DATA: folder,
        PHAROS_DATABASE_URL: server.urlAt(wire.port),
        PHAROS_DATABASE_TIMEOUT_MS: '30000',
      });
      const running = service;
      const ask = async (path: string) => {
        // Before anything that waits for the database is given up.
        const response = await fetch(running.baseUrl + path, { signal: AbortSignal.timeout(14_000) });
        return { status: response.status, retryAfter: response.headers.get('retry-after') };
      };
      const isDown = async () => {
        assert.deepEqual(await ask('/readyz'), { status: 503, retryAfter: '1' });
        assert.equal((await ask('/healthz')).status, 200);
      };
      const isBack = async () => {
        while ((await ask('/readyz')).status !== 200) await delay(20);
      };
      await isBack();
      wire.cut();
      await isDown();
      await isDown();
      wire.mend();
      await isBack();
      await server.stop('immediate');
      await isDown();
      await server.start();
      await isBack();
      await server.query("alter system set synchronous_standby_names = 'nobody'", 'select pg_reload_conf()');
      while ((await ask('/readyz')).status === 200) await delay(20);
      await isDown();
      await server.query('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
      await isBack();
      assert.equal(running.process.exitCode, null);
    } finally {
      if (service) assert.equal(await service.stop('SIGTERM'), 0);
      await wire.close();
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test('a failed connection to several hosts names each with its reason', async () => {
  const url = 'postgres://u:secret@127.0.0.1:1,localhost:2/db';
  const db = openPostgres({ url, poolSize: 1, queryDeadlineMs: 1_000 });
  const error: unknown = await db.one(sql`select 1 as one`).catch((error: unknown) => error);
  await db.close();
  assert.ok(error instanceof Failure && error.entry.status === 503);
  assert.match((error.cause as Error).message, /127\.0\.0\.1:1: ECONNREFUSED; localhost:2: /);
  assert.doesNotMatch((error.cause as Error).message, /secret/);
});

test('a connection is tried once on each of several hosts that hang up', async () => {
  const tried: number[] = [];
  const hosts = await Promise.all(
    [0, 1].map(async (place) => {
      tried[place] = 0;
      const host = createServer((socket) => {
        tried[place] = (tried[place] ?? 0) + 1;
        socket.on('error', () => undefined).destroy();
      });
      await once(host.listen(0, '127.0.0.1'), 'listening');
      return host;
    }),
  );
  const names = hosts.map((host) => `127.0.0.1:${(host.address() as AddressInfo).port}`);
  const db = openPostgres({ url: `postgres://u:secret@${names}/db`, poolSize: 1, queryDeadlineMs: 1_000 });
  await assert.rejects(db.one(sql`select 1 as one`), Failure);
  await db.close();
  for (const host of hosts) host.close();
  assert.deepEqual(tried, [1, 1]);
});
