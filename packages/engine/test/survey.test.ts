import assert from 'node:assert/strict';
import { test } from 'vitest';
import { lookBack } from '../src/position/looking-back.ts';
import type { BeaconLocation, Fix, PositionStep, PresenceSettings, Sample, TrackState } from '../src/presence/types.ts';
import { createRandom } from '../src/simulation/random.ts';
import { mapSignals, type SignalMap } from '../src/survey/signal-map.ts';
import { placeAt, type Survey, type Waypoint } from '../src/survey/survey.ts';
import { trySurveys } from '../src/survey/trial.ts';
import { compareSamples, follow } from '../src/track.ts';

const NOON = Date.UTC(2026, 2, 2, 12);

/** A hall of 12 × 12 m, where half of the places hear the beacon of the other half 10 dB less than free air would let them. */
const hall: Readonly<Record<string, BeaconLocation>> = {
  a: { x: 0, y: 0, z: 2.3 },
  b: { x: 12, y: 0, z: 2.3 },
  c: { x: 0, y: 12, z: 2.3 },
  d: { x: 12, y: 12, z: 2.3 },
};
const settingsOf = (id: string): PresenceSettings => ({ oneZone: true, location: hall[id] as BeaconLocation });

/** A walk along these corners at one metre a second, and what the phone hears. */
function walked(id: string, corners: readonly (readonly [number, number])[], { louder = 0, noise = 3 } = {}): Survey {
  const random = createRandom(id);
  const way: Waypoint[] = [];
  let at = NOON;
  for (const [index, [x, y]] of corners.entries()) {
    const before = corners[index - 1] ?? [x, y];
    at += 1000 * Math.hypot(x - before[0], y - before[1]);
    way.push({ at, x, y });
  }
  const samples: Sample[] = [];
  for (let time = NOON; time < at; time += 500) {
    const { x, y } = placeAt(way, time) as { x: number; y: number };
    Object.entries(hall).forEach(([beaconId, place], index) => {
      const behind = place.x < 6 === x < 6 ? 0 : 10;
      const loss = 20 * Math.log10(Math.hypot(place.x - x, place.y - y, 1)) + behind + noise * random.normal();
      samples.push({ beaconId, occurredAt: time + index, rssi: Math.round(-59 - loss + louder) });
    });
  }
  return { id, way, samples: samples.sort(compareSamples) };
}

const LANES: readonly (readonly [number, number])[] = [
  [1, 1],
  [11, 1],
  [11, 4],
  [1, 4],
  [1, 8],
  [11, 8],
  [11, 11],
  [1, 11],
];
const ACROSS: readonly (readonly [number, number])[] = [
  [2, 2],
  [9, 2],
  [9, 10],
  [3, 10],
  [3, 3],
];

/** The fixes of a walk, with the metres by which each is off. */
function played({ way, samples }: Survey, map: SignalMap = {}, settings = settingsOf) {
  let state: TrackState | null = null;
  const fixes: Fix[] = [];
  const steps: PositionStep[] = [];
  for (const sample of samples) {
    ({ state } = follow({
      installationId: 'p',
      state,
      samples: [sample],
      settingsOf: settings,
      mapOf: (id) => map[id],
      noteStep: (step) => steps.push(step),
    }));
    const { fix } = state as TrackState;
    if (fix !== null && fix.at !== fixes.at(-1)?.at) fixes.push(fix);
  }
  const off = (some: readonly Pick<Fix, 'at' | 'x' | 'y'>[]) =>
    some.reduce((sum, { at, x, y }) => {
      const place = placeAt(way, at) as { x: number; y: number };
      return sum + Math.hypot(x - place.x, y - place.y) / some.length;
    }, 0);
  return { fixes, steps, off };
}

test('whoever taps at corners is between them in proportion to the time; at a spot, at the spot', () => {
  const way = [
    { at: NOON, x: 0, y: 0, floor: 1 },
    { at: NOON + 10_000, x: 10, y: 0, floor: 1 },
    { at: NOON + 14_000, x: 10, y: 2, floor: 2 },
  ];
  assert.deepEqual(placeAt(way, NOON), { at: NOON, x: 0, y: 0, floor: 1 });
  assert.deepEqual(placeAt(way, NOON + 4_000), { x: 4, y: 0, floor: 1 });
  assert.deepEqual(placeAt(way, NOON + 13_000), { x: 10, y: 1.5, floor: 2 });
  assert.equal(placeAt(way, NOON - 1), null);
  assert.equal(placeAt(way, NOON + 14_001), null);
  const [spot] = way as [Waypoint, ...Waypoint[]];
  assert.deepEqual(placeAt([spot], NOON + 8_000), spot);
  assert.equal(placeAt([], NOON), null);
});

test('a floor that was walked once tells a quieter phone better where it is', () => {
  const map = mapSignals([walked('survey', LANES)], settingsOf);
  const visit = walked('visit', ACROSS, { louder: -8 });
  const [without, surveyed] = [played(visit), played(visit, map)];
  const [before, after] = [without.off(without.fixes), surveyed.off(surveyed.fixes)];
  assert.ok(after < 0.85 * before, `${after} m instead of ${before} m`);
});

test('a beacon that was moved or calibrated anew loses its part of the survey, and only its own', () => {
  const map = mapSignals([walked('survey', LANES)], settingsOf);
  const { a: _, ...others } = map;
  const visit = walked('visit', ACROSS);
  const changes: PresenceSettings[] = [{ location: { x: 1, y: 0, z: 2.3 } }, { measuredPower: -62 }];
  for (const change of changes) {
    const settings = (id: string) => (id === 'a' ? { ...settingsOf(id), ...change } : settingsOf(id));
    assert.deepEqual(played(visit, map, settings).fixes, played(visit, others, settings).fixes);
  }
  assert.notDeepEqual(played(visit, map).fixes, played(visit, others).fixes);
});

test('the trial by leaving out says whether a survey helps, and of one alone nothing', () => {
  const surveys = [walked('one', LANES), walked('two', ACROSS), walked('three', [...ACROSS].reverse())];
  assert.equal(trySurveys(surveys.slice(0, 1), settingsOf), null);
  const good = trySurveys(surveys, settingsOf);
  assert.ok(good?.helps, JSON.stringify(good));
  for (const { share, low, high } of [good.surveyed.zone, good.surveyed.nearest]) {
    assert.ok(low <= share && share <= high && low >= 0 && high <= 1, JSON.stringify({ low, share, high }));
  }
  // Ten seconds each show little, however right they are.
  const spot = (id: string): Survey => {
    const { way, samples } = walked(id, LANES.slice(0, 2));
    return { id, way: way.slice(0, 1), samples };
  };
  assert.equal(trySurveys([spot('four'), spot('five')], settingsOf), null);
  assert.ok((good?.surveyed.zone.low ?? 1) < (good?.surveyed.zone.share ?? 0));
  // One of two surveyors held the plan the wrong way round.
  const [right, other] = surveys as [Survey, Survey];
  const turned = { ...other, way: other.way.map((point) => ({ ...point, x: 12 - point.x, y: 12 - point.y })) };
  assert.equal(trySurveys([right, turned], settingsOf)?.helps, false);
});

test('a map is of bounded size however long the way and however large the hall', () => {
  const long = Array.from({ length: 60 }, (_, lane): [number, number][] =>
    lane % 2 === 0
      ? [
          [0, lane],
          [80, lane],
        ]
      : [
          [80, lane],
          [0, lane],
        ],
  ).flat();
  const map = mapSignals([walked('long', long)], settingsOf);
  for (const { floors } of Object.values(map)) {
    for (const { residual } of floors) assert.ok(residual.length <= 900, String(residual.length));
  }
  assert.ok(JSON.stringify(map).length < 40_000);
});

test('what is heard later corrects where somebody was', () => {
  const map = mapSignals([walked('survey', LANES)], settingsOf);
  const { fixes, steps, off } = played(walked('visit', ACROSS, { noise: 5 }), map);
  const places = lookBack({ steps, settingsOf, mapOf: (id) => map[id] });
  assert.ok(off(places) < 0.75 * off(fixes), `${off(places)} m instead of ${off(fixes)} m`);
  assert.deepEqual(
    places.map(({ at }) => at),
    fixes.map(({ at }) => at),
  );
  for (const { xx, yy, floor } of places) assert.ok(xx > 0 && yy > 0 && floor === 0);
  assert.deepEqual(lookBack({ steps: [], settingsOf }), []);
});

test('after a pause nothing that comes later corrects what was before', () => {
  const { steps } = played(walked('visit', ACROSS));
  const half = steps.slice(0, 10);
  const later = steps.slice(10).map((step) => ({ ...step, at: step.at + 60_000 }));
  const look = (some: readonly PositionStep[]) => lookBack({ steps: some, settingsOf });
  assert.deepEqual(look([...half, ...later]), [...look(half), ...look(later)]);
});

test('a long visit is looked at in pieces, and nobody sees where they meet', () => {
  const there = Array.from({ length: 30 }, () => ACROSS).flat();
  const { steps, off } = played(walked('visit', there));
  assert.ok(steps.length > 700, String(steps.length));
  const places = lookBack({ steps, settingsOf });
  assert.equal(places.length, steps.length);
  assert.ok(off(places.slice(295, 305)) < 1.5 * off(places), `${off(places.slice(295, 305))}, ${off(places)}`);
});
