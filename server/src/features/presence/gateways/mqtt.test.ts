import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { databases, otherApp } from '../../../../test/support/build-app.ts';
import { openDevice } from '../../../../test/support/servers/mqtt-devices.ts';
import { openSite, pointer, type Site } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';
import type { DeviceBroker } from '../../../delivery/mqtt/mqtt-device-broker.ts';

const uuid = 'E2C56DB5DFFB48D2B060D0F5A71096E0';

for (const database of databases) {
  describe(`what gateways publish by MQTT on ${database}`, () => {
    let site: Site;
    let port: DeviceBroker;
    let tags = 0;
    const opened: { close(): unknown }[] = [];
    beforeAll(async () => {
      site = await openSite(database, { PHAROS_MQTT_PORT: '0' });
      port = site.app.app.devices as DeviceBroker;
      await port.listen(0, '127.0.0.1');
      for (const gatewayId of ['AC:23:3F:C0:36:41', 'hall']) await site.beacon({ metadata: { gatewayId } });
    });
    afterAll(() => site.close());
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });

    const keyFor = async (scopes: readonly object[], appId = site.app.appId) =>
      site.app.app.secretKeys.create(appId, { name: `Gateways ${++tags}`, scopes }, commandLine);
    const reporting = (gateways?: readonly string[]) => ({
      ...{ resource: 'sightings', verbs: ['create'] },
      ...(gateways ? { gateways } : {}),
    });
    const open = async (username: string, password: string, protocolVersion: 4 | 5 = 5) => {
      const made = await openDevice(port.port, { username, password, protocolVersion });
      opened.push(made);
      return made;
    };

    /** A tag that is worn by somebody. */
    async function worn() {
      const minor = ++tags;
      const metadata = { advertisedId: `iBeacon:${uuid}-7-${minor}` };
      const objectId = await site.installation({ installationId: `tag-${minor}`, deviceType: 'embedded', metadata });
      return { minor, objectId };
    }
    const visits = async (objectId: string) =>
      (await site.list('visits', { where: JSON.stringify({ installationId: pointer('_Installation', objectId) }) }))
        .length;

    const taken = async () => {
      const metrics = (await site.app.send({ method: 'GET', url: '/metrics' })).raw.toString();
      return Number(/^pharos_gateway_advertisements_total\{result="taken"\} (\d+)$/m.exec(metrics)?.[1]);
    };

    /** Somebody stays beside a Minew gateway for ten seconds. */
    const minew = (minor: number) =>
      JSON.stringify(
        Array.from({ length: 10 }, (_, second) => ({
          ...{ type: 'iBeacon', mac: 'C3000025EF6A', ibeaconUuid: uuid, ibeaconMajor: 7, ibeaconMinor: minor },
          timestamp: new Date(site.now - (10 - second) * 1_000).toISOString(),
          ...{ rssi: -60, ibeaconTxPower: -59, battery: 0 },
        })),
      );

    test('becomes a visit, when the publisher is a gateway by its user name', async () => {
      const { secretKey } = await keyFor([reporting(['hall'])]);
      for (const version of [4, 5] as const) {
        const { minor, objectId } = await worn();
        const gateway = await open(`${site.app.appId}/hall`, secretKey, version);
        await gateway.client.subscribeAsync('hall/commands/#');
        await gateway.client.publishAsync('/gw/AC233FC03641/status', minew(minor), { qos: 1, retain: true });
        assert.equal(await visits(objectId), 1);
      }
    });

    test('is of the gateway that the topic names, as long as the key is for it', async () => {
      const { secretKey } = await keyFor([reporting(['ac233fc03641'])]);
      const { minor, objectId } = await worn();
      await open(`${site.app.appId}/AC:23:3F:C0:36:41`, secretKey);
      const gateway = await open(site.app.appId, secretKey);
      await gateway.client.publishAsync('/gw/ac233fc03641/status', minew(minor), { qos: 1 });
      assert.equal(await visits(objectId), 1);
      const another = await worn();
      const id = `iBeacon:${uuid}-7-${another.minor}`;
      const heard = JSON.stringify({ id, rssi: -60, 'rssi@1m': -59, distance: 1, interval: 200 });
      await assert.rejects(
        gateway.client.publishAsync(`espresense/devices/${id}/hall`, heard, { qos: 1 }),
        /Not authorized/,
      );
      assert.equal(await visits(another.objectId), 0);
      // What nobody reads does not end the connection.
      await gateway.client.publishAsync('something/else', 'on', { qos: 1 });
    });

    test('is read as whose somebody says it is', async () => {
      const { secretKey } = await keyFor([reporting(['hall'])]);
      const advertisedId = 'C3:00:00:25:EF:01';
      const objectId = await site.installation({
        ...{ installationId: 'by-format', deviceType: 'embedded' },
        metadata: { advertisedId },
      });
      const gateway = await open(`${site.app.appId}/hall`, secretKey);
      const stay = async () => {
        for (let second = 0; second < 10; second++, site.app.clock.now += 1_000)
          await gateway.client.publishAsync('ble', JSON.stringify({ mac: advertisedId, rssi: -50 }), { qos: 1 });
      };
      await stay();
      assert.equal(await visits(objectId), 0);
      await site.app.app.idle();
      const body = { format: 'openmqttgateway' };
      assert.equal((await site.ask({ method: 'PUT', url: '/api/v2/gateways/hall', body })).status, 200);
      await stay();
      assert.equal(await visits(objectId), 1);
      await site.ask({ method: 'PUT', url: '/api/v2/gateways/hall', body: { format: null } });
    });

    test('needs a secret key for it, of this app', async () => {
      const { appId } = site.app;
      const { secretKey, key } = await keyFor([reporting(['hall'])]);
      const { 'x-service-appid': otherId = '' } = await otherApp(site.app);
      const ofOther = await keyFor([reporting()], otherId);
      const forVisits = await keyFor([{ resource: 'visits', verbs: ['list'] }]);
      for (const [username, password] of [
        [appId, ofOther.secretKey],
        [appId, forVisits.secretKey],
        [otherId, secretKey],
        [`${appId}/cellar`, secretKey],
        [`${appId}/hall/1`, secretKey],
        [appId, site.app.credentials['x-service-appkey'] ?? ''],
      ] as const)
        await assert.rejects(open(username, password), /Bad (?:User Name|username) or (?:P|p)assword/i, username);
      const gateway = await open(`${appId}/hall`, secretKey);
      await site.app.app.secretKeys.revoke(appId, key.keyId, commandLine);
      await port.check(appId);
      await gateway.closed;
    });

    test('comes from mosquitto_pub as the page about gateways says', async () => {
      const page = readFileSync(new URL('../../../../../docs/gateways.md', import.meta.url), 'utf8');
      const [, options = '', message = ''] = /mosquitto_pub (.+) \\\n {2}'(.+)'/.exec(page) ?? [];
      const { secretKey } = await keyFor([reporting(['hall'])]);
      const values: Readonly<Record<string, string>> = {
        ...{ HOST: '127.0.0.1', '1883': String(port.port) },
        ...{ '"$APP_ID/hall"': `${site.app.appId}/hall`, '"$SECRET_KEY"': secretKey },
      };
      const words = options.split(' ').map((word) => values[word] ?? word);
      const metadata = { advertisedId: `iBeacon:${uuid}-1-2` };
      await site.installation({ installationId: 'page', deviceType: 'embedded', metadata });
      const before = await taken();
      const child = spawn('mosquitto_pub', [...words, message]);
      assert.deepEqual((await once(child, 'close'))[0], 0);
      assert.equal(await taken(), before + 1);
    });
  });
}
