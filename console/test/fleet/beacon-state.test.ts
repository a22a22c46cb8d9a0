import assert from 'node:assert/strict';
import { test } from 'vitest';
import { stateOf } from '../../src/features/beacons/beacon-state.ts';
import { areasOf, spotsOf, visitorsAt } from '../../src/features/beacons/plot.ts';
import { beaconIdIn, identityIn } from '../../src/features/beacons/replace/identity.ts';
import { type Finding, inOrderOfWalk } from '../../src/lib/fleet/findings.ts';
import { cutAround } from '../../src/lib/plan/cut.ts';

const finding = (kind: string, more: object = {}) =>
  ({ ...{ beaconId: 'a', name: 'a', kind, text: kind, since: '', isFound: true, state: 'open' }, ...more }) as Finding;

test('the state of a beacon is what is wrong with it, or else follows from its visitors', () => {
  const text = (visitors: number | undefined, ...findings: Finding[]) =>
    stateOf(visitors === undefined ? undefined : { visitors, lastVisitAt: '' }, findings, String).text;
  assert.deepEqual(
    [text(2), text(0), text(undefined), text(2, finding('silent')), text(0, finding('battery', { state: 'seen' }))],
    ['Visitors here', 'Works', 'Not heard yet', 'Silent', 'Battery low'],
  );
  const over = [
    finding('silent', { state: 'muted' }),
    finding('silent', { state: 'done' }),
    finding('moved', { isFound: false }),
  ];
  assert.equal(text(0, ...over), 'Works');
});

test('the round goes venue by venue, floor by floor, to the nearest beacon, and to those without a place last', () => {
  const at = (
    beaconId: string,
    venueId: string | undefined,
    place?: readonly [x: number, y: number, floor: number],
  ) => {
    const [x, y, floor] = place ?? [];
    return finding('silent', { beaconId, venueId, location: place && { x, y, floor } });
  };
  const all = [
    ...[at('far', 'north', [30, 30, 0]), at('near', 'north', [2, 3, 0])],
    ...[at('across', 'north', [6, 0, 1]), at('upstairs', 'north', [0, 5, 1]), at('behind', 'north', [0, 9, 1])],
    ...[at('nowhere', undefined), at('middle', 'north', [15, 12, 0]), at('unplaced', 'north')],
    ...[at('up', 'south', [0, 6, 0]), at('south', 'south', [5, 0, 0]), at('east', 'south', [9, 0, 0])],
  ];
  assert.deepEqual(
    inOrderOfWalk(all).map(({ beaconId }) => beaconId),
    ['near', 'middle', 'far', 'upstairs', 'behind', 'across', 'unplaced', 'south', 'east', 'up', 'nowhere'],
  );
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
