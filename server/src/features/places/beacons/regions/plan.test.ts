import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { type Group, type Near, planRegions, type Region, type Site } from './plan.ts';

/** A phone wakes its app only at the border of a region, and monitors 20 at most: none of the beacons on its way may be missed. */

const uuidOf = (n: number) => n.toString(16).padStart(32, '0');

/** What `readSite` makes of these beacons for a phone at one of them, or anywhere. */
function siteOf(all: readonly Near[], beaconId?: string): Site {
  const groups = (keyOf: (one: Near) => string, ofMajor: boolean): Group[] =>
    [...Map.groupBy(all, keyOf).values()]
      .map((ones) => ({
        uuid: (ones[0] as Near).uuid,
        ...(ofMajor ? { major: (ones[0] as Near).major } : {}),
        beacons: ones.length,
      }))
      .sort((a, b) => b.beacons - a.beacons);
  return {
    uuids: groups(({ uuid }) => uuid, false),
    sections: groups(({ uuid, major }) => `${uuid}:${major}`, true),
    near: all,
    ...(beaconId === undefined ? {} : { here: { beaconId } }),
  };
}

const holds = (region: Region, one: Near) =>
  region.uuid === one.uuid &&
  (region.major === undefined || region.major === one.major) &&
  (region.minor === undefined || region.minor === one.minor);

const textOf = ({ uuid, major, minor }: Region) => `${uuid}:${major}:${minor}`;

const beacon = (n: number, more: Partial<Near> = {}): Near => ({
  ...{ beaconId: `beacon-${String(n).padStart(4, '0')}`, uuid: uuidOf(1), major: 1, minor: n },
  ...more,
});

/** Walks past the beacons as iOS would: only a border that is crossed wakes the app, which then asks for a new plan. */
function missedOnAWalk(all: readonly Near[], reach: number, plan: (here: string | undefined) => readonly Region[]) {
  let monitored = plan(undefined);
  let inside = new Set<string>();
  const missed: string[] = [];
  for (const at of all) {
    const heard = all.filter(
      ({ spot }) => spot && at.spot && Math.hypot(spot.x - at.spot.x, spot.y - at.spot.y) < reach,
    );
    const now = new Set(monitored.filter((region) => heard.some((one) => holds(region, one))).map(textOf));
    const wakes = [...now].some((one) => !inside.has(one)) || [...inside].some((one) => !now.has(one));
    if (wakes) monitored = plan(at.beaconId);
    else missed.push(at.beaconId);
    inside = new Set(monitored.filter((region) => heard.some((one) => holds(region, one))).map(textOf));
  }
  return missed;
}

describe('a plan of regions', () => {
  test('wakes the phone at each of 200 beacons of a house with one UUID and one major', () => {
    const corridor = Array.from({ length: 200 }, (_, n) => beacon(n, { spot: { x: n * 8, y: 0, floor: 0 } }));
    assert.deepEqual(
      missedOnAWalk(corridor, 5, (here) => planRegions(siteOf(corridor, here), 20)),
      [],
    );
    const byUuid = missedOnAWalk(corridor, 5, () => [{ uuid: uuidOf(1) }]);
    assert.equal(byUuid.length, 199, 'one region for the UUID alone wakes it once');
  });

  test('wakes the phone at the next shop of a mall whose shops have majors and no coordinates', () => {
    const mall = Array.from({ length: 8 }, (_, shop) =>
      Array.from({ length: 40 }, (_, n) => beacon(shop * 40 + n, { major: shop, zoneId: `shop ${shop}` })),
    ).flat();
    const plan = planRegions(siteOf(mall, 'beacon-0000'), 20);
    for (let shop = 1; shop < 8; shop++)
      assert.ok(
        plan.some(({ major, minor }) => major === shop && minor === undefined),
        `shop ${shop}`,
      );
    assert.ok(!plan.some(({ major, minor }) => major === 0 && minor === undefined), 'it is in its own shop already');
  });

  test('goes up the stairs', () => {
    const near = [
      beacon(0, { spot: { x: 0, y: 0, floor: 0 } }),
      ...Array.from({ length: 30 }, (_, n) => beacon(n + 2, { spot: { x: 40 + n, y: 0, floor: 0 } })),
      beacon(1, { spot: { x: 1, y: 0, floor: 1 } }),
    ];
    const plan = planRegions(siteOf(near, 'beacon-0000'), 5);
    assert.ok(plan.some(({ beaconId }) => beaconId === 'beacon-0001'));
  });

  test('never misses an arrival, never exceeds the limit, and has each of a few beacons by itself', () => {
    const beacons = fc
      .uniqueArray(
        fc.record({
          uuid: fc.integer({ min: 1, max: 6 }),
          major: fc.integer({ min: 0, max: 4 }),
          minor: fc.integer({ min: 0, max: 60 }),
          spot: fc.option(fc.record({ x: fc.integer({ max: 200, min: 0 }), y: fc.constant(0), floor: fc.nat(3) }), {
            nil: undefined,
          }),
        }),
        { minLength: 1, maxLength: 120, selector: ({ uuid, major, minor }) => `${uuid}:${major}:${minor}` },
      )
      .map((all) =>
        all.map(({ uuid, major, minor, spot }, n) =>
          beacon(n, { uuid: uuidOf(uuid), major, minor, ...(spot ? { spot } : {}) }),
        ),
      );
    fc.assert(
      fc.property(beacons, fc.integer({ min: 6, max: 20 }), fc.nat(), fc.boolean(), (all, limit, place, isKnown) => {
        const here = isKnown ? (all[place % all.length] as Near).beaconId : undefined;
        const plan = planRegions(siteOf(all, here), limit);
        assert.ok(plan.length <= limit);
        assert.equal(new Set(plan.map(textOf)).size, plan.length);
        for (const one of all) assert.ok(plan.some((region) => holds(region, one)));
        const uuids = new Set(all.map(({ uuid }) => uuid)).size;
        if (uuids + all.length > limit) return;
        for (const one of all.filter(({ uuid }) => all.filter((other) => other.uuid === uuid).length > 1))
          assert.ok(plan.some(({ beaconId }) => beaconId === one.beaconId));
      }),
    );
  });
});
