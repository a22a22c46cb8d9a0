import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../src/access/audit.ts';
import { limitedByVenue, ruledResources } from '../../src/access/rules/presets.ts';
import { type Answer, databases, type SentRequest } from '../support/build-app.ts';
import { browserOf, openConsole, password, signInToConsole } from '../support/console.ts';
import { openSite, pointer, type Site, stay, walk } from '../support/site.ts';

/**
 * Whoever is limited to one venue is told of another by no endpoint, whichever there are, when people have been in both. By id with every
 * method: matrix.hostile.test.ts.
 */

for (const database of databases) {
  describe(`what belongs to another venue, on ${database}`, () => {
    let site: Site;
    let south: Readonly<Record<string, string>>;
    /** By who asks. */
    let asking: Readonly<Record<string, (request: SentRequest) => Promise<Answer>>>;

    const make = async (path: string, body: object): Promise<string> => {
      const answer = await site.ask({ method: 'POST', url: `/api/v2/${path}`, body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.result.objectId;
    };
    const half = async (name: string, minor: number) => {
      const venue = await make('venues', { name, capacity: 1 });
      const venueId = pointer('Venue', venue);
      const floor = await make('floors', { name: `${name} ground`, level: 0, venueId });
      const polygon = [
        { x: 0, y: 0 },
        { x: 9, y: 0 },
        { x: 9, y: 9 },
      ];
      const drawn = { name: `${name} room`, kind: 'room', capacity: 1, polygon };
      const zone = await make('zones', { ...drawn, floorId: pointer('Floor', floor) });
      const beacon = await site.beacon({ name: `${name} door`, minor, venueId, location: { x: 5, y: 1 } });
      const notification = await site.notification({ description: `At ${name}`, beaconId: pointer('Beacon', beacon) });
      for (const phone of ['one', 'two'])
        await site.send(walk(stay(1, 30), site.now, minor), { installationId: `${name} ${phone}` });
      const where = JSON.stringify({ beaconId: pointer('Beacon', beacon) });
      const [[visit], [event]] = [await site.list('visits', { where }), await site.list('events', { where })];
      return { venue, floor, zone, beacon, notification, visit: visit.objectId, event: event.objectId };
    };

    beforeAll(async () => {
      site = await openSite(database);
      const { app } = site;
      for (const name of ['North', 'South'])
        for (const phone of ['one', 'two']) await site.installation({ installationId: `${name} ${phone}` });
      const north = await half('North', 21);
      app.clock.now += 600_000;
      south = await half('South', 22);
      app.clock.now += 600_000;
      await app.app.ticker.tick();
      await app.app.idle();
      await app.app.rollups.settle(app.appId);
      const owner = await openConsole(app, 'owner');
      const email = 'north@museum.example';
      const apps = [{ appId: app.appId, venues: [north.venue] }];
      await owner.send({
        method: 'POST',
        url: '/administrators',
        body: { email, name: 'N', role: 'manager', password, apps },
      });
      const browser = browserOf(app, await signInToConsole(app, email));
      const scopes = Object.entries(ruledResources).flatMap(([resource, { verbs }]) =>
        limitedByVenue.has(resource)
          ? [{ resource, verbs: Object.keys(verbs).filter((verb) => verb !== 'listen'), venues: [north.venue] }]
          : [],
      );
      const { secretKey } = await app.app.secretKeys.create(app.appId, { name: 'North', scopes }, commandLine);
      const headers = { 'x-service-appkey': secretKey };
      asking = {
        administrator: (request) => browser.send({ ...request, url: `/apps/${app.appId}/v2${request.url}` }),
        'secret key': (request) => app.send({ ...request, url: `/api/v2${request.url}`, headers }),
      };
    });
    afterAll(() => site.close());

    const lists = () =>
      site.app.app.endpoints.filter(
        ({ method, path }) => method === 'GET' && !path.includes(':') && path !== '/stream',
      );

    test('is in no list, count and number', async () => {
      const day = new Date(site.now).toISOString().slice(0, 10);
      for (const [who, ask] of Object.entries(asking)) {
        let answered = 0;
        for (const { path } of lists())
          for (const query of [
            `from=${day}&count=1`,
            `from=${day}&groupBy=beacon`,
            `order=-createdAt`,
            `where=${encodeURIComponent(JSON.stringify({ objectId: { $ne: 'x' } }))}`,
          ]) {
            const answer = await ask({ method: 'GET', url: `${path}?${query}` });
            const text = JSON.stringify(answer.body);
            if (answer.status === 200) answered++;
            for (const id of [...Object.values(south), 'South'])
              assert.ok(!text.includes(id), `${who}, ${path}?${query}: ${text}`);
          }
        assert.ok(answered > 20, `${who} is answered ${answered} times`);
      }
    });

    test('competed for nobody, as far as is told of an event', async () => {
      await site.installation({ installationId: 'between' });
      const start = site.now;
      const both = [...walk(stay(1, 30), start, 21), ...walk(stay(4, 30), start, 22)];
      await site.send(both, { installationId: 'between' });
      const where = JSON.stringify({ rivals: { $exists: true } });
      const seen = (await site.list('events', { where })).filter(({ rivals }: { rivals: object[] }) =>
        JSON.stringify(rivals).includes(south['beacon'] ?? ''),
      );
      const event = seen.find(
        ({ beaconId }: { beaconId: { objectId: string } }) => beaconId.objectId !== south['beacon'],
      );
      assert.ok(event, JSON.stringify(seen));
      for (const [who, ask] of Object.entries(asking)) {
        const list = await ask({ method: 'GET', url: '/events' });
        const one = await ask({ method: 'GET', url: `/events/${event.objectId}` });
        for (const { status, raw } of [list, one]) {
          assert.equal(status, 200, who);
          assert.ok(!raw.toString().includes(south['beacon'] ?? ''), `${who}: ${raw}`);
        }
        const { objectId, rivals } = one.body.result;
        assert.equal(objectId, event.objectId);
        assert.equal(rivals.length, event.rivals.length - 1, 'the others are told');
        const guesses = [
          `where=${encodeURIComponent(where)}`,
          `where=${encodeURIComponent(JSON.stringify({ $or: [{ rivals: event.rivals }] }))}`,
          'order=-rivals',
        ];
        for (const guess of guesses)
          assert.equal((await ask({ method: 'GET', url: `/events?${guess}` })).body.code, 102, `${who}: ${guess}`);
        const whole = await site.app.send({
          method: 'GET',
          url: `/api/v2/events/${event.objectId}`,
          headers: site.user.headers,
        });
        assert.notEqual(one.headers['etag'], whole.headers['etag'], 'nor does a tag tell it');
      }
    });
  });
}
