import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { service as byService } from '../../src/access/audit.ts';
import { createServices } from '../../src/app/services.ts';
import { openDatabase } from '../../src/cli/commands/storage.ts';
import { readConfig } from '../../src/config/config.ts';
import { createDeviceCredentials } from '../../src/features/places/devices/credentials.ts';
import { createMigratedPostgres } from '../support/build-app.ts';
import { openDevice, type TestDevice } from '../support/servers/mqtt-devices.ts';
import { freePort } from '../support/socket.ts';
import { call, type Service, signInManagerTo, startService } from './service.ts';

const topic = 'museum/gate';

test('a device gets each message once, whichever node it is made on, and when its node is killed with -9', async () => {
  const postgres = await createMigratedPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'pharos-devices-'));
  const common = {
    PHAROS_DATABASE_URL: postgres.url,
    PHAROS_SECRET_KEY: 'ef'.repeat(32),
    PHAROS_DATA: folder,
  };
  const services: Service[] = [];
  const devices: TestDevice[] = [];
  const db = await openDatabase(readConfig(common));
  try {
    const ownServices = createServices({ db, now: Date.now });
    const { appId, appKey } = await ownServices.apps.create('Museum');
    const credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey };
    const ports = [await freePort(), await freePort()];
    for (const port of ports)
      services.push(await startService({ ...common, PHAROS_MQTT_PORT: String(port), PHAROS_MQTT_HOST: '127.0.0.1' }));
    const [first, second] = services as [Service, Service];
    const headers = await signInManagerTo(second, common, credentials);
    const post = async (path: string, body: object, status: number) => {
      const answer = await call(second, 'POST', path, { headers, body });
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      return answer.body;
    };
    const device = { deviceName: 'Gate', manufacture: 'Acme', topic };
    const { result } = await post('/api/v2/device', device, 201);
    await post('/api/v2/installations', { installationId: 'gate', deviceType: 'embedded', deviceToken: topic }, 201);
    const issuing = createDeviceCredentials({ db, cacheVersion: ownServices.cacheVersion, now: Date.now });
    const { username, password } = await issuing.issue(appId, [result].flat()[0].objectId, byService);

    const listenAt = async (port: number | undefined) => {
      const opened = await openDevice(port ?? 0, { username, password, clientId: 'gate' });
      devices.push(opened);
      await opened.client.subscribeAsync(topic, { qos: 1 });
      return opened;
    };
    const push = (alert: string) =>
      post('/api/v2/push/notification', { data: { title: 'Gate', alert }, where: { deviceType: 'embedded' } }, 200);
    const states = async () => {
      const { body } = await call(second, 'GET', '/api/v2/deliveries', { headers });
      return body.results.map(({ state }: { state: string }) => state);
    };
    const allSent = async (count: number) => {
      for (;;) {
        const now = await states();
        if (now.length === count && now.every((state: string) => state === 'sent')) return;
        await delay(50);
      }
    };

    const before = await listenAt(ports[0]);
    await push('Open');
    await before.received(1);
    await allSent(1);

    await first.stop('SIGKILL');
    await before.closed;
    // Nobody has told the others yet that the node is gone.
    await push('Closing');
    await push('Closed');
    const later = await listenAt(ports[1]);
    await later.received(2);
    await allSent(3);
    const texts = (all: readonly string[]) => all.map((one) => JSON.parse(one).body);
    assert.deepEqual([texts(before.messages), texts(later.messages).sort()], [['Open'], ['Closed', 'Closing']]);
  } finally {
    for (const one of devices) await one.close();
    for (const one of services) await one.stop('SIGKILL');
    await db.close();
    await postgres.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});
