import assert from 'node:assert/strict';
import { test } from 'vitest';
import { batteryBefore, batteryOf, stateOf } from '../../src/features/beacons/beacon-state.ts';
import { areasOf, spotsOf, visitorsAt } from '../../src/features/beacons/plot.ts';
import { beaconIdIn, identityIn } from '../../src/features/beacons/replace/identity.ts';
import { cutAround } from '../../src/lib/plan/cut.ts';

const now = Date.parse('2026-11-29T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();

test('the state of a beacon follows from its visitors, and from its battery where it works', () => {
  const text = (visitors: number, hours: number, battery?: number) =>
    stateOf({ visitors, lastVisitAt: hoursAgo(hours) }, battery, now).text;
  assert.deepEqual(
    [text(2, 60, 3), text(0, 60, 3), text(0, 2, 15), text(0, 2, 16), text(0, 2), stateOf(undefined, 80, now).text],
    ['Visitors here', 'Silent', 'Battery low', 'Works', 'Works', 'Not heard yet'],
  );
});

test('the charge is a number from 0 to 100 in the metadata, and its first other value that versions tell', () => {
  const of = (battery: unknown) => ({ metadata: { battery } });
  assert.deepEqual(
    [of(61.4), of(101), of('61'), of(undefined)].map((one) => batteryOf(one as never)),
    [61, undefined, undefined, undefined],
  );
  const versions = [
    { state: of(70), replacedAt: hoursAgo(1) },
    { state: of(82), replacedAt: hoursAgo(48) },
    { state: { metadata: {} }, replacedAt: hoursAgo(90) },
  ];
  assert.deepEqual(batteryBefore(61, versions), { battery: 82, until: hoursAgo(48) });
  assert.equal(batteryBefore(82, versions.slice(1)), undefined);
});

test('identifiers are found in what a label says or somebody pastes', () => {
  const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
  const found = { uuid, major: 1, minor: 12 };
  for (const text of [`${uuid} 1 12`, `uuid=${uuid}&major=1&minor=12`, `{"uuid":"${uuid}","major":1,"minor":12}`])
    assert.deepEqual(identityIn(text), found, text);
  assert.deepEqual(identityIn(`${uuid.replaceAll('-', '')}:1:12`), { ...found, uuid: uuid.replaceAll('-', '') });
  for (const text of ['', '1 12', uuid, `${uuid} 1`, `${uuid}0 1 12`]) assert.equal(identityIn(text), undefined, text);
  assert.equal(
    beaconIdIn('https://pharos.example/console/apps/a/beacons/0VnZxSfn9cB3dEfGhJkM'),
    '0VnZxSfn9cB3dEfGhJkM',
  );
  assert.equal(beaconIdIn('https://pharos.example/console/apps/a/beacons/new'), undefined);
});

test('the map has a floor of a venue, with its visitors, and no other of the same number', () => {
  const venue = (objectId: string) => ({ objectId });
  const floor = (objectId: string, venueId: string, level: number) =>
    ({ objectId, name: objectId, level, venueId: venue(venueId) }) as never;
  const beacon = (objectId: string, venueId: string | undefined, at: number | string) => ({
    objectId,
    ...(venueId ? { venueId: venue(venueId) } : {}),
    location: { x: 1, y: 2, floor: at },
  });
  const spots = spotsOf([
    beacon('a', 'north', 0),
    beacon('b', 'south', 0),
    beacon('c', 'south', 'Attic'),
    beacon('d', undefined, 0),
  ] as never);
  const floors = [floor('north 0', 'north', 0), floor('south 0', 'south', 0), floor('south 1', 'south', 1)];
  const areas = areasOf(spots, floors);
  assert.deepEqual(
    areas.map(({ name, spots }) => [name, spots.map((spot) => spot.beacon.objectId).join()]),
    [
      ['north 0', 'a'],
      ['south 0', 'b'],
      ['0', 'd'],
      ['Attic', 'c'],
    ],
  );
  const sensed = ['a', 'b'].map((beaconId) => ({
    objectId: `at ${beaconId}`,
    beaconId: venue(beaconId),
    x: 1,
    y: 1,
    seconds: 3,
  }));
  assert.deepEqual(
    visitorsAt(areas[0]?.spots ?? [], sensed).map(({ objectId }) => objectId),
    ['at a'],
  );
});

test('a cut of a plan is around the place, and within the plan', () => {
  const frame = { left: -2, top: 0, width: 60, height: 40 };
  assert.deepEqual(cutAround(frame, { x: 30, y: 20 }), { left: 18, top: 11, width: 24, height: 18 });
  assert.deepEqual(cutAround(frame, { x: -1, y: 39 }), { left: -2, top: 22, width: 24, height: 18 });
  const { width, height } = cutAround({ ...frame, height: 9 }, { x: 30, y: 2 });
  assert.deepEqual([width, height], [12, 9]);
});
