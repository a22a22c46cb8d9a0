import assert from 'node:assert/strict';
import type { FloorPlan } from '@pharos/engine/simulation';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import { openConsole } from '../../../../../test/support/console.ts';
import { openSite, pointer, type Site } from '../../../../../test/support/site.ts';
import { defaultPolicy } from '../../../../access/policy.ts';
import type { Db } from '../../../../db/db.ts';
import { walk } from './walk.ts';

const url = '/api/v2/simulations/walks';
interface Told {
  readonly objectId: string;
  readonly event: string;
  readonly beaconId: { readonly objectId: string };
}

const noon = Date.UTC(2030, 0, 7, 12);

test('a walk of which nobody reads any more ends in the middle', async () => {
  const over = new AbortController();
  const plan: FloorPlan = { beacons: [], walls: [], waypoints: [], paths: undefined, pathLossExponent: 2 };
  const way = [0, 9].map((x) => ({ x, y: 0, floor: 0, stay: 0 }));
  const site = { beaconsById: async () => [], beaconsByAddress: async () => [], triggers: async () => [] };
  const stage = { plan, way, beacons: new Map(), site, placed: 0, omitted: 0 };
  const pretence = { appId: 'app', policy: defaultPolicy, hasTarget: true, locale: null, receiverOffset: null };
  const asked = { stage, pretence, visitors: 3, seconds: 60, seed: '1', start: noon, loss: 0 };
  const walked: number[] = [];
  // Nothing is heard and nothing is asked of a database.
  for await (const { number, steps } of walk({} as Db, asked, { signal: over.signal, judged: new Map() })) {
    assert.equal(steps.length, 60);
    walked.push(number);
    if (number === 2) over.abort();
  }
  assert.deepEqual(walked, [1, 2]);
});

for (const database of databases) {
  describe(`simulated walks on ${database}`, () => {
    let site: Site;
    let venueId: string;
    let floorId: string;
    /** Beacons three metres apart along a hall. */
    let beacons: readonly string[];
    let welcome: string;
    beforeAll(async () => {
      site = await openSite(database);
      await site.app.app.apps.change(site.app.appId, { policy: { oneZone: true } });
      const make = (path: string, body: object) => create(site.app, `/api/v2/${path}`, body, site.user.headers);
      venueId = await make('venues', { name: 'House', timeZone: 'Europe/Copenhagen' });
      floorId = await make('floors', { venueId: pointer('Venue', venueId), name: 'Ground floor', level: 0 });
      beacons = await Promise.all(
        [2, 8, 14].map((x, index) =>
          make('beacons', {
            name: `Beacon ${index}`,
            uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
            major: 7,
            minor: index + 1,
            venueId: pointer('Venue', venueId),
            location: { x, y: 1, floor: 0 },
          }),
        ),
      );
      welcome = await site.notification({ beaconId: pointer('Beacon', beacons[1] ?? '') });
    });
    afterAll(() => site.close());

    const route = [
      { x: -4, y: 2 },
      { x: 8, y: 2, stay: 40 },
      { x: 30, y: 2 },
    ];
    const ask = (body: object) => site.ask({ method: 'POST', url, body: { floorId, at: noon, ...body } });

    test('somebody goes a way that was drawn, is noticed near where she is, and gets the message there', async () => {
      const answer = await ask({ route });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { visitors, beacons: placed, seconds } = answer.body.result;
      assert.equal(placed, 3);
      const [{ steps, events, verdicts, messages }] = visitors;
      assert.equal(steps.length, seconds);
      assert.deepEqual([steps[0].at, steps.at(-1).at], [1, seconds]);
      const standing = steps.filter(({ x, y }: { x?: number; y?: number }) => x === 8 && y === 2);
      assert.ok(standing.length >= 39 && standing.length <= 41, `${standing.length} s at the stop`);
      assert.ok(
        standing.slice(15).every(({ believed }: { believed: { beacon: string } }) => believed.beacon === beacons[1]),
        'she is believed to be at the beacon before which she stands',
      );
      const errors = standing.slice(15).map(({ believed }: { believed: { error: number } }) => believed.error);
      assert.ok(
        errors.every((error: number) => error < 6),
        `errors ${errors}`,
      );
      assert.equal('x' in steps.at(-1), false, 'after the last point she is gone');
      for (const kind of ['ENTER', 'EXIT'])
        assert.ok(
          events.some(({ event, beaconId }: Told) => event === kind && beaconId.objectId === beacons[1]),
          kind,
        );
      assert.ok(messages.length > 0);
      assert.ok(messages.every(({ triggerId }: { triggerId: string }) => triggerId === welcome));
      // One for each time she was at that beacon, and none about any other event.
      assert.deepEqual(
        verdicts.map(({ eventId, reason }: Record<string, string>) => [eventId, reason]),
        events
          .filter(({ event, beaconId }: Told) => event === 'ENTER' && beaconId.objectId === beacons[1])
          .map(({ objectId }: Told) => [objectId, 'fired']),
      );
    });

    test('the same seed gives the same, another one another walk; nothing is stored, sent or counted', async () => {
      const tables = ['visits', 'events', 'verdicts', 'tracks', 'positions', 'installations', 'firings'];
      const counts = async () => Promise.all(tables.map(async (table) => (await site.rows(table)).length));
      const before = await counts();
      const roam = (seed: string) => ask({ seed, visitors: 2, seconds: 40 });
      const [first, again, other] = [await roam('a'), await roam('a'), await roam('b')];
      assert.equal(first.body.result.visitors.length, 2);
      assert.deepEqual(again.body, first.body);
      assert.notDeepEqual(other.body.result.visitors, first.body.result.visitors);
      assert.deepEqual(await counts(), before);
    });

    test('clutter, walls and a phone in a bag leave less to hear', async () => {
      const heard = async (body: object) => {
        const { visitors } = (await ask({ route, ...body })).body.result;
        return visitors[0].steps.reduce((sum: number, step: { heard: number }) => sum + step.heard, 0);
      };
      const open = await heard({ clutter: 'open' });
      assert.ok((await heard({ clutter: 'crowded' })) < open);
      assert.ok((await heard({ clutter: 'open', phone: { loss: 25 } })) < open);
    });

    test('what cannot be walked is refused with a sentence', async () => {
      const refused: readonly [object, number, RegExp][] = [
        [{ floorId: 'nosuch' }, 404, /there is no floor nosuch/],
        [{ route: [{ x: 1, y: 1 }] }, 400, /route must have at least 2 elements/],
        [
          {
            route: [
              { x: 0, y: 0 },
              { x: 90_000, y: 0 },
            ],
          },
          400,
          /route takes 1119 minutes; a walk has at most 59/,
        ],
        [{ visitors: 20, seconds: 3600 }, 400, /at most 7200 are possible/],
        [{ visitors: 21 }, 400, /visitors must be at most 20/],
        [{ at: 'noon' }, 400, /at must be an ISO 8601 date/],
        [{ clutter: 'foggy' }, 400, /clutter must be one of open, furnished, crowded/],
      ];
      for (const [body, status, message] of refused) {
        const answer = await ask(body);
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        assert.match(answer.body.error.error, message);
      }
      const empty = await create(
        site.app,
        '/api/v2/floors',
        { venueId: pointer('Venue', venueId), name: 'Attic', level: 5 },
        site.user.headers,
      );
      const nothing = await ask({ floorId: empty });
      assert.deepEqual(nothing.status, 400);
      assert.match(nothing.body.error.error, /this floor has no beacons to which visitors could roam/);
    });

    test('where there are many beacons and walls a walk is shorter', async () => {
      const corners = Array.from({ length: 200 }, (_, index) => {
        const turn = (index * 2 * Math.PI) / 200;
        return { x: 400 * Math.cos(turn), y: 400 * Math.sin(turn) };
      });
      const make = (path: string, body: object) => create(site.app, `/api/v2/${path}`, body, site.user.headers);
      const where = pointer('Venue', venueId);
      const park = await make('floors', { venueId: where, name: 'Park', level: -3 });
      for (const name of ['a', 'b', 'c'])
        await make('zones', { floorId: pointer('Floor', park), name, kind: 'outdoors', polygon: corners });
      const asked = {
        floorId: park,
        route: [
          { x: 0, y: 0 },
          { x: 9, y: 0 },
        ],
        visitors: 2,
        seconds: 3600,
      };
      // Three beacons and 600 walls allow more than anybody may ask for.
      const hosts = Array.from({ length: 30 }, (_, minor) => ({ name: `Far ${minor}`, minor: 100 + minor }));
      await Promise.all(
        hosts.map(({ name, minor }) =>
          make('beacons', {
            name,
            uuid: 'A9407F30-F5F8-466E-AFF9-25556B57FE6D',
            major: 9,
            minor,
            venueId: where,
            location: { x: 900, y: 900 + minor, floor: 9 },
          }),
        ),
      );
      const refused = await ask({ ...asked, walls: true });
      assert.equal(refused.status, 400, JSON.stringify(refused.body).slice(0, 200));
      assert.match(refused.body.error.error, /5454 seconds together where there are 33 beacons, and 600 walls/);
    });

    test('administrators limited to venues can use the floors of these', async () => {
      const elsewhere = await create(site.app, '/api/v2/venues', { name: 'Other' }, site.user.headers);
      const body = { floorId, at: noon, seconds: 10 };
      const owner = await openConsole(site.app, 'owner');
      const editor = await openConsole(site.app, 'editor');
      const url = `/apps/${site.app.appId}/v2/simulations/walks`;
      for (const [venue, status] of [
        [venueId, 200],
        [elsewhere, 404],
      ] as const) {
        const limits = { apps: [{ appId: site.app.appId, venues: [venue] }] };
        const limited = await owner.send({ method: 'PUT', url: `/administrators/${editor.adminId}`, body: limits });
        assert.equal(limited.status, 200, JSON.stringify(limited.body));
        assert.equal((await editor.send({ method: 'POST', url, body })).status, status);
      }
      const analyst = await openConsole(site.app, 'analyst');
      const refused = await analyst.send({ method: 'POST', url, body });
      assert.equal(refused.status, 403);
    });
  });
}
