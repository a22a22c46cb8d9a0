import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import { openSite, pointer, type Site } from '../../../../../test/support/site.ts';
import { defaultPolicy } from '../../../../access/policy.ts';
import type { Db } from '../../../../db/db.ts';
import { StreamAnswer } from '../../../../http/streams/stream-answer.ts';
import { type StageFloor, type StageReads, setStage } from './stage.ts';
import { walkEndpoints } from './walk.ts';

interface Step {
  readonly x?: number;
  readonly floor?: number;
  readonly believed?: { readonly beacon: string; readonly floor?: number };
}

const noon = Date.UTC(2030, 0, 7, 12);

for (const database of databases) {
  describe(`simulated walks over several floors on ${database}`, () => {
    let site: Site;
    let floors: readonly string[];
    /** Of each floor the one in the middle of three. */
    let beacons: readonly string[];
    beforeAll(async () => {
      site = await openSite(database);
      await site.app.app.apps.change(site.app.appId, { policy: { oneZone: true } });
      const make = (path: string, body: object) => create(site.app, `/api/v2/${path}`, body, site.user.headers);
      const venueId = pointer('Venue', await make('venues', { name: 'House' }));
      const levels = [0, 1] as const;
      floors = await Promise.all(levels.map((level) => make('floors', { venueId, name: `Floor ${level}`, level })));
      // One after the other: what is heard is drawn in the order of their ids.
      const middles: string[] = [];
      for (const level of levels)
        for (const x of [2, 8, 14]) {
          const named = { name: `Beacon ${level} ${x}`, uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D' };
          const location = { x, y: 1, floor: level };
          const beacon = await make('beacons', { ...named, major: level, minor: x, venueId, location });
          if (x === 8) middles.push(beacon);
        }
      beacons = middles;
    });
    afterAll(() => site.close());

    const ask = (body: object) =>
      site.ask({ method: 'POST', url: '/api/v2/simulations/walks', body: { floorId: floors[0], at: noon, ...body } });

    test('somebody takes the stairs, and is noticed on the floor to which she went', async () => {
      const [ground, upper] = floors;
      const answer = await ask({
        route: [
          { x: 8, y: 2, stay: 40 },
          { x: 8, y: 2, stay: 60, floorId: upper },
          { x: 9, y: 2, floorId: ground },
        ],
      });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { visitors, seconds, omitted } = answer.body.result;
      assert.equal(omitted, 0);
      const steps: readonly Step[] = visitors[0].steps;
      const here = steps.filter(({ x }) => x !== undefined);
      // Half a minute up and down together, and the minute there.
      const up = here.filter(({ floor }) => floor === 1).length;
      assert.ok(up >= 79 && up <= 81, `${up} s upstairs`);
      assert.deepEqual([here[0]?.floor, here.at(-1)?.floor], [0, 0]);
      // 40 s, 60 s, the stairs twice and a metre, and a minute afterwards.
      assert.equal(seconds, 201);
      const last = steps[100];
      assert.deepEqual([last?.floor, last?.believed?.beacon, last?.believed?.floor], [1, beacons[1], 1]);
    });

    test('roaming visitors may go to all floors', async () => {
      const levels = async (body: object) => {
        const { visitors } = (await ask({ seconds: 600, ...body })).body.result;
        return new Set(visitors[0].steps.flatMap(({ floor }: Step) => floor ?? []));
      };
      assert.deepEqual(await levels({}), new Set([0]));
      assert.deepEqual(await levels({ allFloors: true }), new Set([0, 1]));
    });

    test('a floor of another venue is refused', async () => {
      const make = (path: string, body: object) => create(site.app, `/api/v2/${path}`, body, site.user.headers);
      const other = pointer('Venue', await make('venues', { name: 'Annex' }));
      const elsewhere = await make('floors', { venueId: other, name: 'Ground floor', level: 0 });
      const route = [
        { x: 0, y: 0 },
        { x: 1, y: 0, floorId: elsewhere },
      ];
      const answer = await ask({ route });
      assert.equal(answer.status, 400);
      assert.match(answer.body.error.error, /route\.1\.floorId must be a floor of the venue/);
    });

    describe('where there is much', () => {
      const point = (x: number) => ({ x, y: 0 });
      const ground = { objectId: 'ground', level: 0, name: 'Ground floor' };
      const upper = { objectId: 'upper', level: 1, name: 'Upper floor' };
      const triangles = (count: number) =>
        Array.from({ length: count }, () => ({ kind: 'room', polygon: [0, 1, 2].map(point) }));
      const floorOf = (of: typeof ground, zones: StageFloor['zones'] = []): StageFloor => ({
        ...of,
        venueId: 'venue',
        floors: [ground, upper],
        zones,
      });
      const readsOf = (counts: Readonly<Record<number, number>>, zones?: StageFloor['zones']): StageReads => ({
        findDrawnFloor: async (_db, _appId, id) => floorOf(id === 'upper' ? upper : ground, zones),
        listPlaced: async () =>
          Object.entries(counts).flatMap(([floor, count]) =>
            Array.from({ length: count }, (_, index) => ({
              objectId: `${floor} ${index}`,
              zoneId: null,
              location: { ...point(index), floor: Number(floor) },
            })),
          ),
        isOnFloor: ({ floor }, { level }) => floor === level,
      });
      const way = { clutter: 'open', walls: true, route: [], entrance: undefined } as const;
      const stageOf = (reads: StageReads, over: readonly [StageFloor, ...StageFloor[]]) =>
        setStage(site.app.storage.db, reads, { appId: site.app.appId, floors: over, way });

      test('beacons on other floors are left out and counted; walls and beacons of the floor never are', async () => {
        const reads = readsOf({ 0: 1_200, 1: 700 });
        const one = await stageOf(reads, [floorOf(ground, triangles(300))]);
        assert.deepEqual([one?.placed, one?.omitted, one?.plan.walls.length], [1_200, 700, 900]);
        const both = await stageOf(reads, [floorOf(ground), floorOf(upper)]);
        assert.deepEqual([both?.placed, both?.omitted], [1_900, 0]);
      });

      /** Asks the endpoint itself: what a client hangs up and when is not left to chance. */
      const callOf = (appId: string, handle: Handle) => (route: readonly object[]) =>
        handle({
          app: { appId, policy: defaultPolicy },
          body: { floorId: 'ground', route, seconds: 10 },
          now: noon,
        } as never);
      type Handle = ReturnType<typeof walkEndpoints>[number]['handle'];
      const straight = [point(0), point(5)];
      const endpointOf = (reads: StageReads): Handle => {
        const [endpoint] = walkEndpoints(site.app.storage.db as Db, reads);
        assert.ok(endpoint);
        return endpoint.handle;
      };

      test('an app has three walks at once and all together twelve; one that is hung up on makes room', async () => {
        const handle = endpointOf(readsOf({ 0: 1 }));
        const open: { readonly over: AbortController; readonly pieces: AsyncIterator<string> }[] = [];
        async function begin(appId: string) {
          const answer = await callOf(appId, handle)(straight);
          assert.ok(answer instanceof StreamAnswer);
          const over = new AbortController();
          const pieces = answer.open(over.signal)[Symbol.asyncIterator]();
          // The head is told; nobody reads on.
          assert.equal((await pieces.next()).done, false);
          open.push({ over, pieces });
        }
        for (const appId of ['a', 'b', 'c', 'd'])
          for (let count = 0; count < 3; count++) {
            await begin(appId);
            if (appId === 'a' && count === 2)
              await assert.rejects(begin('a'), /Other walks are being worked out/, 'the fourth of an app');
          }
        await assert.rejects(begin('e'), /Other walks are being worked out/, 'the thirteenth of all');
        const [first] = open;
        first?.over.abort();
        let piece = await first?.pieces.next();
        while (piece && !piece.done) piece = await first?.pieces.next();
        await begin('e');
        await assert.rejects(begin('e'), /Other walks/);
        // A refused one takes no place: there are still three of each other app.
        for (const { over, pieces } of open) {
          over.abort();
          await pieces.return?.();
        }
        for (let count = 0; count < 3; count++) await begin('a');
      });

      test('too many beacons, and too many walls, are refused with a sentence', async () => {
        // Only beacons that are there count.
        const real = (await site.rows('beacons')).map(({ object_id }) => String(object_id));
        const refused = async (zones: StageFloor['zones']) => {
          const reads = readsOf({}, zones);
          const listPlaced = async () =>
            real.map((objectId) => ({ objectId, zoneId: null, location: { ...point(1), floor: 0 } }));
          const handle = endpointOf({ ...reads, listPlaced });
          const body = { floorId: 'ground', route: straight, seconds: 10, walls: true };
          return handle({ app: { appId: site.app.appId, policy: defaultPolicy }, body, now: noon } as never);
        };
        await assert.rejects(
          refused(triangles(60_000)),
          /have 180000 sides, which are too many where there are 7 beacons/,
        );
        assert.ok((await refused(triangles(3))) instanceof StreamAnswer);
      });
    });
  });
}
