import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { openNode, openSite, type Site, uuid } from '../../../../../test/support/site.ts';

for (const database of databases) {
  describe(`what is kept in memory of beacons and messages on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
    });
    afterEach(() => site.close());

    /** Comes and goes; the titles of the messages that are shown. */
    const pass = async (): Promise<string[]> => {
      site.app.clock.now += 60_000;
      const { messages } = await site.send([site.decided('ENTER')]);
      site.app.clock.now += 1_000;
      await site.send([site.decided('EXIT')]);
      interface Shown {
        readonly notification?: { readonly message: { readonly alertTitle: string } };
        readonly scenario?: { readonly alertTitle: string };
      }
      return messages.map(({ notification, scenario }: Shown) => (notification?.message ?? scenario)?.alertTitle);
    };
    const write = async (method: 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => {
      const answer = await site.ask({ method, url: `/api/v2/${path}`, ...(body ? { body } : {}) });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };

    test('every change of a message counts for the very next sighting', async () => {
      assert.deepEqual(await pass(), []);
      const id = await site.notification();
      assert.deepEqual(await pass(), ['Welcome']);
      await write('PUT', `notifications/${id}`, { message: { alertTitle: 'Hello', alertMessage: '' } });
      assert.deepEqual(await pass(), ['Hello']);
      await write('PATCH', `notifications/${id}`, { message: { alertTitle: 'Good day' } });
      assert.deepEqual(await pass(), ['Good day']);
      await write('DELETE', `notifications/${id}`);
      assert.deepEqual(await pass(), []);

      const scenario = await site.scenario();
      assert.deepEqual(await pass(), ['Tour']);
      const [{ objectId: storylineId }] = await site.list('storylines');
      await write('PATCH', `storylines/${storylineId}/detail/${scenario}`, { alertTitle: 'Round' });
      assert.deepEqual(await pass(), ['Round']);
      await write('PUT', `storylines/${storylineId}`, { isEnabled: false });
      assert.deepEqual(await pass(), []);
      await write('PUT', `storylines/${storylineId}`, { isEnabled: true });
      assert.deepEqual(await pass(), ['Round']);
      await write('DELETE', `storylines/${storylineId}/detail/${scenario}`);
      assert.deepEqual(await pass(), []);
      await site.scenario();
      assert.deepEqual(await pass(), ['Tour']);
      for (const { objectId } of await site.list('storylines')) await write('DELETE', `storylines/${objectId}`);
      assert.deepEqual(await pass(), []);
    });

    test('every change of a beacon counts for the very next sighting', async () => {
      const near = { uuid, major: 1, minor: 1, rssi: -59 };
      /** The distance of three samples at −59 dBm, or the problem with them. */
      const weigh = async (): Promise<number | string> => {
        site.app.clock.now += 60_000;
        await site.app.app.ticker.tick();
        const at = site.now;
        const sightings = [0, 1, 2].map((second) => ({ ...near, occurredAt: at + second * 1000 }));
        const { events, problems } = await site.send(sightings);
        return problems[0]?.code ?? events[0]?.distance;
      };
      assert.equal(await weigh(), 1);
      await write('PUT', `beacons/${site.hall}`, { measuredPower: -53 });
      assert.equal(await weigh(), 2);
      const samples = Array.from({ length: 20 }, () => ({ rssi: -59 }));
      const calibrated = await site.ask({
        method: 'POST',
        url: `/api/v2/beacons/${site.hall}/calibration`,
        body: { samples: samples.map(({ rssi }) => rssi) },
      });
      assert.equal(calibrated.status, 200, JSON.stringify(calibrated.body));
      assert.equal(await weigh(), 1);
      await write('PATCH', `beacons/${site.hall}`, { minor: 7 });
      assert.equal(await weigh(), 'unknown_beacon');
      await write('PATCH', `beacons/${site.hall}`, { minor: 1 });
      assert.equal(await weigh(), 1);
      await write('DELETE', `beacons/${site.hall}`);
      assert.equal(await weigh(), 'unknown_beacon');
    });

    test('a change through another node counts here within its half second', async () => {
      assert.deepEqual(await pass(), []);
      const node = await openNode(site);
      try {
        const body = {
          description: 'A guest',
          beaconId: { __type: 'Pointer', className: 'Beacon', objectId: site.hall },
          event: 'ENTER',
          type: 'TEXT',
          message: { alertTitle: 'From next door', alertMessage: 'b' },
          isEnabled: true,
        };
        const answer = await node.app.server.inject({
          method: 'POST',
          url: '/api/v2/notifications',
          headers: { ...site.app.credentials, ...site.user.headers, 'content-type': 'application/json' },
          payload: JSON.stringify(body),
        });
        assert.equal(answer.statusCode, 201, answer.payload);
        let shown: string[] = [];
        while (shown.length === 0) shown = await pass();
        assert.deepEqual(shown, ['From next door']);
      } finally {
        await node.close();
      }
    });
  });
}
