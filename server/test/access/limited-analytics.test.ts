import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../support/build-app.ts';
import { browserOf, openConsole, password, signInToConsole } from '../support/console.ts';
import { openSite, pointer, type Site } from '../support/site.ts';
import { monthAfter } from '../support/sites/counted-house.ts';

/** Ways, peaks and forecasts of zones for those who are limited to venues: those of their venues, as if there were no others. */

const minute = 60_000;
const day = 1440 * minute;
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

type Query = Readonly<Record<string, string>>;
interface House {
  readonly venue: string;
  readonly floor: string;
  readonly zones: readonly string[];
  readonly beacons: readonly string[];
  /** In no zone. */
  readonly loose: string;
}

for (const database of databases) {
  describe(`ways and peaks of some venues on ${database}`, () => {
    let site: Site;
    let north: House;
    let south: House;
    let came: number;

    const make = async (path: string, body: object): Promise<string> => {
      const answer = await site.ask({ method: 'POST', url: `/api/v2/${path}`, body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.result.objectId;
    };

    async function house(name: string, minor: number): Promise<House> {
      const venue = await make('venues', { name });
      const of = pointer('Venue', venue);
      const floor = await make('floors', { name: `${name} ground`, level: 0, venueId: of });
      const [zones, beacons]: [string[], string[]] = [[], []];
      for (const [index, room] of ['hall', 'shop'].entries()) {
        const polygon = [0, 5, 5].map((x, at) => ({ x: x + 10 * index, y: at < 2 ? 0 : 5 }));
        zones.push(
          await make('zones', { name: `${name} ${room}`, kind: 'room', floorId: pointer('Floor', floor), polygon }),
        );
        const location = { x: 4 + 10 * index, y: 1, floor: 0 };
        beacons.push(await site.beacon({ name: `${name} ${room}`, minor: minor + index, venueId: of, location }));
      }
      const loose = await site.beacon({ name: `${name} gate`, minor: minor + 2, venueId: of });
      return { venue, floor, zones, beacons, loose };
    }

    /** At each beacon for five minutes, one after the other. */
    async function walk(phone: string, beacons: readonly string[]): Promise<void> {
      const began = site.app.clock.now;
      for (const beacon of beacons)
        for (const event of ['ENTER', 'EXIT']) {
          await site.send([{ beacon, event, occurredAt: site.now }], { installationId: phone });
          site.app.clock.now += 5 * minute;
        }
      site.app.clock.now = began;
    }

    beforeAll(async () => {
      site = await openSite(database);
      site.app.app.ticker.stop();
      north = await house('North', 41);
      south = await house('South', 51);
      const now = site.now;
      // The weekday of tomorrow, of which a forecast is made; at noon, so that all of it is on one day.
      came = Math.floor(now / day) * day - 6 * day + day / 2;
      site.app.clock.now = came;
      for (const [phone, beacons] of [
        ['one', [...north.beacons, north.loose]],
        ['two', [...south.beacons, south.loose]],
        // Through both: what is done in one of them is a tour of its own.
        ['both', [...north.beacons, ...south.beacons]],
      ] as const) {
        await site.installation({ installationId: phone });
        await walk(phone, beacons);
      }
      site.app.clock.now = now;
      await site.app.app.rollups.settle(site.app.appId);
    });
    afterAll(() => site.close());

    const placesOf = ({ venue, floor, zones: [zoneId = ''] }: House): readonly Query[] => [
      { venueId: venue },
      { floorId: floor },
      { zoneId },
    ];
    const beaconsOf = ({ beacons, loose }: House): readonly Query[] =>
      [...beacons, loose].map((beaconId) => ({ beaconId }));
    const data = (path: string) => `/apps/${site.app.appId}/v2${path}`;
    /** Somebody who may see the one venue, and an owner, both just signed in. */
    async function signIn(house: House) {
      const email = `limited${people++}@museum.example`;
      const apps = [{ appId: site.app.appId, venues: [house.venue] }];
      await site.app.app.admins.create({ email, name: 'L', role: 'analyst', password, apps }, who);
      const limited = browserOf(site.app, await signInToConsole(site.app, email));
      return { limited, owner: await openConsole(site.app, 'owner') };
    }
    let people = 0;
    const who = { name: 'test', address: null };
    type Person = Awaited<ReturnType<typeof signIn>>['limited'];
    async function ask(by: Person, what: string, query: Query) {
      const answer = await by.send({ method: 'GET', url: data(`/analytics/${what}?${new URLSearchParams(query)}`) });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.result;
    }
    interface Place {
      readonly zoneId?: string;
      readonly beaconId?: string;
    }
    const idOf = (place: Place | null) => place?.zoneId ?? place?.beaconId ?? '';
    const flows = (result: { moves: Move[]; reaches: Move[] }) =>
      [...result.moves, ...result.reaches].map(({ from, to, tours }) => `${idOf(from)}>${idOf(to)} ${tours}`).sort();
    interface Move {
      readonly from: Place | null;
      readonly to: Place | null;
      readonly tours: number;
    }

    /** Everything that is told of a period, as texts that name their places. */
    async function told(by: Person, period: Query, place: Query = {}): Promise<readonly string[]> {
      const moves = flows(await ask(by, 'flows', { ...period, ...place }));
      const paths = await ask(by, 'paths', { ...period, ...place });
      const { rows } = await ask(by, 'peaks', { ...period, ...place, interval: 'day' });
      return [
        ...moves,
        ...paths.paths.map((one: { stops: Place[]; tours: number }) => `${one.stops.map(idOf).join('>')} ${one.tours}`),
        ...rows.map((row: Place & { peak: number }) => `${idOf(row)} ${row.peak}`),
        `${paths.tours} tours`,
      ];
    }

    async function isDivided(period: Query): Promise<void> {
      // South first: the owner's answers are not in memory yet, and then those of all venues are.
      for (const [own, other] of [
        [south, north],
        [north, south],
      ] as const) {
        const { limited, owner } = await signIn(own);
        const [mine, ofVenue] = [await told(limited, period), await told(owner, period, { venueId: own.venue })];
        assert.deepEqual(mine, ofVenue, 'as if there were no other venue');
        assert.ok(mine.some((text) => text.includes(`${own.zones[0]}>${own.zones[1]}`)) && mine.length > 8);
        for (const id of [...other.zones, ...other.beacons, other.loose])
          assert.ok(!mine.some((text) => text.includes(id)), 'nothing of the other venue');
        assert.ok((await told(owner, period)).length > mine.length);
        assert.deepEqual(await told(limited, period, { venueId: own.venue }), ofVenue);
        for (const place of [...placesOf(own), ...beaconsOf(own)]) {
          const ofPlace = await told(limited, period, place);
          assert.deepEqual(ofPlace, await told(owner, period, place));
          assert.ok(ofPlace.length > 1, JSON.stringify(place));
        }
        for (const place of [...placesOf(other), ...beaconsOf(other)])
          assert.deepEqual(await told(limited, period, place), ['0 tours'], JSON.stringify(place));
      }
    }

    test('are told of days that are read one by one', () =>
      isDivided({ from: dateOf(came), until: dateOf(came + day) }));

    test('and of months that are over, which are kept in memory for everybody', async () => {
      const now = site.now;
      site.app.clock.now += 70 * day;
      await site.app.app.rollups.settle(site.app.appId);
      await isDivided({ from: `${dateOf(came).slice(0, 7)}-01`, until: monthAfter(dateOf(came)) });
      site.app.clock.now = now;
    });

    test('what a zone may bring is told of zones of these venues', async () => {
      const zonesOf = async (by: Person, query: Query = {}) =>
        (await ask(by, 'forecast/zones', query)).zones.map(({ zoneId }: { zoneId: string }) => zoneId).sort();
      const { limited, owner } = await signIn(north);
      assert.deepEqual(await zonesOf(owner), [...north.zones, ...south.zones].sort());
      assert.deepEqual(await zonesOf(limited), [...north.zones].sort());
      assert.deepEqual(await zonesOf(limited, { floorId: north.floor }), [...north.zones].sort());
      for (const query of placesOf(south)) assert.deepEqual(await zonesOf(limited, query), []);
    });

    test('a secret key for one venue is told no more', async () => {
      const owner = await openConsole(site.app, 'owner');
      const scopes = [{ resource: 'analytics', verbs: ['list'], venues: [north.venue] }];
      const url = `/apps/${site.app.appId}/secret-keys`;
      const made = await owner.send({ method: 'POST', url, body: { name: 'Sign', scopes } });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const headers = { 'x-service-appkey': made.body.result.secretKey };
      const query = new URLSearchParams({ from: dateOf(came), until: dateOf(came + day) });
      const get = (what: string) =>
        site.app.send({ method: 'GET', url: `/api/v2/analytics/${what}?${query}`, headers });
      const answer = await get('flows');
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const seen = JSON.stringify(answer.body);
      assert.ok(seen.includes(north.zones[0] ?? '-') && !south.zones.some((id) => seen.includes(id)));
      assert.equal((await get('messages')).status, 403, 'what messages led to is not divided');
    });
  });
}
