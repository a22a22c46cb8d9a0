import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { openSite, pointer, type Site, week } from '../../../../test/support/site.ts';
import { service } from '../../../access/audit.ts';
import { sql } from '../../../base/sql.ts';
import { Blur } from '../../blur.ts';

/** Ways, peaks and messages of one beacon, zone, floor or venue. */

const minute = 60_000;
const day = 1440 * minute;
type Query = Readonly<Record<string, string>>;
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

for (const database of databases) {
  describe(`ways, peaks and messages by place on ${database}`, () => {
    let site: Site;
    let began: number;
    let venue: string;
    let floor: string;
    let scenario: string;
    /** Two beacons of the hall, one of the shop, one in no zone, one in another venue. */
    let [east, west, shop, gate, far] = ['', '', '', '', ''];
    let zones: readonly string[];

    const make = async (path: string, body: object): Promise<string> => {
      const answer = await site.ask({ method: 'POST', url: `/api/v2/${path}`, body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.result.objectId;
    };
    const settle = () => site.app.app.rollups.settle(site.app.appId);
    async function ask(what: string, query: Query) {
      const period = { from: dateOf(began), until: dateOf(began + day) };
      const url = `/api/v2/analytics/${what}?${new URLSearchParams({ ...period, ...query })}`;
      const answer = await site.ask({ method: 'GET', url });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.result;
    }
    /** At a beacon from one minute to another. */
    async function be(phone: string, beacon: string, from: number, until: number): Promise<void> {
      for (const [event, at] of [
        ['ENTER', from],
        ['EXIT', until],
      ] as const) {
        site.app.clock.now = began + at * minute;
        await site.send([{ beacon, event, occurredAt: site.now }], { installationId: phone });
      }
    }

    beforeAll(async () => {
      site = await openSite(database);
      site.app.app.ticker.stop();
      // All of it is on one day, whenever this runs.
      began = Math.ceil(site.now / day) * day + day / 2;
      site.app.clock.now = began;
      await site.signInAgain();
      venue = await make('venues', { name: 'Museum' });
      const of = pointer('Venue', venue);
      floor = await make('floors', { name: 'Ground', level: 0, venueId: of });
      const zone = (name: string, left: number) =>
        make('zones', {
          name,
          kind: 'room',
          floorId: pointer('Floor', floor),
          polygon: [0, 9, 9, 0].map((x, at) => ({ x: x + left, y: at < 2 ? 0 : 9 })),
        });
      zones = [await zone('Hall', 0), await zone('Shop', 10)];
      const at = (minor: number, x: number) =>
        site.beacon({ name: `b${minor}`, minor, venueId: of, location: { x, y: 4, floor: 0 } });
      [east, west, shop] = [await at(11, 2), await at(12, 7), await at(13, 14)];
      gate = await site.beacon({ name: 'gate', minor: 14, venueId: of });
      far = await site.beacon({
        name: 'far',
        minor: 15,
        venueId: pointer('Venue', await make('venues', { name: 'F' })),
      });
      scenario = await site.scenario({
        beacons: [east, west, shop, far],
        showOn: week.map((dayName) => ({ dayName, checked: true })),
      });
      await settle();
      for (const phone of ['one', 'two', 'three']) await site.installation({ installationId: phone });
      // One and two are at the same time in the hall, but at different beacons of it.
      await be('one', east, 0, 1);
      await be('two', west, 0.5, 1.5);
      site.app.clock.now = began;
      await be('one', east, 5, 15);
      await be('two', west, 6, 14);
      await be('one', shop, 16, 20);
      await be('two', gate, 16, 20);
      await be('three', far, 16, 20);
      site.app.clock.now = began + 120 * minute;
      await settle();
    });
    afterAll(() => site.close());

    const peaksOf = async (query: Query) =>
      (await ask('peaks', { interval: 'day', ...query })).rows.map(
        ({ zoneId, beaconId, peak }: { zoneId?: string; beaconId?: string; peak: number }) => [
          zoneId ?? beaconId,
          peak,
        ],
      );

    test('peaks are told of one beacon, also where it shares its zone with others', async () => {
      const [hall] = zones;
      assert.deepEqual(await peaksOf({ zoneId: hall ?? '' }), [[hall, 2]]);
      for (const beaconId of [east, west, gate]) assert.deepEqual(await peaksOf({ beaconId }), [[beaconId, 1]]);
      const everywhere = (await peaksOf({})).map(([id]: [string]) => id);
      assert.ok(!everywhere.includes(east), 'a beacon in a zone is told only if it is asked about');
      assert.deepEqual(await peaksOf({ beaconId: 'none' }), []);
      const hours = await ask('peaks', { interval: 'hourOfWeek', beaconId: west });
      assert.deepEqual(
        hours.rows.map(({ beaconId, peak }: { beaconId: string; peak: number }) => [beaconId, peak]),
        [[west, 1]],
      );
    });

    test('ways of a beacon are those of the zone in which it was, or its own', async () => {
      const ends = async (query: Query) =>
        (await ask('flows', query)).moves.map(
          ({ from, to }: Record<'from' | 'to', { zoneId?: string; beaconId?: string } | null>) =>
            [from, to].map((end) => end?.zoneId ?? end?.beaconId ?? '').join('>'),
        );
      const [hall = '', inShop = ''] = zones;
      assert.deepEqual((await ends({ beaconId: east })).sort(), (await ends({ zoneId: hall })).sort());
      assert.deepEqual((await ends({ beaconId: gate })).sort(), [`${gate}>`, `${hall}>${gate}`].sort());
      assert.deepEqual((await ends({ beaconId: shop })).sort(), [`${inShop}>`, `${hall}>${inShop}`].sort());
    });

    test('paths of a place are those that pass it', async () => {
      const [hall = '', inShop = ''] = zones;
      const stops = async (query: Query) => {
        const { paths, tours } = await ask('paths', query);
        const ids = paths.map(({ stops: all }: { stops: { zoneId?: string; beaconId?: string }[] }) =>
          all.map(({ zoneId, beaconId }) => zoneId ?? beaconId).join('>'),
        );
        return [tours, ...ids.sort()];
      };
      assert.deepEqual(await stops({ zoneId: inShop }), [1, `${hall}>${inShop}`]);
      assert.deepEqual(await stops({ beaconId: gate }), [1, `${hall}>${gate}`]);
      assert.deepEqual(await stops({ beaconId: west }), [2, ...[`${hall}>${inShop}`, `${hall}>${gate}`].sort()]);
      assert.equal((await stops({ floorId: floor }))[0], 2);
      assert.deepEqual(await stops({ venueId: 'none' }), [0]);
    });

    const reachedAt = async (query: Query) => {
      const { messages, load } = await ask('messages', query);
      const one = messages.find(({ triggerId }: { triggerId: string }) => triggerId === scenario);
      return { reached: one?.groups[0].reached, shown: one?.groups[0].shown, load };
    };

    test('messages are told of the place at which they were shown', async () => {
      const [hall = '', inShop = ''] = zones;
      const reached = async (query: Query) => (await reachedAt(query)).reached;
      assert.equal(await reached({}), 3);
      for (const query of [{ venueId: venue }, { floorId: floor }, { zoneId: hall }] as Query[])
        assert.equal(await reached(query), 2, JSON.stringify(query));
      for (const beaconId of [east, west, far]) assert.equal(await reached({ beaconId }), 1);
      // Whoever had been shown it in the hall was not reached again in the shop.
      const again = await reachedAt({ zoneId: inShop });
      assert.ok(again.reached === undefined || again.reached === 0, JSON.stringify(again));
      assert.equal(await reached({ zoneId: 'none' }), undefined);
      const refused = await site.ask({
        method: 'GET',
        url: `/api/v2/analytics/messages?zoneId=${hall}&beaconId=${east}`,
      });
      assert.deepEqual([refused.status, refused.body.code], [400, 102]);
    });

    test('an empty id is refused, since zeros would read as if nobody had come', async () => {
      const places = ['venueId', 'floorId', 'zoneId', 'beaconId'];
      const asked: Readonly<Record<string, readonly string[]>> = {
        visits: places,
        flows: places,
        paths: places,
        peaks: places,
        messages: [...places, 'triggerId'],
        forecast: places,
        'forecast/zones': places.slice(0, 3),
      };
      for (const [what, names] of Object.entries(asked))
        for (const name of names) {
          const url = `/api/v2/analytics/${what}?${name}=`;
          const { status, body } = await site.ask({ method: 'GET', url });
          assert.deepEqual([status, body.code], [400, 102], url);
          assert.equal(body.error.error, `${name} must be an objectId, and is empty. Leave it out to ask without it.`);
        }
    });

    test('a beacon that is hung up elsewhere takes nothing along, also when all is counted anew', async () => {
      const [hall = '', inShop = ''] = zones;
      const body = { location: { x: 15, y: 5, floor: 0 } };
      const moved = await site.ask({ method: 'PUT', url: `/api/v2/beacons/${west}`, body });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
      await site.app.app.rollups.rebuild(site.app.appId);
      assert.equal((await reachedAt({ zoneId: hall })).reached, 2);
      await site.installation({ installationId: 'four' });
      await be('four', west, 130, 135);
      site.app.clock.now = began + 260 * minute;
      await settle();
      assert.equal((await reachedAt({ zoneId: inShop })).reached, 1);
      assert.equal((await reachedAt({ zoneId: hall })).reached, 2);
      assert.equal((await reachedAt({ beaconId: west })).reached, 2);
      assert.deepEqual(await peaksOf({ beaconId: west }), [[west, 1]]);
    });

    test('one to four visitors are protected at each place', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'protected' } }, service);
      assert.equal((await reachedAt({ venueId: venue })).reached, '1-4');
      assert.equal((await reachedAt({ beaconId: east })).shown, null);
      assert.deepEqual(await peaksOf({ beaconId: east }), [[east, '1-4']]);
      assert.deepEqual((await ask('flows', { beaconId: east })).moves, []);
      assert.deepEqual((await ask('paths', { beaconId: east })).paths, []);
      // A zone has at most as many as its beacons together: in fives, eight beside two small groups were four and four.
      const { db } = site.app.storage;
      const salt = Array.from({ length: 500 }, (_, n) => `salt ${n}`).find(
        (one) => new Blur(one).peak(8, `b${east}`) === 15,
      );
      const states = await site.rows('rollup_states');
      await db.run(sql`update rollup_states set salt = ${salt ?? ''} where app_id = ${site.app.appId}`);
      await db.run(sql`update way_rollups set tours = 8 where app_id = ${site.app.appId} and place = ${`b${east}`}`);
      assert.deepEqual(await peaksOf({ beaconId: east }), [[east, 15]]);
      assert.deepEqual((await peaksOf({ beaconId: east, interval: 'hour' }))[0], [east, 15], 'and so are its hours');
      await db.run(sql`update way_rollups set tours = 1 where app_id = ${site.app.appId} and place = ${`b${east}`}`);
      await db.run(
        sql`update rollup_states set salt = ${String(states[0]?.['salt'])} where app_id = ${site.app.appId}`,
      );
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'shown' } }, service);
    });

    test('stay when the showings go because of their age, and name nobody', async () => {
      const before = await reachedAt({ venueId: venue });
      site.app.clock.now += 500 * day;
      await site.signInAgain();
      await site.app.app.retention.sweep();
      await site.app.app.rollups.rebuild(site.app.appId);
      assert.deepEqual(await reachedAt({ venueId: venue }), before);
      assert.deepEqual(await peaksOf({ beaconId: east }), [[east, 1]]);
      assert.deepEqual(await site.rows('message_places'), []);
    });
  });
}
