import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { service as byService } from '../../src/access/audit.ts';
import { createServices } from '../../src/app/services.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { readConfig } from '../../src/config/config.ts';
import { createMigratedPostgres } from '../support/build-app.ts';
import { openStream } from '../support/event-stream.ts';
import { type Service, signInManagerTo, startService } from './service.ts';

const drainMs = 1_500;
const checkMs = 100;

/** A load balancer as small as can be: it asks /readyz, keeps connections open, and repeats nothing. */
class Balancer {
  readonly #nodes = new Map<number, { isUp: boolean; agent: Agent }>();
  readonly #server = createServer((incoming, answer) => this.#pass(incoming, answer));
  readonly #timer = setInterval(() => void this.#check(), checkMs);
  #turn = 0;

  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves once it gets requests. */
  async add({ baseUrl }: Service): Promise<void> {
    this.#nodes.set(Number(new URL(baseUrl).port), { isUp: false, agent: new Agent({ keepAlive: true }) });
    await this.#check();
  }

  remove({ baseUrl }: Service): void {
    this.#nodes.delete(Number(new URL(baseUrl).port));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #check(): Promise<void> {
    for (const [port, node] of this.#nodes)
      node.isUp = await fetch(`http://127.0.0.1:${port}/readyz`)
        .then(({ status }) => status === 200)
        .catch(() => false);
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const up = [...this.#nodes].filter(([, { isUp }]) => isUp);
    const [port, node] = up[this.#turn++ % up.length] ?? [];
    if (port === undefined || !node) return void answer.writeHead(502).end('no node is ready');
    const { method, url, headers } = incoming;
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers, agent: node.agent }, (got) => {
      const { connection: _, ...rest } = got.headers;
      answer.writeHead(got.statusCode ?? 502, rest).flushHeaders();
      got.pipe(answer);
      got.on('error', () => answer.destroy());
    });
    passed.on('error', (error) => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end(String(error));
    });
    incoming.pipe(passed);
    answer.on('close', () => {
      // A connection that is done with already belongs to another request.
      if (!answer.writableFinished) passed.destroy();
    });
  }
}

test('two nodes are replaced one after the other, and no request is refused', async () => {
  const postgres = await createMigratedPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'pharos-rolling-'));
  const settings = {
    PHAROS_DATABASE_URL: postgres.url,
    PHAROS_DATA: folder,
    PHAROS_SECRET_KEY: 'ab'.repeat(32),
    PHAROS_DRAIN_MS: String(drainMs),
    PHAROS_CONNECTIONS_PER_ADDRESS: '0',
  };
  const balancer = new Balancer();
  let isOver = false;
  const running = new Set<Service>();
  const start = async (): Promise<Service> => {
    const node = await startService(settings);
    running.add(node);
    await balancer.add(node);
    return node;
  };
  try {
    const port = await balancer.listen();
    const db = await openDatabase(readConfig(settings));
    const first = await start();
    const { apps } = createServices({ db, now: Date.now });
    const { appId, appKey } = await apps.create('Museum');
    const { policy } = await apps.get(appId);
    await apps.change(appId, { policy: { rateLimit: { ...policy.rateLimit, enabled: false } } }, byService);
    await db.close();
    const credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey };
    const headers = { ...(await signInManagerTo(first, settings, credentials)), 'content-type': 'application/json' };
    const olds = [first, await start()];
    const [failed, acknowledged]: [string[], Set<string>] = [[], new Set()];
    const client = async (name: number) => {
      for (let count = 0; !isOver && failed.length === 0; count++) {
        const body = JSON.stringify({
          name: `hall ${name}.${count}`,
          uuid: crypto.randomUUID(),
          major: name,
          minor: count % 65_536,
        });
        const answer = await fetch(`http://127.0.0.1:${port}/api/v2/beacons`, { method: 'POST', headers, body }).catch(
          (error: Error) => error,
        );
        if (answer instanceof Error) {
          failed.push(String(answer.cause ?? answer));
          continue;
        }
        const text = await answer.text();
        if (answer.status === 201) acknowledged.add(JSON.parse(text).result.objectId);
        else failed.push(`${answer.status} ${text}`);
        // Enough to meet a node that stops; more would only occupy the machine.
        await delay(10);
      }
    };
    const clients = [1, 2, 3].map(client);
    const stream = await openStream(port, '/api/v2/stream', { ...headers, accept: 'text/event-stream' });
    assert.equal(stream.status, 200);
    for (const old of olds) {
      await start();
      assert.equal(await old.stop('SIGTERM'), 0, old.output());
      balancer.remove(old);
      running.delete(old);
    }
    await stream.ended;
    const again = await openStream(port, '/api/v2/stream', { ...headers, accept: 'text/event-stream' });
    assert.equal(again.status, 200, 'listening goes on at another node');
    again.close();
    isOver = true;
    await Promise.all(clients);
    assert.deepEqual(failed, []);
    const after = await fetch(`http://127.0.0.1:${port}/api/v2/beacons?count=1&limit=1`, { headers });
    assert.equal(JSON.parse(await after.text()).count, acknowledged.size, 'everything that was acknowledged is there');
    assert.ok(acknowledged.size > 20, String(acknowledged.size));
  } finally {
    isOver = true;
    for (const node of running) await node.stop('SIGKILL');
    balancer.close();
    await postgres.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});
