import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../src/access/audit.ts';
import { raw } from '../../src/base/sql.ts';
import type { DeviceBroker } from '../../src/delivery/mqtt/mqtt-device-broker.ts';
import { buildApp, databases, signIn, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, openConsole } from '../support/console.ts';
import { openDevice } from '../support/servers/mqtt-devices.ts';

const minuteMs = 60_000;
const settings = (subject: string) => ({ settings: { generate: true, subject } });

for (const database of databases) {
  describe(`what stops visitors from being served can be taken back on ${database}`, () => {
    let app: TestApp;
    let owner: Browser;
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_MQTT_PORT: '0' } });
      owner = await openConsole(app, 'owner');
    });
    afterAll(() => app.close());

    async function ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
      app.clock.now += 1_000;
      const url = `/apps/${app.appId}${path}`;
      return owner.send({ method, url, ...(body === undefined ? {} : { body }) });
    }
    async function done(...asked: Parameters<typeof ask>) {
      const answer = await ask(...asked);
      assert.ok(answer.status < 300, `${asked[1]}: ${JSON.stringify(answer.body)}`);
      return answer.body.result;
    }
    const refused = async (...asked: Parameters<typeof ask>) => {
      const { status, body } = await ask(...asked);
      return [status, body.code];
    };

    test('a sender that was removed or replaced, unless somebody has entered others since', async () => {
      const webPush = async () => {
        const { body } = await ask('GET', '/senders');
        return body.results.find(({ kind }: { kind: string }) => kind === 'webpush');
      };
      await done('PUT', '/senders/webpush', settings('mailto:first@museum.example'));
      const first = (await webPush()).summary;
      await done('DELETE', '/senders/webpush');
      const { isSetUp, summary } = await webPush();
      assert.deepEqual([isSetUp, summary], [false, {}]);
      assert.deepEqual(await done('POST', '/senders/webpush/restore', { updatedAt: null }), await webPush());
      assert.deepEqual((await webPush()).summary, first);
      assert.equal((await done('POST', '/senders/webpush/test', {})).ok, true, 'with the very keys');
      assert.deepEqual(await refused('POST', '/senders/webpush/restore', { updatedAt: null }), [404, 101], 'once');

      const { updatedAt } = await done('PUT', '/senders/webpush', settings('mailto:second@museum.example'));
      await done('PUT', '/senders/webpush', settings('mailto:third@museum.example'));
      assert.deepEqual(await refused('POST', '/senders/webpush/restore', { updatedAt }), [412, 138]);
      const third = (await webPush()).updatedAt;
      const { subject } = (await done('POST', '/senders/webpush/restore', { updatedAt: third })).summary;
      assert.equal(subject, 'mailto:second@museum.example');
    });

    test('the credentials of a device that were revoked or replaced: it connects with its own password again', async () => {
      const devices = app.app.devices as DeviceBroker;
      await devices.listen(0, '127.0.0.1');
      const { headers } = await signIn(app);
      const sign = { deviceName: 'Sign', manufacture: 'Acme', topic: 'museum/sign' };
      const path = `/devices/${await create(app, '/api/v2/device', sign, headers)}/credentials`;
      const first = await done('POST', path);
      await done('DELETE', path);
      await assert.rejects(openDevice(devices.port, first));
      assert.equal((await done('POST', `${path}/restore`, { issuedAt: null })).issuedAt, first.issuedAt);
      await (await openDevice(devices.port, first)).close();

      const second = await done('POST', path);
      assert.deepEqual(await refused('POST', `${path}/restore`, { issuedAt: first.issuedAt }), [412, 138]);
      await done('POST', `${path}/restore`, { issuedAt: second.issuedAt });
      await assert.rejects(openDevice(devices.port, second));
      await (await openDevice(devices.port, first)).close();
    });

    test("a key of the app that was switched off, also in the new one's place", async () => {
      const made = await app.app.apps.create('Castle', service, 'visitors');
      const of = `/apps/${made.appId}/keys`;
      const send = (url: string, method: 'POST' | 'DELETE' = 'POST', body = {}) => owner.send({ method, url, body });
      const isServed = async (key: string) => {
        const headers = { 'x-service-appid': made.appId, 'x-service-appkey': key };
        return (await app.send({ method: 'GET', url: '/api/v2/beacons', headers })).status === 200;
      };
      const second = (await send(of)).body.result;
      const [oldId] = (await app.app.apps.get(made.appId)).keys.map(({ keyId }) => keyId).sort();
      const third = (await send(of)).body.result;
      assert.deepEqual([third.disabledKeyIds, await isServed(made.appKey)], [[oldId], false]);
      assert.equal((await send(`${of}/${oldId}/restore`)).status, 403, 'two are live');
      const keys = (await app.app.apps.get(made.appId)).keys;
      const thirdId = keys.find(({ hint }) => third.appKey.endsWith(hint))?.keyId;
      assert.equal((await send(`${of}/${oldId}/restore`, 'POST', { insteadOf: thirdId })).status, 200);
      assert.deepEqual(
        [await isServed(made.appKey), await isServed(second.appKey), await isServed(third.appKey)],
        [true, true, false],
      );
    });

    test('a secret key that was revoked, unless its name was given to another', async () => {
      const wanted = { name: 'Gateway', scopes: [{ resource: 'beacons', verbs: ['list'] }] };
      const { secretKey, key } = await done('POST', '/secret-keys', wanted);
      const headers = { 'x-service-appkey': secretKey };
      const isServed = async () => (await app.send({ method: 'GET', url: '/api/v2/beacons', headers })).status === 200;
      await done('DELETE', `/secret-keys/${key.keyId}`);
      assert.equal(await isServed(), false);
      await done('POST', `/secret-keys/${key.keyId}/restore`);
      assert.equal(await isServed(), true);
      await done('DELETE', `/secret-keys/${key.keyId}`);
      await done('POST', '/secret-keys', wanted);
      assert.deepEqual(await refused('POST', `/secret-keys/${key.keyId}/restore`), [403, 119]);
      assert.equal(await isServed(), false);
    });

    test('and nothing of it after an hour, when the credentials are gone', async () => {
      const { key } = await done('POST', '/secret-keys', {
        name: 'Old',
        scopes: [{ resource: 'beacons', verbs: ['list'] }],
      });
      await done('DELETE', `/secret-keys/${key.keyId}`);
      await done('DELETE', '/senders/webpush');
      const { headers } = await signIn(app);
      const sign = { deviceName: 'Door', manufacture: 'Acme', topic: 'museum/door' };
      const path = `/devices/${await create(app, '/api/v2/device', sign, headers)}/credentials`;
      await done('POST', path);
      await done('DELETE', path);
      app.clock.now += 61 * minuteMs;
      owner = await openConsole(app, 'owner');
      assert.deepEqual(await refused('POST', `/secret-keys/${key.keyId}/restore`), [404, 101]);
      assert.deepEqual(await refused('POST', '/senders/webpush/restore', { updatedAt: null }), [404, 101]);
      assert.deepEqual(await refused('POST', `${path}/restore`, { issuedAt: null }), [404, 101]);
      app.app.sweep();
      await app.app.idle();
      const { db } = app.storage;
      assert.deepEqual(await db.all(raw('select kind from senders')), []);
      const kept = await db.all<{ former_hash: string | null }>(raw('select former_hash from device_credentials'));
      assert.deepEqual(
        kept.map(({ former_hash }) => former_hash),
        [null],
      );
    });
  });
}
