import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { type PastPosition, retimeVisits, type TimedVisit } from '../src/index.ts';

/** Two beacons that are 10 m apart, and somebody who walks from one to the other. */

const beacons = new Map([
  ['a', { location: { x: 0, y: 0, z: 1.3 } }],
  ['b', { location: { x: 10, y: 0, z: 1.3 } }],
]);
const minute = 60_000;
const place = (at: number, x: number): PastPosition => ({ at, x, y: 0, floor: 0, xx: 0.2, xy: 0, yy: 0.2 });
/** A metre a second from −5 m on. */
const walk = Array.from({ length: 21 }, (_, second) => place(minute + second * 1000, second - 5));
const visit = (beaconId: string, from: number, until: number): TimedVisit => ({
  ...{ id: beaconId, beaconId, enteredAt: minute + from * 1000, leftAt: minute + until * 1000 },
});
const secondsOf = (visits: readonly TimedVisit[]) =>
  visits.map(({ enteredAt, leftAt }) => [enteredAt, leftAt].map((at) => (at - minute) / 1000));

describe('visits that are timed again', () => {
  test('begin and end where somebody passes the radius, as far as another visit leaves room', () => {
    const told = [visit('a', 4, 11), visit('b', 14, 20)];
    const all = secondsOf(retimeVisits({ beacons, positions: walk, visits: told })).flat();
    for (const [index, second] of [2, 8, 12, 18].entries())
      assert.ok(Math.abs((all[index] as number) - second) <= 1, `${all}`);
    const goingOn = { ...visit('b', 14, 20), leftAt: Number.MAX_SAFE_INTEGER };
    const open = retimeVisits({ beacons, positions: walk, visits: [visit('a', 4, 11), goingOn] });
    assert.deepEqual(secondsOf(open).flat().slice(0, 3), all.slice(0, 3));
    assert.equal(open[1]?.leftAt, goingOn.leftAt);
  });

  test('stay as they were told where no position is known, and at beacons without a location', () => {
    const told = [visit('a', 4, 11), visit('b', 14, 20)];
    assert.deepEqual(retimeVisits({ beacons, positions: [], visits: told }), told);
    assert.deepEqual(retimeVisits({ positions: walk, visits: told, beacons: new Map() }), told);
    const later = walk.map((one) => ({ ...one, at: one.at + 10 * minute }));
    assert.deepEqual(retimeVisits({ beacons, positions: later, visits: told }), told);
    const upstairs = walk.map((one) => ({ ...one, floor: 1 }));
    assert.deepEqual(
      secondsOf(retimeVisits({ beacons, positions: upstairs, visits: told })).map(
        ([from = 0, until = 0]) => from < until,
      ),
      [true, true],
    );
  });

  test('keep their order and their middle, move by 30 s at most, and never overlap', () => {
    const steps = fc.array(
      fc.record({ ms: fc.integer({ min: 500, max: 40_000 }), x: fc.integer({ min: -8, max: 18 }) }),
      {
        maxLength: 60,
      },
    );
    const spans = fc.array(
      fc.record({
        gap: fc.integer({ min: 0, max: 90_000 }),
        length: fc.integer({ min: 0, max: 120_000 }),
        beacon: fc.constantFrom('a', 'b', 'elsewhere'),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(steps, spans, (walked, stays) => {
        let at = minute;
        const positions = walked.map(({ ms, x }) => {
          at += ms;
          return place(at, x);
        });
        at = minute;
        const told = stays.map(({ gap, length, beacon }, index): TimedVisit => {
          const enteredAt = at + gap;
          at = enteredAt + length;
          return { id: String(index), beaconId: beacon, enteredAt, leftAt: at };
        });
        const found = retimeVisits({ beacons, positions, visits: told });
        for (const [index, { enteredAt, leftAt }] of found.entries()) {
          const was = told[index] as TimedVisit;
          const middle = (was.enteredAt + was.leftAt) / 2;
          assert.ok(enteredAt <= middle && middle <= leftAt);
          assert.ok(Math.abs(enteredAt - was.enteredAt) <= 30_000 && Math.abs(leftAt - was.leftAt) <= 30_000);
          assert.ok(enteredAt >= (found[index - 1]?.leftAt ?? 0));
        }
      }),
    );
  });
});
