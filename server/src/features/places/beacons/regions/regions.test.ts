import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, signIn } from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import { openSite, pointer, type Site, stay, uuid, walk } from '../../../../../test/support/site.ts';

/** What a phone monitors while the app sleeps, and what it says when it crosses a border. */

const secret = { 'installation-secret': 'a'.repeat(43) };

interface Planned {
  readonly identifier: string;
  readonly uuid: string;
  readonly major?: number;
  readonly minor?: number;
  readonly place?: { readonly objectId: string };
  readonly beaconId?: { readonly objectId: string };
}

for (const database of bothDatabases) {
  describe(`regions on ${database}`, () => {
    let site: Site;
    let venue: string;
    let other: string;
    let rooms: readonly string[];
    beforeAll(async () => {
      site = await openSite(database);
      const { headers } = site.user;
      venue = await create(site.app, '/api/v2/venues', { name: 'Museum' }, headers);
      other = await create(site.app, '/api/v2/venues', { name: 'Station' }, headers);
      await site.ask({
        method: 'PUT',
        url: `/api/v2/beacons/${site.hall}`,
        body: { venueId: pointer('Venue', venue), location: { x: 0, y: 0 } },
      });
      const made: string[] = [];
      for (let minor = 2; minor <= 30; minor++)
        made.push(
          await site.beacon({ minor, venueId: pointer('Venue', venue), location: { x: (minor - 1) * 10, y: 0 } }),
        );
      rooms = made;
      for (const minor of [1, 2])
        await site.beacon({ major: 7, minor, venueId: pointer('Venue', other), location: { x: 0, y: 0 } });
      await create(site.app, '/api/v2/installations', { installationId: 'proven', deviceType: 'ios' }, secret);
    });
    afterAll(() => site.close());

    async function plan(query: Record<string, string> = {}, headers: Readonly<Record<string, string>> = {}) {
      site.app.clock.now += 1_000;
      const url = `/api/v2/regions?${new URLSearchParams(query)}`;
      return site.app.send({ method: 'GET', url, headers: { ...site.user.headers, ...headers } });
    }
    async function regions(query: Record<string, string> = {}): Promise<readonly Planned[]> {
      const { status, body } = await plan(query);
      assert.equal(status, 200, JSON.stringify(body));
      return body.result.regions;
    }
    const singles = (planned: readonly Planned[]) => planned.flatMap(({ beaconId }) => beaconId?.objectId ?? []);

    test('cover every beacon, and a region of a whole venue names it', async () => {
      const planned = await regions();
      assert.equal(planned.length, 20);
      assert.deepEqual(planned[0], { identifier: uuid, uuid });
      const sections = planned.filter(({ major, minor }) => major !== undefined && minor === undefined);
      assert.deepEqual(
        sections.map(({ identifier, place }) => [identifier, place?.objectId]).sort(),
        [
          [`${uuid}:1`, venue],
          [`${uuid}:7`, other],
        ].sort(),
      );
    });

    test('follow the phone: what it heard last is in the middle', async () => {
      await site.send(walk(stay(1, 8), site.now, 15), { sentAt: site.now + 8_000 });
      const near = singles(await regions({ installationId: 'phone-1', maxRegions: '7' }));
      // The UUID, the other section, and five of these rooms, ten metres apart.
      assert.deepEqual(
        near,
        [13, 12, 14, 11, 15].map((place) => rooms[place]),
      );
      const planned = await regions({ installationId: 'phone-1' });
      assert.ok(!planned.some(({ identifier }) => identifier === `${uuid}:1`), 'it is in this section');
      assert.ok(planned.some(({ identifier }) => identifier === `${uuid}:7`));
    });

    test('begin where the phone says that it is on earth, unless it was heard there', async () => {
      const sections = async (query: Record<string, string>) =>
        (await regions(query)).flatMap(({ major, minor }) => (minor === undefined ? [] : [`${major}:${minor}`]));
      const put = (objectId: string, name: string, location: object) =>
        site.ask({ method: 'PUT', url: `/api/v2/venues/${objectId}`, body: { name, location } });
      await put(venue, 'Museum', { latitude: 48.2, longitude: 16.36 });
      await put(other, 'Station', { latitude: 48.2, longitude: 17 });
      const station = { latitude: '48.21', longitude: '17.02' };
      assert.deepEqual(await sections(station), ['7:1', '7:2']);
      assert.deepEqual(await sections({ ...station, installationId: 'phone-1' }), ['7:1', '7:2'], 'it was elsewhere');
      const there = { latitude: '48.2', longitude: '16.37', installationId: 'phone-1', maxRegions: '7' };
      assert.deepEqual(singles(await regions(there)).slice(0, 2), [rooms[13], rooms[12]], 'it was heard here');
      const far = { latitude: '0', longitude: '0', installationId: 'phone-1', maxRegions: '7' };
      assert.equal(singles(await regions(far))[0], rooms[13], 'no venue is near');
    });

    test('are refused with a reason', async () => {
      for (const maxRegions of ['0', '21', 'many', '1.5'])
        assert.deepEqual([(await plan({ maxRegions })).status, (await plan({ maxRegions })).body.code], [400, 102]);
      for (const spot of ['latitude=48', 'latitude=91&longitude=0', 'latitude=1&longitude=x'].map((text) =>
        Object.fromEntries(new URLSearchParams(text)),
      ))
        assert.deepEqual([(await plan(spot)).status, (await plan(spot)).body.code], [400, 102]);
      assert.equal((await plan({ installationId: 'nobody' })).status, 404);
      assert.equal((await plan({ venueId: 'nowhere' })).status, 404);
    });

    test('say nothing about where somebody else’s phone is', async () => {
      const stranger = await signIn(site.app);
      const of = (headers: Readonly<Record<string, string>>) =>
        site.app.send({ method: 'GET', url: '/api/v2/regions?installationId=proven', headers });
      for (const headers of [stranger.headers, { ...stranger.headers, 'installation-secret': 'b'.repeat(43) }])
        assert.deepEqual([(await of(headers)).status, (await of(headers)).body.code], [403, 119]);
      assert.equal((await of({ ...stranger.headers, ...secret })).status, 200);
    });

    test('hold only beacons that the caller may list', async () => {
      const change = (resources: object) => site.app.app.apps.changeRules(site.app.appId, { resources });
      await change({ beacons: { list: { major: 7 } } });
      try {
        const user = await signIn(site.app);
        const { body } = await site.app.send({ method: 'GET', url: '/api/v2/regions', headers: user.headers });
        const found: readonly Planned[] = body.result.regions;
        assert.deepEqual(
          found.map(({ identifier }) => identifier).sort(),
          [uuid, `${uuid}:7`, `${uuid}:7:1`, `${uuid}:7:2`].sort(),
        );
        assert.equal(found[0]?.place, undefined, 'of the same UUID there is a beacon elsewhere');
        await change({ beacons: { list: 'app', members: { minor: { hidden: ['app', 'user'] } } } });
        const hidden = await site.app.send({ method: 'GET', url: '/api/v2/regions', headers: user.headers });
        assert.deepEqual(hidden.body.result, { regions: [], isComplete: false });
      } finally {
        await change({});
      }
    });

    test('of a venue that is entered mean the venue and no beacon, in whatever order this is told', async () => {
      const phone = 'phone-places';
      await site.installation({ installationId: phone });
      const at = site.now;
      const place = (event: string, seconds: number, venueId = other) => ({
        ...{ place: pointer('Venue', venueId), event, occurredAt: at + seconds * 1000 },
      });
      const report = async (...sightings: object[]) => {
        site.app.clock.now += 60_000;
        return site.send(sightings, { installationId: phone, sentAt: site.now });
      };
      const before = (await site.list('visits')).length;
      const { events, problems, received } = await report(place('EXIT', 50), place('ENTER', 10));
      assert.deepEqual([events, problems, received], [[], [], 2]);
      assert.equal((await site.list('visits')).length, before);
      const own = (planned: readonly Planned[]) => planned.filter(({ minor }) => minor !== undefined);
      const planned = own(await regions({ installationId: phone }));
      assert.deepEqual(
        planned.map(({ identifier }) => identifier),
        [`${uuid}:7:1`, `${uuid}:7:2`],
        'the venue where it was last',
      );
      const rows = async () =>
        (await site.rows('venue_entries')).map(({ venue_id, entered_at, left_at }) => [venue_id, entered_at, left_at]);
      const known = [other, at + 10_000, at + 50_000];
      assert.deepEqual(await rows(), [known]);
      await report(place('ENTER', 5), place('EXIT', 20), place('ENTER', 10));
      assert.deepEqual(await rows(), [known], 'late and repeated reports change nothing');
      const bad = [
        { place: pointer('Beacon', site.hall), event: 'ENTER' },
        place('NEAR', 60),
        { ...place('ENTER', 60), occurredAt: 'noon' },
        place('ENTER', 86_400),
        place('ENTER', 60, 'nowhere'),
      ];
      assert.deepEqual(
        (await report(...bad)).problems.map(({ index, code }: { index: number; code: string }) => [index, code]),
        [
          [0, 'bad_place'],
          [1, 'bad_event'],
          [2, 'bad_time'],
          [3, 'bad_time'],
          [4, 'unknown_place'],
        ],
      );
    });
  });
}
