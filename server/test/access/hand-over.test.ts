import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { handedOver } from '../../src/app/tables.ts';
import {
  bothDatabases,
  buildApp,
  pointerTo,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { openConsole } from '../support/console.ts';

/** Records outside buckets are handed over by their owner. */

const beacon = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1 };
let minors = 0;

for (const database of bothDatabases) {
  describe(`handing over on ${database}`, () => {
    let app: TestApp;
    let anna: SignedIn;
    let ben: SignedIn;
    let manager: SignedIn;
    beforeAll(async () => {
      app = await buildApp({ database });
      [anna, ben, manager] = [await signIn(app), await signIn(app), await signInManager(app)];
      const own = { get: 'user', update: 'owner', delete: 'owner' } as const;
      await app.app.apps.changeRules(app.appId, { resources: { beacons: own, devices: own } });
    });
    afterAll(() => app.close());

    const give = (url: string, by: SignedIn, to: string) =>
      app.send({ method: 'PUT', url: `${url}/owner`, headers: by.headers, body: { userId: to } });
    const rename = (url: string, by: SignedIn, body: object) =>
      app.send({ method: 'PUT', url, headers: by.headers, body });
    const make = async () => {
      const body = { ...beacon, minor: ++minors };
      return `/api/v2/beacons/${await create(app, '/api/v2/beacons', body, anna.headers)}`;
    };

    test('the owner gives a record away, and no longer may do with it what owners may', async () => {
      const device = { deviceName: 'Gate', manufacture: 'Acme', topic: 'a/b' };
      const devices = `/api/v2/device/${await create(app, '/api/v2/device', device, anna.headers)}`;
      for (const [url, change] of [
        [await make(), { name: 'Other' }],
        [devices, { deviceName: 'Other' }],
      ] as const) {
        assert.equal((await rename(url, ben, change)).status, 403);
        app.clock.now += 1000;
        const given = await give(url, anna, ben.userId);
        assert.deepEqual([given.status, given.body.result.updatedAt], [200, new Date(app.clock.now).toISOString()]);
        assert.equal((await rename(url, ben, change)).status, 200);
        assert.equal((await rename(url, anna, change)).status, 403);
        const { createdBy } = (await app.send({ method: 'GET', url, headers: ben.headers })).body.result;
        assert.deepEqual(createdBy, pointerTo(ben));
      }
    });

    test('nobody gives away what belongs to others, nor to nobody; managers and administrators do', async () => {
      const url = await make();
      assert.equal((await give(url, ben, ben.userId)).status, 403);
      // Everybody may change them, and still only the owner gives them away.
      await app.app.apps.changeRules(app.appId, { resources: { beacons: { get: 'user', update: 'user' } } });
      assert.equal((await rename(url, ben, { name: 'Other' })).status, 200);
      assert.equal((await give(url, ben, ben.userId)).status, 403);
      const unknown = await give(url, anna, '0000000000000000NONE');
      assert.deepEqual([unknown.status, unknown.body.code], [404, 101]);
      assert.equal((await give(`/api/v2/beacons/0000000000000000NONE`, anna, ben.userId)).status, 404);
      assert.equal((await give(url, manager, ben.userId)).status, 200);
      const ada = await openConsole(app, 'owner');
      const path = `/apps/${app.appId}/v2${url.slice('/api/v2'.length)}/owner`;
      assert.equal((await ada.send({ method: 'PUT', url: path, body: { userId: anna.userId } })).status, 200);
      const [{ action }] = (await ada.send({ method: 'GET', url: '/audit' })).body.results;
      assert.equal(action, 'data.updateBeaconOwner');
    });

    test('a scenario and a file, too: their new owner reads, changes and deletes them, the former one no longer', async () => {
      const own = { list: 'owner', get: 'owner', update: 'owner', delete: 'owner' } as const;
      await app.app.apps.changeRules(app.appId, { resources: { scenarios: own } });
      const storyline = `/api/v2/storylines/${await create(app, '/api/v2/storylines', { title: 'A', isEnabled: true }, manager.headers)}`;
      const scenario = { beacons: ['x'], campaign: 'TEXT', event: 'ENTER', showOn: [], alertTitle: 'Hi' };
      const beaconId = (await make()).split('/').at(-1) ?? '';
      const made = await create(app, `${storyline}/detail`, { ...scenario, beacons: [beaconId] }, anna.headers);
      const headers = { ...anna.headers, 'content-type': 'image/png' };
      const file = await app.send({ method: 'POST', url: '/api/v2/files/hall.png', body: 'hall', headers });
      for (const url of [`${storyline}/detail/${made}`, `/api/v2/files/${file.body.objectId}`]) {
        assert.equal((await give(url, ben, ben.userId)).status, 404);
        assert.equal((await give(url, anna, ben.userId)).status, 200);
        const read = (by: SignedIn) => app.send({ method: 'GET', url, headers: by.headers });
        assert.deepEqual([(await read(anna)).status, (await read(ben)).status], [404, 200]);
        assert.equal((await give(url, anna, anna.userId)).status, 404);
        const remove = (by: SignedIn) => app.send({ method: 'DELETE', url, headers: by.headers });
        assert.deepEqual([(await remove(anna)).status, (await remove(ben)).status], [404, 200]);
      }
    });

    test('every kind that can be handed over says who made it', () => {
      for (const { table } of handedOver) assert.ok('created_by' in table.columns, table.name);
    });

    test('members that rules make read-only are not changed by endpoints that call them otherwise', async () => {
      const url = await make();
      const samples = Array.from({ length: 20 }, (_, n) => -60 - (n % 2));
      const calibrate = (by: SignedIn) =>
        app.send({ method: 'POST', url: `${url}/calibration`, headers: by.headers, body: { samples } });
      const own = { get: 'user', update: 'owner', delete: 'owner' } as const;
      for (const member of [{ readOnly: ['user'] }, { hidden: ['user'] }] as const) {
        const members = { createdBy: member, measuredPower: member };
        await app.app.apps.changeRules(app.appId, { resources: { beacons: { ...own, members }, devices: own } });
        for (const [field, answer] of [
          ['createdBy', await give(url, anna, ben.userId)],
          ['measuredPower', await calibrate(anna)],
        ] as const)
          assert.deepEqual([answer.status, answer.body.error.details[0].field], [400, field]);
      }
      const { result } = (await app.send({ method: 'GET', url, headers: manager.headers })).body;
      assert.deepEqual([result.createdBy, result.measuredPower], [pointerTo(anna), undefined]);
      assert.equal((await calibrate(manager)).status, 200);
      assert.equal((await give(url, manager, ben.userId)).status, 200);
      await app.app.apps.changeRules(app.appId, { resources: { beacons: own, devices: own } });
    });
  });
}
