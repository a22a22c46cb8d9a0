import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { ScriptedSender } from '../../../../test/fakes/scripted-sender.ts';
import { bothDatabases, buildApp, signInManager } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { openNode, openSite, pointer, type Site, uuid } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';
import { parseScope } from '../../../access/keys/scopes.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

for (const database of bothDatabases) {
  describe(`what beacons tell of themselves on ${database}`, () => {
    let site: Site;
    let keys = 0;
    let key: Record<string, string>;
    const keyFor = async (...scopes: string[]) => {
      const body = { name: `Key ${++keys}`, scopes: scopes.map(parseScope) };
      const { secretKey } = await site.app.app.secretKeys.create(site.app.appId, body, commandLine);
      return { 'x-service-appid': site.app.appId, 'x-service-appkey': secretKey };
    };
    beforeAll(async () => {
      // In the middle of an hour.
      site = await openSite(database, {}, Date.parse('2026-05-04T09:30:00.000Z'));
      await site.beacon({ name: 'Gate', minor: 9, metadata: { gatewayId: 'AC:23:3F:C0:36:41' } });
      key = await keyFor('sightings:create', 'beacons:get');
    });
    afterAll(() => site.close());

    const told = (beaconId: string, query: Record<string, string> = {}) =>
      site.list(`beacons/${beaconId}/telemetry`, query);
    const report = (readings: unknown, headers = key) =>
      site.app.send({ method: 'POST', url: '/api/v2/telemetry', headers, body: { readings } });
    /** A Minew gateway has heard a beacon's numbers, and its information frame, from one address. */
    const minew = (minor: number, mac: string, more: object = {}) => [
      { timestamp: new Date(site.now).toISOString(), type: 'Gateway', mac: 'AC233FC03641' },
      ...[
        {
          type: 'iBeacon',
          ibeaconUuid: uuid.replaceAll('-', ''),
          ibeaconMajor: 1,
          ibeaconMinor: minor,
          ibeaconTxPower: -59,
        },
        { type: 'S1', temperature: 21.5, humidity: 48, battery: 84, ...more },
      ].map((one) => ({ timestamp: new Date(site.now).toISOString(), mac, rssi: -60, ...one })),
    ];
    const gateway = async (message: unknown) => {
      const url = '/api/v2/gateways/ac233fc03641/report';
      const { status } = await site.app.send({ method: 'POST', url, headers: key, body: message });
      assert.equal(status, 200);
    };
    const store = async () => {
      site.app.app.sweep();
      await site.app.app.idle();
    };

    test('is heard by gateways, by the address of its numbers, and thinned to the newest of an hour', async () => {
      for (const temperature of [19, 20.5]) {
        await gateway(minew(1, 'C3000025EF6A', { temperature }));
        site.app.clock.now += minute;
      }
      assert.deepEqual(await told(site.hall), [], 'it is written later');
      await store();
      const [first, ...more] = await told(site.hall);
      assert.deepEqual(more, []);
      assert.deepEqual(first, {
        ...{ hour: '2026-05-04T09:00:00.000Z', phones: 0, gateways: 2 },
        ...{ battery: 84, temperature: 20.5, humidity: 48 },
      });
      const node = await openNode(site);
      try {
        // Another node hears it in the same hour, after this one.
        site.app.clock.now += minute;
        const headers = { ...key, 'content-type': 'application/json' };
        await node.app.server.inject({
          method: 'POST',
          url: '/api/v2/gateways/ac233fc03641/report',
          headers,
          payload: JSON.stringify(minew(1, 'C3000025EF6A', { temperature: 21 })),
        });
      } finally {
        await node.close();
      }
      const [both] = await told(site.hall);
      assert.deepEqual([both.gateways, both.temperature], [3, 21]);
    });

    test('is passed on by phones; a value that is none is told, and the sighting counts', async () => {
      site.app.clock.now += hour;
      const sighting = { ...pointer('', ''), uuid, major: 1, minor: 1, rssi: -60, occurredAt: site.now };
      const sent = await site.send([
        { ...sighting, telemetry: { battery: 79, movement: true } },
        { ...sighting, occurredAt: site.now + 1_000, telemetry: { battery: 790 } },
      ]);
      assert.deepEqual(
        sent.problems.map(({ code, message }: Record<string, string>) => [code, message]),
        [['bad_telemetry', 'telemetry: battery must be a number from 0 to 100. The sighting counts.']],
      );
      await store();
      const { phones, battery, movement } = (await told(site.hall)).at(-1);
      assert.deepEqual([phones, battery, movement], [1, 79, 1]);
    });

    test('is reported by servers: late, twice and in another order it is the same', async () => {
      const beaconId = await site.beacon({ name: 'Cellar', minor: 20 });
      const readings = [3, 1, 2].map((hours) => ({
        beaconId,
        occurredAt: site.now - hours * hour,
        battery: 80 - hours,
      }));
      const answer = await report(readings);
      assert.deepEqual([answer.status, answer.body.result], [200, { taken: 3, problems: [] }]);
      await report(readings.toReversed());
      const found = await told(beaconId);
      assert.deepEqual(
        found.map(({ battery }: { battery: number }) => battery),
        [77, 78, 79],
      );
      assert.equal((await told(beaconId, { since: new Date(site.now - 1.9 * hour).toISOString() })).length, 2);
    });

    test('what cannot be used is listed, and the rest is stored', async () => {
      const beaconId = await site.beacon({ name: 'Attic', minor: 21 });
      const { body } = await report([
        ...[{ beaconId: 'nowhere', battery: 5 }, { battery: 5 }, { beaconId, battery: '5' }, { beaconId }, 7],
        ...[
          { beaconId, battery: 5, occurredAt: site.now + hour },
          { beaconId, battery: 5, occurredAt: 'soon' },
        ],
        ...[
          { beaconId, firmware: '' },
          { beaconId, button: 1 },
          { beaconId, voltage: 2.9, firmware: '2.4' },
        ],
      ]);
      assert.deepEqual(
        body.result.problems.map(({ index, code }: Record<string, unknown>) => [index, code]),
        [
          ...[
            [0, 'unknown_beacon'],
            [1, 'unknown_beacon'],
            [2, 'bad_telemetry'],
            [3, 'bad_telemetry'],
          ],
          ...[
            [4, 'bad_telemetry'],
            [5, 'bad_time'],
            [6, 'bad_time'],
            [7, 'bad_telemetry'],
            [8, 'bad_telemetry'],
          ],
        ],
      );
      assert.equal(body.result.problems[2].message, 'A reading: battery must be a number from 0 to 100.');
      assert.equal(body.result.taken, 1);
      assert.equal((await told(beaconId))[0].firmware, '2.4');
    });

    test('is for managers and keys that may', async () => {
      const url = `/api/v2/beacons/${site.hall}/telemetry`;
      const status = async (headers: Record<string, string> | undefined, method: 'GET' | 'POST' = 'GET') => {
        const body = method === 'POST' ? { readings: [{ beaconId: site.hall, battery: 1 }] } : undefined;
        const target = method === 'POST' ? '/api/v2/telemetry' : url;
        return (
          await site.app.send({ method, url: target, ...(headers ? { headers } : {}), ...(body ? { body } : {}) })
        ).status;
      };
      assert.deepEqual([await status(undefined), await status(undefined, 'POST')], [403, 403]);
      assert.equal(await status(await keyFor('beacons:get')), 200);
      assert.equal(await status(await keyFor('beacons:get'), 'POST'), 403);
      assert.equal(await status(await keyFor('sightings/hall:create'), 'POST'), 403);
      assert.equal((await site.ask({ method: 'GET', url: '/api/v2/beacons/none/telemetry' })).body.code, 101);
      const installer = await openConsole(site.app, 'installer');
      const seen = await installer.send({
        method: 'GET',
        url: `/apps/${site.app.appId}/v2/beacons/${site.hall}/telemetry`,
      });
      assert.equal(seen.status, 200);
    });

    test('of strangers nothing is stored, and old days go', async () => {
      const before = (await site.rows('beacon_days')).length;
      await gateway(minew(4_711, 'D3000025EF6A'));
      await store();
      assert.equal((await site.rows('beacon_days')).length, before);
      site.app.clock.now += 121 * day;
      await store();
      assert.deepEqual(await site.rows('beacon_days'), []);
    });
  });
}

test('what was heard is stored a minute later, so that a kill loses nothing that is older', async ({
  onTestFinished,
}) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const app = await buildApp({ repeats: true });
  onTestFinished(() => app.close());
  const { headers } = await signInManager(app);
  const beaconId = await create(app, '/api/v2/beacons', { name: 'Hall', uuid, major: 1, minor: 1 }, headers);
  await create(app, '/api/v2/installations', { installationId: 'phone-1', deviceType: 'android' });
  const sighting = { uuid, major: 1, minor: 1, rssi: -60, occurredAt: app.clock.now, telemetry: { battery: 79 } };
  const body = { installationId: 'phone-1', sightings: [sighting] };
  assert.equal((await app.send({ method: 'POST', url: '/api/v2/sightings', body })).status, 200);
  /** What a service finds that is started now, while this one still has in memory what it has not written. */
  const stored = async () => {
    const node = await openNode({ app, provider: new ScriptedSender() });
    const url = `/api/v2/beacons/${beaconId}/telemetry`;
    const answer = await node.app.server.inject({ method: 'GET', url, headers: { ...app.credentials, ...headers } });
    await node.close();
    return answer.json().results.map(({ battery }: { battery: number }) => battery);
  };
  assert.deepEqual(await stored(), []);
  vi.advanceTimersByTime(60_000);
  await app.app.idle();
  assert.deepEqual(await stored(), [79]);
});
