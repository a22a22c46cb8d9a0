import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import type { FloorPlan, PlannedBeacon, Waypoint } from '../src/simulation/plan.ts';
import { openPlan, PlanError, plannedBeacons, readPlan } from '../src/simulation/plan-file.ts';
import { type Listener, Reception } from '../src/simulation/radio.ts';
import { createRandom } from '../src/simulation/random.ts';
import { Routes } from '../src/simulation/routes.ts';
import { Visitor } from '../src/simulation/visitor.ts';

const beacon: PlannedBeacon = { x: 0, y: 0, floor: 0, address: { beacon: 'B' }, measuredPower: -59, interval: 200 };
const bare: FloorPlan = { beacons: [beacon], walls: [], waypoints: [], paths: undefined, pathLossExponent: 2 };
const facing = (x: number, y = 0, floor = 0): Listener => ({ x, y, floor, heading: Math.atan2(-y, -x) });

/** Loud enough that no packet is lost: losses would leave only the strong ones in the mean. */
const loud: PlannedBeacon = { ...beacon, measuredPower: -19 };

/** Mean RSSI over many phones, each with its own shadows, and the share of received packets. */
function measure(
  plan: FloorPlan,
  listener: Listener,
  sent = beacon,
): { readonly mean: number; readonly received: number } {
  const packets = 3_000;
  const random = createRandom('measure');
  const heard = Array.from({ length: packets }, () => new Reception(plan, random).hear(sent, listener)).filter(
    (rssi) => rssi !== undefined,
  );
  return { mean: heard.reduce((sum, rssi) => sum + rssi, 0) / heard.length, received: heard.length / packets };
}

describe('the radio', () => {
  // Fading takes 0.8 dB from the mean of the decibels (6 dB Rice factor), 2.5 dB without sight.
  const cases: readonly [string, FloorPlan, Listener, number][] = [
    ['one metre', bare, facing(1), -59.8],
    ['ten metres', bare, facing(10), -79.8],
    ['ten metres with n = 3', { ...bare, pathLossExponent: 3 }, facing(10), -89.8],
    ['the back turned to it', bare, { ...facing(3), heading: 0 }, -81.3],
    ['sideways', bare, { ...facing(3), heading: Math.PI / 2 }, -69.3],
    [
      'behind a wall of 10 dB',
      { ...bare, walls: [{ from: { x: 1, y: -5, floor: 0 }, to: { x: 1, y: 5, floor: 0 }, loss: 10 }] },
      facing(3),
      -81.0,
    ],
    ['one floor up, straight above', bare, { ...facing(0.001, 0, 1), heading: Math.PI }, -88.5],
  ];
  for (const [name, plan, listener, expected] of cases) {
    test(`${name}: ${expected} dBm on average`, () => {
      const mean = measure(plan, listener, loud).mean - 40;
      assert.ok(Math.abs(mean - expected) < 0.6, `${mean.toFixed(2)} dBm`);
    });
  }

  test('near the limit of the receiver packets get lost, and far beyond it all of them', () => {
    const shares = [1, 20, 63, 600].map((metres) => measure(bare, facing(metres)).received);
    assert.ok((shares[0] ?? 0) > 0.999 && (shares[1] ?? 0) > 0.9, shares.join());
    assert.ok((shares[2] ?? 0) > 0.3 && (shares[2] ?? 0) < 0.7, shares.join());
    assert.ok((shares[3] ?? 1) < 0.01, shares.join());
  });

  test('a visitor standing still keeps the same shadowing, one who walks meets other values', () => {
    const spread = (step: number) => {
      const random = createRandom('shadows');
      const radio = new Reception(bare, random);
      const means = Array.from({ length: 200 }, (_, place) => {
        const angle = (place * step) / 5;
        const listener = facing(5 * Math.cos(angle), 5 * Math.sin(angle));
        const heard = Array.from({ length: 100 }, () => radio.hear(beacon, listener) ?? -100);
        return heard.reduce((sum, rssi) => sum + rssi, 0) / heard.length;
      });
      const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
      return Math.sqrt(means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / means.length);
    };
    assert.ok(spread(0) < 0.6, `standing: ${spread(0)}`);
    assert.ok(spread(5) > 3 && spread(5) < 5, `walking: ${spread(5)}`);
  });
});

const point = (name: string, x: number, y: number, stay?: readonly [number, number]) => ({
  name,
  x,
  y,
  ...(stay ? { stay } : {}),
});
/** Two rooms side by side, with a door between them and one to the outside. */
const museum = {
  rooms: [
    {
      name: 'left',
      x: 0,
      y: 0,
      width: 10,
      height: 8,
      doors: [
        { x: 0, y: 4 },
        { x: 10, y: 4 },
      ],
    },
    { name: 'right', x: 10, y: 0, width: 10, height: 8 },
  ],
  waypoints: [point('entrance', -5, 4), point('owl', 5, 1, [5, 10]), point('kestrel', 15, 1, [5, 10])],
  beacons: [{ beacon: 'B', x: 15, y: 0.5 }],
};

describe('a floor plan', () => {
  test('people go through the doors and never through a wall', () => {
    const plan = readPlan(JSON.stringify(museum), []);
    const [entrance, owl, kestrel] = plan.waypoints as [Waypoint, Waypoint, Waypoint];
    const way = new Routes(plan).between(entrance, kestrel) ?? [];
    assert.deepEqual(
      way.map(({ x, y }) => [x, y]),
      [
        [10, 4],
        [15, 1],
      ],
    );
    assert.deepEqual(new Routes(plan).between(owl, kestrel)?.length, 2);
    const visitor = new Visitor(plan, new Routes(plan), '3', 1);
    let away = 0;
    for (let time = 0; time < 600_000; time += 100) {
      visitor.live(time);
      const position = visitor.walker.position;
      if (!position) {
        away++;
        continue;
      }
      // The wall between the rooms, but for its door.
      const isInWall = Math.abs(position.x - 10) < 0.02 && Math.abs(position.y - 4) > 0.61;
      assert.ok(!isInWall, `${position.x}, ${position.y}`);
    }
    assert.ok(away > 0, 'who has left is nowhere');
  });

  const wrong: readonly [string, string, RegExp][] = [
    ['no JSON', '{', /It is not JSON/],
    ['no object', '[]', /not a JSON object/],
    ['no waypoints', '{}', /waypoints needs at least two/],
    ['a waypoint without a place', '{"waypoints":[{"name":"a","x":1}]}', /waypoints\[0\]: y is a number/],
    ['a wall without an end', '{"walls":[{"from":{"x":1,"y":1}}]}', /walls\[0\]\.to is an object with x and y/],
    ['a stay that is no pair', '{"waypoints":[{"name":"a","x":1,"y":1,"stay":3}]}', /stay is \[least, most\]/],
    ['a beacon without a name', JSON.stringify({ ...museum, beacons: [{ x: 1, y: 1 }] }), /beacons\[0\]: name it/],
    ['a path to nowhere', JSON.stringify({ ...museum, paths: [['owl', 'moa']] }), /no waypoint "moa"/],
    [
      'a room without a door',
      JSON.stringify({ ...museum, rooms: [{ x: 0, y: 0, width: 10, height: 8 }] }),
      /No way leads from the entrance to "owl"/,
    ],
    ['nothing to hear', JSON.stringify({ ...museum, beacons: [] }), /beacons is empty/],
  ];
  for (const [name, text, message] of wrong) {
    test(`${name} is refused with the place in the file`, () => {
      assert.throws(
        () => readPlan(text, []),
        (error: Error) => error instanceof PlanError && message.test(error.message),
      );
    });
  }

  test("an app's own beacons make one; those without a location are left out", () => {
    const own = plannedBeacons([
      { objectId: 'A', location: { x: 1, y: 2, floor: 1 }, measuredPower: -63 },
      { objectId: 'B' },
      { objectId: 'C', location: { x: '1', y: 2 } },
      { objectId: 'D', location: { x: 4, y: 2 } },
    ]);
    assert.deepEqual(
      own.map(({ address, floor, measuredPower }) => [address['beacon'], floor, measuredPower]),
      [
        ['A', 1, -63],
        ['D', 0, -59],
      ],
    );
    const plan = openPlan(own);
    assert.equal(plan.waypoints[0]?.floor, 0);
    assert.deepEqual(new Routes(plan).unreachable(), []);
    const visitor = new Visitor(plan, new Routes(plan), '1', 1);
    const heard = new Set(
      visitor.live(1_800_000).flatMap((report) => report.heard.map(({ beacon }) => beacon.address['beacon'])),
    );
    assert.deepEqual([...heard].sort(), ['A', 'D'], 'a visitor gets to both floors');
  });
});
