import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import type { DeviceBroker } from '../../src/delivery/mqtt/mqtt-device-broker.ts';
import { type Answer, databases, type SignedIn, signIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { openConsole } from '../support/console.ts';
import { openDevice } from '../support/servers/mqtt-devices.ts';
import { openSite, pointer, type Site } from '../support/site.ts';

/** The topic of a device is no secret: the list of devices shows it. Knowing it makes nobody the device, or its user. */

const topic = 'gate/north';
const gate = { deviceType: 'embedded', deviceToken: topic };
const phones = '/api/v2/installations';

for (const database of databases) {
  describe(`somebody who knows a topic, on ${database}`, () => {
    let site: Site;
    let vera: SignedIn;
    let mallory: SignedIn;
    beforeEach(async () => {
      site = await openSite(database, { PHAROS_MQTT_PORT: '0' });
      [vera, mallory] = [await signIn(site.app), await signIn(site.app)];
    });
    afterEach(() => site.close());

    const register = (body: object, headers: object = {}) => {
      site.app.clock.now += 1_000;
      return site.app.send({ method: 'POST', url: phones, body: { ...gate, ...body }, headers: { ...headers } });
    };
    const refused = ({ status, body }: Answer) => assert.deepEqual([status, body.code], [403, 119]);
    const rowOf = async (id: string) => {
      const row = (await site.rows('installations')).find(({ object_id }) => object_id === id);
      return [row?.['user_id'], row?.['device_token'], row?.['unproven'], row?.['secret_hash']];
    };

    for (const [what, named] of [
      ['by its topic alone', {}],
      ['by its id', { installationId: 'gate' }],
    ] as const)
      test(`does not get what is meant for the user of a gate that is registered ${what}`, async () => {
        await site.notification();
        const { objectId } = (await register(named, vera.headers)).body.result;
        const was = await rowOf(objectId);
        assert.deepEqual(was, [vera.userId, topic, 0, null]);
        const mine = { deviceToken: 'token of mallory', pushType: 'fcm' };
        for (const headers of [{}, mallory.headers])
          for (const body of [
            { ...named },
            { ...named, installationId: 'gate' },
            { ...named, ...mine, previousDeviceToken: topic },
            { installationId: 'gate', ...mine, previousDeviceToken: topic },
            { ...named, consents: { analytics: { granted: false, erase: true } } },
          ]) {
            const answer = await register(body, headers);
            if (answer.status < 300) assert.notEqual(answer.body.result.objectId, objectId);
            else refused(answer);
            const asHers = await register(body, { ...headers, 'installation-secret': 'm'.repeat(43) });
            if (asHers.status < 300) assert.notEqual(asHers.body.result.objectId, objectId);
            assert.deepEqual(await rowOf(objectId), was, JSON.stringify(body));
          }
        assert.equal((await register({ ...named, appVersion: '2' }, vera.headers)).status, 200, 'she goes on');
      });

    test('nor once it was taken over by its id, before its user is back', async () => {
      const named = { installationId: 'gate', pushType: 'mqtt' };
      const { objectId } = (await register(named, vera.headers)).body.result;
      const mine = { installationId: 'gate', deviceToken: 'token of mallory', pushType: 'fcm' };
      assert.equal((await register(mine)).status, 200, 'a phone that has lost its token may go on');
      assert.equal((await register({ ...mine, previousDeviceToken: topic })).status, 200);
      assert.deepEqual((await rowOf(objectId)).slice(0, 3), [null, 'token of mallory', 1]);
      assert.equal((await register(named, vera.headers)).status, 200);
      assert.deepEqual((await rowOf(objectId)).slice(0, 3), [vera.userId, topic, 0]);
    });

    test('a gate without a user goes on with its id, and one with a secret with that', async () => {
      const anonymous = { installationId: 'sign' };
      assert.equal((await register(anonymous)).status, 201);
      assert.equal((await register({ ...anonymous, appVersion: '2' })).status, 200);
      const secret = { 'installation-secret': 's'.repeat(43) };
      const own = { installationId: 'door', deviceToken: 'door/1' };
      assert.equal((await register(own, { ...vera.headers, ...secret })).status, 201);
      assert.equal((await register({ ...own, appVersion: '2' }, secret)).status, 200);
      const manager = { ...own, deviceToken: 'door/2', userId: pointer('_User', vera.userId) };
      assert.equal((await register(manager, site.user.headers)).status, 200);
    });

    test('does not hear it by giving her own device the topic of another', async () => {
      const devices = site.app.app.devices as DeviceBroker;
      await devices.listen(0, '127.0.0.1');
      const installer = await openConsole(site.app, 'installer');
      const device = { deviceName: 'Mine', manufacture: 'Acme', topic: 'mallory/1' };
      const id = await create(site.app, '/api/v2/device', device, mallory.headers);
      const credentials = `/apps/${site.app.appId}/devices/${id}/credentials`;
      const { username, password } = (await installer.send({ method: 'POST', url: credentials })).body.result;
      const change = (to: string, headers: Readonly<Record<string, string>>) =>
        site.app.send({ method: 'PUT', url: `/api/v2/device/${id}`, headers, body: { topic: to } });
      assert.equal((await change(topic, mallory.headers)).status, 200);
      await assert.rejects(openDevice(devices.port, { username, password }), 'the password was given for her topic');
      assert.equal((await installer.send({ method: 'GET', url: credentials })).body.result.issuedAt, null);
      assert.equal((await change('mallory/1', mallory.headers)).status, 200);
      await (await openDevice(devices.port, { username, password })).close();
      assert.equal((await change('mallory/2', site.user.headers)).status, 200, 'a manager gives it another one');
      const moved = await openDevice(devices.port, { username, password });
      await moved.client.subscribeAsync('mallory/2', { qos: 1 });
      await moved.close();
    });
  });
}
