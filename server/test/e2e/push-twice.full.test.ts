import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { type PushProvider, startPushProvider } from '../fakes/push-provider.ts';
import { createPostgresServer, type PostgresServer } from '../support/servers/postgres-server.ts';
import { call, preparePushApp, type Service, signInManagerTo, startService } from './service.ts';

/** A push to many, while something happens that is nobody's crash: everybody gets it once. */

const names = Array.from({ length: 2_000 }, (_, index) => `i${String(index).padStart(6, '0')}`);
const tenMinutes = 600_000;

/** The system's clock, as a process sees it. */
const ahead = (ms: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${ms}`,
});

describe('a push to many', () => {
  let folder: string;
  let postgres: PostgresServer;
  let provider: PushProvider;
  let settings: Record<string, string>;
  let credentials: Readonly<Record<string, string>>;
  let service: Service;
  let headers: Readonly<Record<string, string>>;
  /** By recipient, how often something arrived. */
  const arrived = new Map<string, number>();
  const started: Service[] = [];
  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const one = await startService({ ...settings, ...more });
    started.push(one);
    return one;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-push-twice-'));
    postgres = await createPostgresServer();
    provider = await startPushProvider({ quiet: true });
    const { answer } = provider.fcm;
    provider.fcm.answer = (exchange) => {
      if (exchange.path !== '/token') {
        const { token } = JSON.parse(String(exchange.body)).message;
        arrived.set(token, (arrived.get(token) ?? 0) + 1);
      }
      return answer(exchange);
    };
    writeFileSync(join(folder, 'ca.pem'), provider.ca);
    settings = {
      PHAROS_DATA: folder,
      PHAROS_SECRET_KEY: 'cd'.repeat(32),
      PHAROS_PUSH_URL: provider.origin,
      PHAROS_PUSH_CA: join(folder, 'ca.pem'),
      PHAROS_DATABASE_URL: postgres.url,
    };
    credentials = await preparePushApp(settings, provider, names);
    service = await start();
    headers = await signInManagerTo(service, settings, credentials);
  });
  afterAll(async () => {
    for (const one of started) await one.stop('SIGKILL');
    await provider.close();
    await postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => arrived.clear());

  async function send(by: Service): Promise<void> {
    const sent = await call(by, 'POST', '/api/v2/push/notification', { headers, body: { data: { title: 'Tonight' } } });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
  }

  async function finished(): Promise<void> {
    for (;;) {
      const { body } = await call(service, 'GET', '/api/v2/push/notifications', { headers });
      const pushes: { state: string; audience: number; sent: number }[] | undefined = body.results;
      if (pushes?.every(({ state }) => state === 'done')) {
        for (const { audience, sent } of pushes)
          assert.deepEqual({ audience, sent }, { audience: names.length, sent: names.length });
        break;
      }
      await delay(100);
    }
    assert.equal(arrived.size, names.length);
    assert.deepEqual([...arrived].filter(([, times]) => times > 1).length, 0, 'nobody got it twice');
  }

  test('reaches everybody once beside a node whose clock is ten minutes ahead, or behind', async () => {
    for (const ms of [tenMinutes, -tenMinutes]) {
      const other = await start(ahead(ms));
      const ready = await call(other, 'GET', '/readyz', { headers: {} });
      assert.match(String(ready.body.warnings), /600 s (ahead of|behind) that of the database/);
      for (const by of [service, other]) {
        arrived.clear();
        await send(by);
        await finished();
      }
      assert.match(other.output(), /Set both with NTP/);
      await other.stop('SIGTERM');
    }
  });

  test('is not sent again because what became of it cannot be written for a while', async () => {
    const [client, watcher] = [1, 2].map(() => new pg.Client({ connectionString: postgres.url })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([client.connect(), watcher.connect()]);
    /** When the youngest statement was sent that waits for a lock. */
    const since = async (): Promise<string> => {
      const waiting = "select max(query_start)::text as at from pg_stat_activity where wait_event_type = 'Lock'";
      const { rows } = await watcher.query<{ at: string | null }>(waiting);
      if (rows[0]?.at) return rows[0].at;
      await delay(10);
      return since();
    };
    try {
      await send(service);
      while (arrived.size === 0) await delay(1);
      await client.query('begin');
      await client.query('select 1 from pushes for update');
      // Until the service has waited for the lock in vain, and tries again.
      const first = await since();
      while ((await since()) === first) await delay(50);
      await client.query('rollback');
      await finished();
    } finally {
      await client.end();
      await watcher.end();
    }
  });

  test('is not sent again because the database was restarted', async () => {
    await send(service);
    while (arrived.size < 500) await delay(1);
    await postgres.stop('fast');
    while ((await call(service, 'GET', '/readyz', { headers: {} })).status === 200) await delay(20);
    await postgres.start();
    await finished();
  });
});
