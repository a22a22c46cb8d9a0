import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type SignedIn, signInManager, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { halfway } from '../../../../test/support/halfway.ts';
import { pointer } from '../../../../test/support/site.ts';
import { sql } from '../../../base/sql.ts';

const box = (left: number, top: number, right: number, bottom: number) => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];
const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };

/** On SQLite one of them is over before the other begins. */
describe('two people who draw on the same floor at the same moment', () => {
  let app: TestApp;
  let manager: SignedIn;
  let venueId: object;
  beforeAll(async () => {
    app = await buildApp({ database: 'postgres' });
    manager = await signInManager(app);
    venueId = pointer('Venue', await make('venues', { name: 'Museum' }));
  });
  afterAll(() => app.close());

  const make = (path: string, body: object) => create(app, `/api/v2/${path}`, body, manager.headers);
  const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object) =>
    app.send({ method, url: `/api/v2/${path}`, headers: manager.headers, ...(body ? { body } : {}) });
  const drawn = (floor: string, polygon: object) => ({
    floorId: pointer('Floor', floor),
    name: 'Zone',
    kind: 'room',
    polygon,
  });
  const zoneOf = async (beacon: string) =>
    (await send('GET', `beacons/${beacon}`)).body.result.zoneId?.objectId as string | undefined;

  test('do not pass the limit of zones together', async () => {
    const floor = await make('floors', { venueId, name: 'Ground floor', level: 0 });
    const other = await make('floors', { venueId, name: 'Gallery', level: 1 });
    const first = await make('zones', drawn(floor, box(0, 0, 1, 1)));
    const moving = await make('zones', drawn(other, box(0, 0, 1, 1)));
    // As many others as leave room for one more.
    await app.storage.db.run(sql`insert into zones
        (app_id, object_id, floor_id, venue_id, name, kind, polygon, left_x, right_x, top_y, bottom_y, created_at, updated_at)
      select app_id, object_id || n, floor_id, venue_id, name, kind, polygon, left_x, right_x, top_y, bottom_y, created_at, updated_at
      from zones, generate_series(1, 498) as n where object_id = ${first}`);
    const [one, two] = await halfway(
      app,
      /^update zones set venue_id/,
      () => send('POST', 'zones', drawn(floor, box(1, 0, 2, 1))),
      () => send('PATCH', `zones/${moving}`, { floorId: pointer('Floor', floor) }),
    );
    assert.deepEqual([one.status, two.status], [201, 400], JSON.stringify([one.body, two.body]));
    assert.match(two.body.error.error, /has 500 zones already/);
  });

  test('leave a beacon in the smaller one of two zones around it', async () => {
    const floor = await make('floors', { venueId, name: 'Cellar', level: -1 });
    const beacon = await make('beacons', { ...hall, venueId, location: { x: 5, y: 5, floor: -1 } });
    const [, small] = await halfway(
      app,
      /^update beacons set zone_id/,
      () => send('POST', 'zones', drawn(floor, box(0, 0, 9, 9))),
      () => send('POST', 'zones', drawn(floor, box(4, 4, 6, 6))),
    );
    assert.equal(small.status, 201);
    assert.equal(await zoneOf(beacon), small.body.result.objectId);
  });

  test('leave a beacon in the zone around it, even if it is moved there at this moment', async () => {
    const floor = await make('floors', { venueId, name: 'Loft', level: 2 });
    const beacon = await make('beacons', { ...hall, venueId, location: { x: 50, y: 5, floor: 2 } });
    const draw = (x: number) => () => send('POST', 'zones', drawn(floor, box(x - 4, 0, x + 4, 9)));
    const move = (x: number) => () => send('PUT', `beacons/${beacon}`, { location: { x, y: 5, floor: 2 } });
    const [, drawnLater] = await halfway(app, /^insert into versions/, move(5), draw(5));
    assert.equal(await zoneOf(beacon), drawnLater.body.result.objectId);
    const [drawnFirst] = await halfway(app, /^update zones set venue_id/, draw(15), move(15));
    assert.equal(await zoneOf(beacon), drawnFirst.body.result.objectId);
  });
});
