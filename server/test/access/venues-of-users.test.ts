import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type SignedIn, signIn, signInManager, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { openConsole } from '../support/console.ts';
import { openStream } from '../support/event-stream.ts';
import { openSite, type Site, stay, uuid, walk } from '../support/site.ts';
import { listen } from '../support/socket.ts';

/** Venues of users, of which rules speak as `$auth.venues`. */

const pointer = (objectId: string) => ({ __type: 'Pointer', className: 'Venue', objectId });

for (const database of databases) {
  describe(`venues of users on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let guide: SignedIn;
    let north: string;
    let south: string;
    const beacons: Record<string, string> = {};
    beforeAll(async () => {
      app = await buildApp({ database });
      [manager, guide] = [await signInManager(app), await signIn(app)];
      const { headers } = manager;
      north = await create(app, '/api/v2/venues', { name: 'North' }, headers);
      south = await create(app, '/api/v2/venues', { name: 'South' }, headers);
      for (const [name, venueId] of [
        ['n', pointer(north)],
        ['s', pointer(south)],
        ['none', undefined],
      ] as const) {
        const body = {
          name,
          uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
          major: 1,
          minor: Object.keys(beacons).length,
        };
        beacons[name] = await create(app, '/api/v2/beacons', { ...body, ...(venueId ? { venueId } : {}) }, headers);
      }
      const own = { venueId: '$auth.venues' };
      await app.app.apps.changeRules(app.appId, {
        resources: {
          beacons: { list: own, get: own, update: own, create: own },
          venues: { list: { objectId: { $in: ['$auth.venues'] } } },
        },
      });
    });
    afterAll(() => app.close());

    const give = (venueIds: unknown, by: SignedIn = manager, to: SignedIn = guide) =>
      app.send({ method: 'PUT', url: `/api/v2/users/${to.userId}/venues`, headers: by.headers, body: { venueIds } });
    const send = (method: 'GET' | 'PUT' | 'POST', path: string, body?: object) =>
      app.send({ method, url: `/api/v2${path}`, headers: guide.headers, ...(body ? { body } : {}) });
    const names = async (path: string) =>
      (await send('GET', path)).body.results.map(({ name }: { name: string }) => name).sort();

    test('rules let somebody see and change what belongs to her venues, from the next request on', async () => {
      assert.deepEqual([await names('/beacons'), await names('/venues')], [[], []], 'who belongs to none sees none');
      assert.equal((await give([north])).status, 200);
      assert.deepEqual([await names('/beacons'), await names('/venues')], [['n'], ['North']]);
      assert.equal((await send('GET', '/beacons?count=1')).body.count, 1);
      assert.equal((await send('GET', `/beacons/${beacons['n']}`)).status, 200);
      assert.equal((await send('GET', `/beacons/${beacons['s']}`)).status, 404);
      assert.equal((await send('PUT', `/beacons/${beacons['n']}`, { name: 'n' })).status, 200);
      const moved = await send('PUT', `/beacons/${beacons['n']}`, { venueId: pointer(south) });
      assert.ok([403, 404].includes(moved.status), 'not to where she does not belong');
      await give([north, south, north]);
      assert.deepEqual(await names('/beacons'), ['n', 's']);
      assert.deepEqual((await send('GET', '/users/me')).body.result.venueIds, [north, south].sort());
      await give([]);
      assert.deepEqual(await names('/beacons'), []);
    });

    test('a record belongs to those of its venue, whoever asked before', async () => {
      const other = await signIn(app);
      const { headers } = manager;
      await app.app.buckets.createBucket(app.appId, 'tours');
      await create(app, '/api/v2/data/schema/tours', { column: { venue: { type: 'String' } } }, headers);
      await app.app.apps.changeRules(app.appId, { buckets: { tours: { get: { 'metadata.venue': '$auth.venues' } } } });
      const make = (venue: string) => create(app, '/api/v2/data/bucket/tours', { metadata: { venue } }, headers);
      const [northern, southern] = [await make(north), await make(south)];
      const read = async (by: SignedIn, record: string) =>
        (await app.send({ method: 'GET', url: `/api/v2/data/bucket/tours/${record}`, headers: by.headers })).status;
      const all = async () => [
        await read(guide, northern),
        await read(guide, southern),
        await read(other, northern),
        await read(other, southern),
      ];
      await give([north]);
      await give([north, south], manager, other);
      assert.deepEqual(await all(), [200, 404, 200, 200]);
      await give([]);
      await give([south], manager, other);
      assert.deepEqual(await all(), [404, 404, 404, 200]);
    });

    test('managers give them, and only those that there are', async () => {
      assert.equal((await give([north], guide)).status, 403);
      const unknown = await give([north, 'nowhere']);
      assert.deepEqual([unknown.status, unknown.body.error.details[0].field], [400, 'venueIds']);
      assert.equal((await give('north')).status, 400);
      assert.equal((await give([], manager, { ...guide, userId: 'nobody' })).status, 404);
      assert.equal((await give([south])).status, 200);
      const ada = await openConsole(app, 'owner');
      const url = `/apps/${app.appId}/users/${guide.userId}`;
      assert.deepEqual((await ada.send({ method: 'GET', url })).body.result.venueIds, [south]);
      assert.equal((await ada.send({ method: 'PUT', url, body: { venueIds: [] } })).status, 200);
      const [entry] = (await ada.send({ method: 'GET', url: '/audit?action=user.change' })).body.results;
      assert.deepEqual([entry.before, entry.after], [{ venues: [south] }, { venues: [] }]);
    });

    test('two administrators do not overwrite one another, and a venue that was deleted since may stay', async () => {
      const ada = await openConsole(app, 'owner');
      const url = `/apps/${app.appId}/users/${guide.userId}`;
      const change = (body: object, tag: unknown) =>
        ada.send({ method: 'PUT', url, body, headers: { 'if-match': String(tag) } });
      const tag = (await ada.send({ method: 'GET', url })).headers['etag'];
      const first = await change({ venueIds: [north] }, tag);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      const late = await change({ venueIds: [south], role: 'manager' }, tag);
      assert.deepEqual([late.status, late.body.error.name], [412, 'PreconditionFailed']);
      const { venueIds, role } = (await ada.send({ method: 'GET', url })).body.result;
      assert.deepEqual([venueIds, role], [[north], 'user']);
      const gone = await create(app, '/api/v2/venues', { name: 'Gone' }, manager.headers);
      await give([gone]);
      await app.send({ method: 'DELETE', url: `/api/v2/venues/${gone}`, headers: manager.headers });
      assert.equal((await give([gone, north])).status, 200);
      await give([north]);
      assert.equal((await give([gone, north])).status, 400, 'and is not given anew');
      const both = await ada.send({ method: 'PUT', url, body: { role: 'manager', venueIds: ['nowhere'] } });
      assert.equal(both.status, 400);
      assert.equal((await ada.send({ method: 'GET', url })).body.result.role, 'user', 'all of a change or nothing');
    });
  });
}

for (const database of databases) {
  describe(`what happened in the venues of a user on ${database}`, () => {
    let site: Site;
    let guide: SignedIn;
    const venues: Record<string, string> = {};
    const beacons: Record<string, string> = {};
    const kinds = ['visits', 'events', 'verdicts', 'logs'] as const;

    beforeAll(async () => {
      site = await openSite(database);
      const { app, user } = site;
      guide = await signIn(app);
      for (const [name, minor] of [
        ['north', 11],
        ['south', 12],
      ] as const) {
        venues[name] = await create(app, '/api/v2/venues', { name }, user.headers);
        const body = { name, uuid, major: 1, minor, venueId: pointer(venues[name]) };
        beacons[name] = await create(app, '/api/v2/beacons', body, user.headers);
        const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: beacons[name] };
        await site.notification({ beaconId });
      }
      const own = { venueId: '$auth.venues' };
      const rules = { list: own, get: own, listen: own };
      await app.app.apps.changeRules(app.appId, {
        resources: {
          visits: rules,
          events: rules,
          verdicts: { list: own, listen: own },
          logs: { list: own },
          notifications: { list: own, get: own },
        },
      });
    });
    afterAll(() => site.close());

    const give = async (...venueIds: (string | undefined)[]) => {
      const url = `/api/v2/users/${guide.userId}/venues`;
      assert.equal((await site.ask({ method: 'PUT', url, body: { venueIds } })).status, 200);
    };
    const ask = (path: string, headers: SignedIn['headers'] = guide.headers) =>
      site.app.send({ method: 'GET', url: `/api/v2/${path}`, headers });
    /** Somebody is at both beacons, one after the other. */
    async function visitBoth() {
      for (const minor of [11, 12]) {
        site.app.clock.now += 60_000;
        await site.send(walk(stay(1, 20), site.now, minor));
        site.app.clock.now += 120_000;
        await site.app.app.ticker.tick();
      }
    }
    const seen = async (kind: string) =>
      (await ask(`${kind}?limit=1000`)).body.results.map(
        ({ beaconId }: { beaconId: { objectId: string } }) => beaconId.objectId,
      );

    test('is listed, counted, read by id and heard by rules that name the venue, and nothing elsewhere', async () => {
      await give(venues['north']);
      const port = await listen(site.app);
      const open = (headers: SignedIn['headers']) =>
        openStream(port, '/api/v2/stream', { ...site.app.credentials, ...headers });
      const [hers, all] = [await open(guide.headers), await open(site.user.headers)];
      await Promise.all([hers.ready, all.ready]);
      await visitBoth();
      const heard = (stream: typeof all) => JSON.stringify(stream.events);
      await all.received(8);
      assert.ok(heard(all).includes(beacons['south'] ?? '?'));
      for (const kind of [...kinds, 'notifications']) {
        const found: string[] = await seen(kind);
        assert.ok(found.length > 0 && found.every((id) => id === beacons['north']), `${kind}: ${found}`);
        assert.equal((await ask(`${kind}?count=1&limit=0`)).body.count, found.length, kind);
        const there = { beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beacons['south'] } };
        const where = (condition: object) => `where=${encodeURIComponent(JSON.stringify(condition))}`;
        const [other] = (await ask(`${kind}?${where(there)}`, site.user.headers)).body.results;
        const question = where({ $or: [{ objectId: other.objectId }, there] });
        assert.deepEqual((await ask(`${kind}?count=1&${question}`)).body, { results: [], count: 0 }, kind);
        if (kind === 'visits' || kind === 'events' || kind === 'notifications')
          assert.equal((await ask(`${kind}/${other.objectId}`)).status, 404, kind);
        assert.equal((await ask(`${kind}?${where({ venueId: pointer(venues['south'] ?? '') })}`)).body.code, 102, kind);
      }
      await hers.received(4);
      assert.ok(hers.events.length > 0 && !heard(hers).includes(beacons['south'] ?? '?'), heard(hers));
      for (const stream of [hers, all]) stream.close();
    });

    test('counts from the next request on, and a beacon that moves takes what happened there with it', async () => {
      await give();
      for (const kind of kinds) assert.deepEqual(await seen(kind), [], kind);
      await give(venues['south']);
      for (const kind of kinds) assert.deepEqual([...new Set(await seen(kind))], [beacons['south']], kind);
      const move = (venue: string | undefined) =>
        site.ask({
          method: 'PUT',
          url: `/api/v2/beacons/${beacons['north']}`,
          body: { venueId: pointer(venue ?? '') },
        });
      assert.equal((await move(venues['south'])).status, 200);
      assert.equal(new Set(await seen('visits')).size, 2);
      assert.equal((await move(venues['north'])).status, 200);
    });
  });
}
