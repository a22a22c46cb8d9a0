import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createMigratedPostgres } from '../../support/build-app.ts';
import { testInFull } from '../../support/depth.ts';
import { openStream } from '../../support/event-stream.ts';
import { openDevice } from '../../support/servers/mqtt-devices.ts';
import { freePort } from '../../support/socket.ts';
import { call, firstCredentials, runCommand, type Service, signInTo, startService } from '../service.ts';

describe('serve --processes', () => {
  let folder: string;
  let postgres: Awaited<ReturnType<typeof createMigratedPostgres>>;
  let settings: Readonly<Record<string, string>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-processes-'));
    postgres = await createMigratedPostgres();
    settings = { PHAROS_DATA: folder, PHAROS_DATABASE_URL: postgres.url, PHAROS_SECRET_KEY: 'ef'.repeat(32) };
  });
  afterAll(async () => {
    await postgres.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (more: Readonly<Record<string, string>> = {}) =>
    startService({ ...settings, ...more }, '0', '--processes', '2');
  const childrenOf = ({ process }: Service) =>
    execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([parent, pid = 0]) => (parent === process.pid ? pid : []));
  /** Whose numbers are in the metrics; each is asked for over a connection of its own. */
  async function serving({ baseUrl }: Service): Promise<string[]> {
    const answer = await fetch(`${baseUrl}/metrics`, { headers: { connection: 'close' } }).catch(() => undefined);
    const text = (await answer?.text()) ?? '';
    return [...text.matchAll(/^pharos_jobs\{state="dead",process="(\d+)"\}/gm)].map(([, number]) => number ?? '');
  }
  async function until(service: Service, numbers: readonly string[]): Promise<void> {
    while ((await serving(service)).join() !== numbers.join()) await delay(50);
  }

  test('one port has all of them; each tells all listeners, one that is killed is replaced, and all stop together', async () => {
    const service = await start();
    try {
      await until(service, ['1', '2']);
      assert.equal(service.output().match(/listens on/g)?.length, 1, 'one says it for all');
      const headers = await signInTo(service, firstCredentials(folder));
      const port = Number(new URL(service.baseUrl).port);
      // Connections are dealt out in turn.
      const open = () => openStream(port, '/api/v2/stream', { ...headers, accept: 'text/event-stream' });
      const streams = [await open(), await open()];
      for (const stream of streams) await stream.ready;
      const post = async (path: string, body: object) => {
        const answer = await call(service, 'POST', `/api/v2/${path}`, { headers, body });
        assert.ok(answer.status < 300, JSON.stringify(answer.body));
        return answer.body.result;
      };
      const hall = { name: 'Hall', uuid: crypto.randomUUID(), major: 1, minor: 1 };
      const { objectId: beacon } = await post('beacons', hall);
      await post('installations', { installationId: 'phone-1', deviceType: 'android' });
      await post('sightings', {
        installationId: 'phone-1',
        sightings: [{ beacon, event: 'ENTER', occurredAt: new Date().toISOString() }],
      });
      for (const stream of streams) await stream.received(1);

      const [one = 0] = childrenOf(service);
      process.kill(one, 'SIGKILL');
      await until(service, ['2', '3']);
      assert.match(service.output(), /process 1 ended by SIGKILL and is replaced/);
      assert.equal((await call(service, 'GET', '/api/v2/beacons', { headers })).body.results.length, 1);
      assert.equal(await service.stop('SIGTERM'), 0, service.output());
      for (const stream of streams) await stream.ended;
      assert.deepEqual(childrenOf(service), []);
    } finally {
      await service.stop('SIGKILL');
    }
  });

  test('a connection that was dealt to one that is killed is closed, and its client learns it', async () => {
    const service = await start();
    try {
      await until(service, ['1', '2']);
      const [one = 0] = childrenOf(service);
      process.kill(one, 'SIGSTOP');
      const ask = () =>
        fetch(`${service.baseUrl}/healthz`).then(
          ({ status }) => status,
          () => 'closed',
        );
      // Connections are dealt out in turn.
      const asked = [ask(), ask()];
      assert.equal(await Promise.race(asked), 200, 'the other one answers');
      process.kill(one, 'SIGKILL');
      assert.deepEqual((await Promise.all(asked)).sort(), [200, 'closed']);
    } finally {
      await service.stop('SIGKILL');
    }
  });

  test('the embedded database belongs to one', async () => {
    const { code, output } = await runCommand(['serve', '--processes', '2'], { PHAROS_DATA: folder });
    assert.equal(code, 2);
    assert.match(output, /PHAROS_PROCESSES above 1 needs PostgreSQL, since the embedded database belongs to one/);
  });

  testInFull('devices reach it over one port, too; and when too many crash it ends', async () => {
    const mqttPort = await freePort();
    const service = await start({ PHAROS_MQTT_PORT: String(mqttPort) });
    try {
      await until(service, ['1', '2']);
      // Both answer, and neither knows this device.
      for (let n = 0; n < 2; n++) await assert.rejects(openDevice(mqttPort, { username: 'x/y', password: 'z' }));
      const ended = new Promise((resolve) => service.process.once('exit', resolve));
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      while (!isOver) {
        for (const pid of childrenOf(service))
          try {
            process.kill(pid, 'SIGKILL');
          } catch {
            // It has just ended.
          }
        await delay(50);
      }
      assert.equal(await ended, 1);
      assert.match(service.output(), /More than 10 processes have crashed within a minute/);
    } finally {
      await service.stop('SIGKILL');
    }
  });

  testInFull('it does not start if the first cannot', async () => {
    const taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    const { port } = taken.address() as { port: number };
    await assert.rejects(startService(settings, String(port), '--processes', '2'), (error: Error) => {
      assert.match(error.message, /is in use/);
      assert.match(error.message, /The service has not started: its first process ended with exit code 1/);
      return true;
    });
    taken.close();
  });
});
