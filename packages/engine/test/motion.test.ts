import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../scripts/test/runs.ts';
import { type Found, type Moved, move, velocityAfter } from '../src/position/motion.ts';
import type { BeaconLocation, PresenceSettings, Sample, TrackState, Velocity } from '../src/presence/types.ts';
import { follow } from '../src/track.ts';

const NOON = Date.UTC(2026, 2, 2, 12);

const close = (found: number, expected: number, within = 1e-9) =>
  assert.ok(Math.abs(found - expected) < within, `${found} instead of ${expected}`);

const numbersOf = ({ x, y, xx, xy, yy }: Velocity | Moved) => [x, y, xx, xy, yy];
const numbersOfVelocity = (velocity: Velocity) => [...numbersOf(velocity), ...velocity.placeX, ...velocity.placeY];
const allNumbersOf = (fix: Moved) => [...numbersOf(fix), ...numbersOfVelocity(fix.velocity)];

function alike(found: Velocity, expected: Velocity): void {
  const numbers = numbersOfVelocity(expected);
  numbersOfVelocity(found).forEach((value, index) => {
    close(value, numbers[index] as number, 1e-6);
  });
}

/** A place and a velocity after some steps that found something; so they depend on each other. */
const moved = fc
  .array(fc.record({ seconds: fc.double({ min: 0.5, max: 5, noNaN: true }), dx: metres(), dy: metres() }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((steps) => {
    let fix: Moved = move({ x: 0, y: 0, xx: 4, xy: 1, yy: 3 }, 1);
    for (const { seconds, dx, dy } of steps) {
      const found = foundAt(fix, { dx, dy, narrower: 0.5, share: 0.9 });
      fix = move({ ...found.place, velocity: velocityAfter(fix, found.found) }, seconds);
    }
    return fix;
  });

function metres() {
  return fc.double({ min: -2, max: 2, noNaN: true });
}

/** What a step finds that shifts the place and makes it more certain. */
function foundAt(
  { x, y, xx, xy, yy }: Moved,
  { dx, dy, narrower, share }: { dx: number; dy: number; narrower: number; share: number },
) {
  const place = { x: x + dx, y: y + dy, xx: narrower * xx, xy: narrower * xy, yy: narrower * yy };
  const found: Found = {
    x: place.x,
    y: place.y,
    share,
    sx: 0,
    sy: 0,
    sxx: share * place.xx,
    sxy: share * place.xy,
    syy: share * place.yy,
  };
  return { place, found };
}

test('how a second is cut makes no difference to where a visitor is expected', () => {
  fc.assert(
    fc.property(moved, fc.double({ min: 0.1, max: 10, noNaN: true }), (fix, seconds) => {
      const once = allNumbersOf(move(fix, seconds));
      const twice = allNumbersOf(move(move(fix, seconds / 3), (2 * seconds) / 3));
      once.forEach((value, index) => {
        close(twice[index] as number, value, 1e-9 * (1 + Math.abs(value)));
      });
    }),
    runs(100),
  );
});

test('place and velocity stay a distribution, and the velocity stays bounded', () => {
  fc.assert(
    fc.property(moved, (fix) => {
      const { xx, xy, yy, velocity } = fix;
      const { placeX, placeY } = velocity;
      assert.ok(xx > 0 && xx * yy - xy * xy > 0);
      assert.ok(velocity.xx > 0 && velocity.xx * velocity.yy - velocity.xy * velocity.xy > 0);
      assert.ok(placeX[0] ** 2 < xx * velocity.xx && placeY[1] ** 2 < yy * velocity.yy);
      assert.ok(Math.hypot(velocity.x, velocity.y) < 15, `${Math.hypot(velocity.x, velocity.y)} m/s`);
    }),
    runs(100),
  );
});

test('a step that says nothing about the place says nothing about the velocity; whoever was lost has any', () => {
  fc.assert(
    fc.property(moved, (fix) => {
      const still = { dx: 0, dy: 0, narrower: 1, share: 1 };
      alike(velocityAfter(fix, foundAt(fix, still).found), fix.velocity);
      const lost = velocityAfter(fix, foundAt(fix, { ...still, dx: 3, share: 0 }).found);
      alike(lost, velocityAfter(null, foundAt(fix, still).found));
    }),
    runs(100),
  );
});

const places = new Map<string, BeaconLocation>();
for (let index = 0; index < 12; index++)
  places.set(`hall${index}`, { x: 6 * (index % 6), y: 6 * Math.floor(index / 6), z: 2.3 });
const settingsOf = (id: string): PresenceSettings => ({ oneZone: true, location: places.get(id) as BeaconLocation });

/** Along the middle of the hall: at 1 m/s for 20 s, then still. Two samples a second of each beacon, without noise. */
const placeAt = (second: number) => ({ x: 4 + Math.min(20, second), y: 3 });

function heard(from: number, to: number): Sample[] {
  const samples: Sample[] = [];
  for (let half = 2 * from; half < 2 * to; half++) {
    const { x, y } = placeAt(half / 2);
    [...places].forEach(([beaconId, place], index) => {
      const rssi = -59 - 20 * Math.log10(Math.hypot(place.x - x, place.y - y, 1));
      samples.push({ beaconId, occurredAt: NOON + 500 * half + index, rssi });
    });
  }
  return samples;
}

const play = (state: TrackState | null, samples: readonly Sample[]) =>
  follow({ installationId: 'phone', state, samples, settingsOf }).state;

const velocityOf = ({ fix }: TrackState) => fix?.velocity as Velocity;

test('somebody who walks has a velocity, is followed more closely for it, and stops', () => {
  const walking = play(null, heard(0, 15));
  assert.ok(velocityOf(walking).x > 0.4, JSON.stringify(velocityOf(walking)));
  close(velocityOf(walking).y, 0, 0.1);
  let [state, behind]: [TrackState, number] = [walking, 0];
  for (let second = 15; second < 20; second++) {
    state = play(state, heard(second, second + 1));
    behind += (placeAt(((state.fix?.at ?? 0) - NOON) / 1000).x - (state.fix?.x ?? 0)) / 5;
  }
  assert.ok(behind < 2, `${behind} m behind`);
  const standing = velocityOf(play(state, heard(20, 40)));
  assert.ok(Math.hypot(standing.x, standing.y) < 0.2, JSON.stringify(standing));
});

test('the state of an older version, which has no velocity, is continued', () => {
  const { fix, ...rest } = play(null, heard(0, 10));
  assert.ok(fix);
  const { velocity, ...older } = JSON.parse(JSON.stringify(fix));
  assert.ok(velocity);
  const kept = play({ ...rest, fix }, heard(10, 20));
  const continued = play({ ...rest, fix: older }, heard(10, 20));
  close(velocityOf(continued).x, velocityOf(kept).x, 0.1);
  close(continued.fix?.x ?? 0, kept.fix?.x ?? 0, 0.3);
});
