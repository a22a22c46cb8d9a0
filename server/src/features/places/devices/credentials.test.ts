import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { ScriptedSender } from '../../../../test/fakes/scripted-sender.ts';
import {
  buildApp,
  databases,
  otherApp,
  type SignedIn,
  signIn,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { type Browser, openConsole } from '../../../../test/support/console.ts';
import { patientMs } from '../../../../test/support/patience.ts';
import { openDevice } from '../../../../test/support/servers/mqtt-devices.ts';
import { openNode } from '../../../../test/support/site.ts';
import type { DeviceBroker } from '../../../delivery/mqtt/mqtt-device-broker.ts';

for (const database of databases) {
  describe(`credentials of devices on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let browser: Browser;
    let devices: DeviceBroker;
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_MQTT_PORT: '0' } });
      devices = app.app.devices as DeviceBroker;
      await devices.listen(0, '127.0.0.1');
      user = await signIn(app);
      browser = await openConsole(app, 'installer');
    });
    afterAll(() => app.close());

    const body = { deviceName: 'Gate', manufacture: 'Acme', topic: 'museum/gate' };
    const url = (deviceId: string, appId = app.appId) => `/apps/${appId}/devices/${deviceId}/credentials`;
    const register = (change: object = {}) => create(app, '/api/v2/device', { ...body, ...change }, user.headers);
    async function issue(deviceId: string): Promise<{ username: string; password: string; topic: string }> {
      const answer = await browser.send({ method: 'POST', url: url(deviceId) });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.result;
    }
    const publish = (appId = app.appId) =>
      devices.publish({
        id: 'message',
        appId,
        topic: body.topic,
        payload: Buffer.from('{}'),
        timeoutMs: patientMs,
        seconds: 60,
      });

    test('issued credentials let the device in, and are stored only as a hash', async () => {
      const id = await register();
      const before = await browser.send({ method: 'GET', url: url(id) });
      assert.equal(before.body.result.issuedAt, null);
      const { username, password, topic } = await issue(id);
      assert.deepEqual([username, topic], [`${app.appId}/${id}`, body.topic]);
      const device = await openDevice(devices.port, { username, password });
      await device.client.subscribeAsync(topic, { qos: 1 });
      assert.equal(await publish(), 'acknowledged');
      const shown = await browser.send({ method: 'GET', url: url(id) });
      assert.ok(shown.body.result.issuedAt && !JSON.stringify(shown.body).includes(password));
      const rows = await app.storage.db.all({ strings: ['select * from device_credentials'], values: [] });
      assert.ok(!JSON.stringify(rows).includes(password));
      await device.close();
    });

    test('a push reaches a device that listens, and one that is away when it is back', async () => {
      const id = await register({ topic: 'museum/sign' });
      const credentials = await issue(id);
      const installation = { installationId: 'sign', deviceType: 'embedded', deviceToken: 'museum/sign' };
      await create(app, '/api/v2/installations', installation);
      const send = async (title: string) => {
        const push = { data: { title, alert: 'Open' }, where: { deviceType: 'embedded' } };
        const sent = { method: 'POST', url: '/api/v2/push/notification', headers: user.headers, body: push } as const;
        assert.equal((await app.send(sent)).status, 200);
        await app.app.idle();
      };
      await send('while it was away');
      const device = await openDevice(devices.port, credentials);
      await device.client.subscribeAsync('museum/sign', { qos: 1 });
      await device.received(1);
      await send('while it was there');
      await device.received(2);
      assert.deepEqual(
        device.messages.map((text) => JSON.parse(text).title),
        ['while it was away', 'while it was there'],
        'what waited comes when the device is back, not at its next turn',
      );
      await device.close();
    });

    test('new credentials and revoking cut the connection at once', async () => {
      const id = await register();
      const first = await issue(id);
      const old = await openDevice(devices.port, first);
      const second = await issue(id);
      await old.closed;
      await assert.rejects(openDevice(devices.port, first));
      const device = await openDevice(devices.port, second);
      assert.equal((await browser.send({ method: 'DELETE', url: url(id) })).status, 200);
      await device.closed;
      await assert.rejects(openDevice(devices.port, second));
      assert.equal((await browser.send({ method: 'DELETE', url: url(id) })).status, 404);
    });

    test('a device that is deleted or gets another topic is disconnected by the next check', async () => {
      const moved = await register();
      const gone = await register();
      const connected = [
        await openDevice(devices.port, await issue(moved)),
        await openDevice(devices.port, await issue(gone)),
      ];
      const path = (id: string) => `/api/v2/device/${id}`;
      const put = { method: 'PUT', url: path(moved), headers: user.headers, body: { topic: 'museum/hall' } } as const;
      assert.equal((await app.send(put)).status, 200);
      const remove = { method: 'DELETE', url: path(gone), headers: user.headers } as const;
      assert.equal((await app.send(remove)).status, 200);
      await devices.check();
      await Promise.all(connected.map(({ closed }) => closed));
    });

    test("another app's device of the same topic gets nothing, and its credentials open nothing here", async () => {
      const strangers = await otherApp(app);
      const stranger = await signIn(app, strangers);
      const theirId = await create(app, '/api/v2/device', body, { ...strangers, ...stranger.headers });
      const appId = strangers['x-service-appid'] ?? '';
      const answer = await browser.send({ method: 'POST', url: url(theirId, appId) });
      const theirs = answer.body.result;
      assert.equal((await browser.send({ method: 'POST', url: url(theirId) })).status, 404);
      const device = await openDevice(devices.port, theirs);
      await device.client.subscribeAsync(body.topic, { qos: 1 });
      assert.equal(await publish(), 'absent');
      assert.equal(await publish(appId), 'acknowledged');
      for (const username of [
        `${app.appId}/${theirId}`,
        theirId,
        '',
        `${appId}/`,
        `${appId}/${theirId}/x`,
        'a\u0001/b',
      ])
        await assert.rejects(openDevice(devices.port, { username, password: theirs.password }), username);
      await app.app.apps.change(appId, { disabled: true });
      await device.closed;
    });

    test('a deleted device comes back as it was, within an hour with its password, and without what was revoked before', async () => {
      const entryOf = async (deviceId: string) => {
        const { results } = (await browser.send({ method: 'GET', url: `/apps/${app.appId}/trash?kind=devices` })).body;
        return results.find(({ recordId }: { recordId: string }) => recordId === deviceId);
      };
      const remove = async (deviceId: string) => {
        const url = `/api/v2/device/${deviceId}`;
        assert.equal((await app.send({ method: 'DELETE', url, headers: user.headers })).status, 200);
      };
      const restore = async (deviceId: string) => {
        const { objectId } = await entryOf(deviceId);
        const path = `/apps/${app.appId}/trash/${objectId}/restore`;
        const answer = await browser.send({ method: 'POST', url: path });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
      };
      const comesIn = async (credentials: { username: string; password: string }) => {
        const device = await openDevice(devices.port, credentials).catch(() => undefined);
        await device?.close();
        return device !== undefined;
      };
      const id = await register({ deviceName: 'Light' });
      const read = async () =>
        (await app.send({ method: 'GET', url: `/api/v2/device/${id}`, headers: user.headers })).body.result;
      const { updatedAt: _, ...before } = await read();
      const credentials = await issue(id);
      await remove(id);
      assert.equal((await entryOf(id)).title, 'Light');
      assert.equal(await comesIn(credentials), false);
      await restore(id);
      const { updatedAt: __, ...after } = await read();
      assert.deepEqual(after, before);
      assert.equal(await comesIn(credentials), true);

      await browser.send({ method: 'DELETE', url: url(id) });
      await remove(id);
      await restore(id);
      assert.equal(await comesIn(credentials), false);

      const again = await issue(id);
      await remove(id);
      app.clock.now += 3_600_001;
      await restore(id);
      assert.equal(await comesIn(again), false);
      const { body } = await browser.send({ method: 'GET', url: url(id) });
      assert.equal(body.result.issuedAt, null);
    });

    test('credentials that another node revokes end the connection here', async () => {
      const id = await register();
      const device = await openDevice(devices.port, await issue(id));
      const node = await openNode({ app, provider: new ScriptedSender() });
      try {
        const path = `/console/api${url(id)}`;
        const headers = { origin: 'http://pharos.test', cookie: browser.cookie };
        const revoked = await node.app.server.inject({ method: 'DELETE', url: path, headers });
        assert.equal(revoked.statusCode, 200, revoked.payload);
        // On the embedded database another process's change is seen by the next request.
        await app.send({ method: 'GET', url: '/api/v2/users' });
        await device.closed;
      } finally {
        await node.close();
      }
    });
  });
}
