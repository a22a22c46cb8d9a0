import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../test/support/depth.ts';
import { openSite, type Site } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';
import { HeardNearby, maxOfGateway } from './heard-nearby.ts';

const uuid = 'E2C56DB5-DFFB-48D2-B060-D0F5A71096E0';

for (const database of bothDatabases) {
  describe(`what gateways hear nearby on ${database}`, () => {
    let site: Site;
    let key: Record<string, string>;
    beforeAll(async () => {
      site = await openSite(database);
      await site.beacon({ metadata: { gatewayId: 'hall' } });
      const scopes = [{ resource: 'sightings', verbs: ['create'] }];
      const { secretKey } = await site.app.app.secretKeys.create(
        site.app.appId,
        { name: 'Gateways', scopes },
        commandLine,
      );
      key = { 'x-service-appid': site.app.appId, 'x-service-appkey': secretKey };
    });
    afterAll(() => site.close());

    const report = async (gateway: string, heard: readonly object[]) => {
      site.app.clock.now += 1_000;
      const body = heard.map((one) => ({ type: 'Unknown', timestamp: new Date(site.now).toISOString(), ...one }));
      const url = `/api/v2/gateways/${gateway}/report`;
      return (await site.app.send({ method: 'POST', url, headers: key, body })).body.result;
    };
    const beacon = (minor: number, rssi: number, mac = `C30000${String(minor).padStart(6, '0')}`) => ({
      ...{ type: 'iBeacon', mac, ibeaconUuid: uuid.replaceAll('-', ''), ibeaconMajor: 7, ibeaconMinor: minor, rssi },
    });
    const tagOf = (minor: number) => `iBeacon:${uuid}-7-${minor}`;
    const nearby = async () => (await site.list('adoption/heard')) as Record<string, unknown>[];
    const tags = async () => (await nearby()).map(({ tag }) => tag);
    const change = async (method: 'PUT' | 'DELETE', path: string, body?: object) =>
      (await site.ask({ method, url: `/api/v2/adoption/${path}`, ...(body ? { body } : {}) })).status;

    test('is listed by its signal until somebody knows it, also from a gateway without a place', async () => {
      const first = await report('hall', [beacon(1, -70), beacon(2, -50), { mac: 'AC233F000001', rssi: -60 }]);
      assert.deepEqual([first.taken, first.unknown], [0, 3]);
      await report('cellar', [beacon(1, -40)]);
      assert.deepEqual(await tags(), [tagOf(1), tagOf(2), 'ac233f000001']);
      assert.deepEqual((await nearby())[0], {
        ...{ tag: tagOf(1), kind: 'ibeacon', uuid, major: 7, minor: 1, address: 'c30000000001', rssi: -40 },
        ...{ gatewayId: 'cellar', heardAt: new Date(site.now).toISOString() },
      });
      await site.beacon({ uuid, major: 7, minor: 1 });
      await site.installation({
        ...{ installationId: 'tag', deviceType: 'embedded' },
        metadata: { advertisedId: tagOf(2) },
      });
      assert.deepEqual(await tags(), ['ac233f000001']);
      const again = await report('hall', [beacon(1, -70), { mac: 'C30000000001', rssi: -60 }]);
      // A frame without numbers comes from the address of the beacon.
      assert.deepEqual([again.beacon, again.unknown, again.problems.length], [1, 1, 1]);
      assert.deepEqual(await tags(), ['ac233f000001']);
    });

    test('is not when it is ignored, until somebody takes that back', async () => {
      const url = encodeURIComponent(tagOf(3));
      await report('hall', [beacon(3, -50)]);
      assert.ok((await tags()).includes(tagOf(3)));
      assert.equal(await change('PUT', `ignored/${url}`), 200);
      assert.equal(await change('PUT', `ignored/${url.toLowerCase()}`), 200);
      await report('hall', [beacon(3, -50)]);
      assert.ok(!(await tags()).includes(tagOf(3)));
      assert.deepEqual(
        (await site.list('adoption/ignored')).map(({ tag }: { tag: string }) => tag),
        [tagOf(3)],
      );
      assert.equal(await change('DELETE', `ignored/${url}`), 200);
      assert.equal(await change('DELETE', `ignored/${url}`), 404);
      assert.ok((await tags()).includes(tagOf(3)));
      assert.equal(await change('PUT', `ignored/${'x'.repeat(201)}`), 400);
    });

    test('becomes a beacon by itself if a rule names its UUID, and no more of them than the rule says', async () => {
      const other = uuid.replace('E2', 'AA');
      const heard = (minor: number) => ({ ...beacon(minor, -60), ibeaconUuid: other.replaceAll('-', '') });
      assert.equal(await change('PUT', 'rules/AA', { maxBeacons: 2 }), 400);
      assert.equal(await change('PUT', `rules/${other}`, { maxBeacons: 0 }), 400);
      assert.equal(await change('PUT', `rules/${other}`, { maxBeacons: 2 }), 200);
      await report('hall', [heard(1), heard(2), heard(3), beacon(4, -60)]);
      assert.deepEqual((await tags()).filter((tag) => `${tag}`.includes('AAC5')).length, 1);
      const made = (await site.list('beacons', { where: JSON.stringify({ uuid: other }) })) as { name: string }[];
      assert.deepEqual(made.map(({ name }) => name).sort(), ['7/1', '7/2']);
      await report('hall', [heard(1), heard(2), heard(3)]);
      assert.equal((await site.list('beacons', { where: JSON.stringify({ uuid: other }) })).length, 2);
      assert.deepEqual(
        (await site.list('adoption/rules')).map(({ uuid, maxBeacons }: Record<string, unknown>) => [uuid, maxBeacons]),
        [[other, 2]],
      );
      assert.equal(await change('DELETE', `rules/${other}`), 200);
      assert.deepEqual(await site.list('adoption/rules'), []);
    });

    test('is forgotten after ten minutes; what became known meanwhile takes no room from others', async () => {
      await report('hall', [beacon(5, -50)]);
      assert.ok((await tags()).includes(tagOf(5)));
      await site.beacon({ uuid, major: 7, minor: 5 });
      await report(
        'hall',
        Array.from({ length: maxOfGateway }, (_, index) => beacon(1_000 + index, -90)),
      );
      assert.equal((await tags()).length, maxOfGateway);
      site.app.clock.now += 600_000;
      assert.deepEqual(await tags(), []);
    });
  });
}

test('of a hundred thousand random addresses an hour nothing is remembered; of a flood of beacons, the strongest', () => {
  let now = 0;
  const heard = new HeardNearby(() => now);
  const random = (index: number) => (0x40 * 2 ** 40 + index * 7_919).toString(16).padStart(12, '0');
  for (let index = 0; index < 100_000; index++, now += 36)
    heard.note('app', 'hall', { index: 0, address: random(index), rssi: -60 }, true);
  assert.equal(heard.take().size, 0);
  for (let minor = 0; minor < 50_000; minor++)
    heard.note(
      'app',
      'hall',
      {
        ...{ index: 0, address: random(minor), rssi: minor === 100 ? -30 : -90 },
        identity: { kind: 'ibeacon', uuid: uuid.replaceAll('-', '').toLowerCase(), major: 0, minor },
      },
      true,
    );
  const strangers = heard.take('app').get('app')?.get('hall') ?? [];
  assert.equal(strangers.length, maxOfGateway);
  assert.ok(strangers.some(({ rssi, address }) => rssi === -30 && address === undefined));
  assert.equal(heard.take().size, 0);
});
