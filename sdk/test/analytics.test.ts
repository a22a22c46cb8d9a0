import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openSite, pointer, type Site } from '../../server/test/support/site.ts';
import { PharosClient } from '../src/index.ts';

const minute = 60_000;
const day = 1440 * minute;
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** One visitor was shown a message in the hall and went on to the shop. */
describe('the analytics of the client, against the service', () => {
  let site: Site;
  let client: PharosClient;
  let [hall, shop, message] = ['', '', ''];
  let [hallZone, shopZone] = ['', ''];
  let period: { readonly from: string; readonly until: string };

  beforeAll(async () => {
    site = await openSite('sqlite');
    site.app.app.ticker.stop();
    // All of it is on one day, whenever this runs.
    const began = Math.ceil(site.now / day) * day + day / 2;
    period = { from: dateOf(began), until: dateOf(began + day) };
    site.app.clock.now = began;
    await site.signInAgain();
    await site.app.app.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = site.app.app.server.server.address() as AddressInfo;
    const { appId, appKey } = site.app;
    client = new PharosClient({ baseUrl: `http://127.0.0.1:${port}`, appId, appKey, token: site.user.token });
    await furnish();
    const walked = [
      [hall, 0, 5],
      [shop, 6, 10],
    ] as const;
    for (const [beacon, from, until] of walked)
      for (const [event, at] of [
        ['ENTER', from],
        ['EXIT', until],
      ] as const) {
        site.app.clock.now = began + at * minute;
        await site.send([{ beacon, event, occurredAt: site.now }]);
      }
    site.app.clock.now = began + 120 * minute;
    await site.app.app.rollups.settle(appId);
  });
  afterAll(() => site.close());

  async function furnish(): Promise<void> {
    const venueId = { __type: 'Pointer', className: 'Venue' } as const;
    const venue = { ...venueId, objectId: (await client.venues.create({ name: 'Museum' })).objectId };
    const floor = await client.floors.create({ venueId: venue, name: 'Ground floor', level: 0 });
    const floorId = { __type: 'Pointer', className: 'Floor', objectId: floor.objectId } as const;
    const zone = async (name: string, left: number) => {
      const polygon = [0, 9, 9, 0].map((x, at) => ({ x: x + left, y: at < 2 ? 0 : 9 }));
      return (await client.zones.create({ floorId, name, kind: 'room', polygon })).objectId;
    };
    [hallZone, shopZone] = [await zone('Hall', 0), await zone('Shop', 10)];
    const at = (minor: number, x: number) =>
      site.beacon({ minor, venueId: pointer('Venue', venue.objectId), location: { x, y: 4, floor: 0 } });
    [hall, shop] = [await at(11, 4), await at(12, 14)];
    const goal = { kind: 'visit', zoneId: shopZone, withinHours: 3 };
    message = await site.notification({ beaconId: pointer('Beacon', hall), goal });
  }

  test('counts visitors and visits, by beacon as for a heat map', async () => {
    const { analytics } = client;
    const { total, rows, isComplete } = await analytics.visits({ ...period, groupBy: 'beacon' });
    assert.deepEqual([total?.visitors, total?.visits, isComplete], [1, 2, true]);
    assert.deepEqual(
      new Map(rows.map(({ beaconId, dwellTotal }) => [beaconId, dwellTotal])),
      new Map([
        [hall, 300],
        [shop, 240],
      ]),
    );
    assert.equal((await analytics.visits({ ...period, zoneId: hallZone })).total?.visits, 1);
  });

  test('tells ways, paths and peaks between zones', async () => {
    const { analytics } = client;
    const { moves } = await analytics.flows(period);
    assert.deepEqual(
      moves.filter(({ from, to }) => from && to).map(({ from, to, tours }) => [from?.zoneId, to?.zoneId, tours]),
      [[hallZone, shopZone, 1]],
    );
    const { paths } = await analytics.paths({ ...period, top: 1 });
    assert.deepEqual(
      paths.map(({ stops }) => stops.map(({ zoneId }) => zoneId)),
      [[hallZone, shopZone]],
    );
    const { rows } = await analytics.peaks({ ...period, interval: 'day', zoneId: shopZone });
    assert.deepEqual(
      rows.map(({ zoneId, peak }) => [zoneId, peak]),
      [[shopZone, 1]],
    );
  });

  test('tells what a message led to', async () => {
    const { messages } = await client.analytics.messages({ ...period, triggerId: message });
    assert.deepEqual(
      messages.map(({ triggerId, groups }) => [triggerId, groups.map(({ reached, acted }) => [reached, acted])]),
      [[message, [[1, 1]]]],
    );
  });

  test('forecasts the next open day, and says nothing where there were too few', async () => {
    const { date, forecast } = await client.analytics.forecast({ zoneId: hallZone });
    assert.deepEqual([date, forecast], [period.until, null]);
    assert.deepEqual((await client.analytics.zoneForecasts({ zoneId: hallZone })).zones, []);
    assert.deepEqual(await client.analytics.occupancy(), []);
  });
});
