import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { mulberry32 } from '../../../bench/proximity/generated.ts';
import { runs } from '../../../scripts/test/runs.ts';
import { errorRadius, floorOf } from '../src/position/fix.ts';
import { addEvidence, learnedFrom, noEvidence } from '../src/position/learning.ts';
import { nearestOf } from '../src/position/nearest.ts';
import type { BeaconLocation, PresenceEvent, PresenceSettings, Sample, TrackState } from '../src/presence/types.ts';
import { compareSamples, follow } from '../src/track.ts';

/** A corridor of four beacons, six metres apart, and one a floor above its middle. */
const places = new Map<string, BeaconLocation>([
  ['a', { x: 0, y: 0, z: 2.3, floor: 0 }],
  ['b', { x: 6, y: 4, z: 2.3, floor: 0 }],
  ['c', { x: 12, y: 0, z: 2.3, floor: 0 }],
  ['d', { x: 18, y: 4, z: 2.3, floor: 0 }],
]);
const NOON = Date.UTC(2026, 2, 2, 12);

interface Stand {
  readonly x: number;
  readonly y: number;
  readonly floor?: number;
}

interface Radio {
  /** A phone that hears so much less, dB. */
  readonly quiet?: number;
  readonly power?: number;
  readonly exponent?: number;
  readonly noise?: number;
  readonly seed?: number;
  readonly places?: ReadonlyMap<string, BeaconLocation>;
  /** What a wall takes away from one beacon, dB. */
  readonly walls?: Readonly<Record<string, number>>;
  /** What the visitor's body takes away from a beacon in a second, dB. */
  readonly shadow?: (beaconId: string, second: number) => number;
}

/** Two samples a second of each beacon for each second that somebody stands somewhere. */
function heardAt(stands: readonly Stand[], radio: Radio = {}): Sample[] {
  const { quiet = 0, power = -59, exponent = 2, noise = 4, seed = 1, walls = {}, shadow = () => 0 } = radio;
  const random = mulberry32(seed);
  const gaussian = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return stands.flatMap(({ x, y, floor = 0 }, second) =>
    [0, 500].flatMap((part) =>
      [...(radio.places ?? places)].map(([beaconId, place], index) => {
        const storeys = floor - (place.floor ?? 0);
        const metres = Math.hypot(place.x - x, place.y - y, (place.z ?? 2) - 1.3 - storeys * 3.5);
        const lost = 15 * Math.abs(storeys) + quiet + (walls[beaconId] ?? 0) + shadow(beaconId, second);
        const level = power - 10 * exponent * Math.log10(metres) - lost;
        return {
          beaconId,
          occurredAt: NOON + second * 1000 + part + index,
          rssi: Math.round(Math.min(-20, Math.max(-110, level + noise * gaussian()))),
        };
      }),
    ),
  );
}

const stay = (stand: Stand, seconds: number): Stand[] => Array.from({ length: seconds }, () => stand);
const walk = (from: Stand, to: Stand, seconds: number): Stand[] =>
  Array.from({ length: seconds }, (_, second) => ({
    x: from.x + ((to.x - from.x) * second) / seconds,
    y: from.y + ((to.y - from.y) * second) / seconds,
  }));

const settingsOf = (beaconId: string): PresenceSettings => {
  const location = places.get(beaconId);
  return { oneZone: true, ...(location === undefined ? {} : { location }) };
};

function play(samples: readonly Sample[], settings = settingsOf) {
  return follow({
    installationId: 'phone',
    state: null,
    samples: [...samples].sort(compareSamples),
    settingsOf: settings,
  });
}

const kinds = (events: readonly PresenceEvent[]) =>
  events
    .filter(({ event }) => event === 'ENTER' || event === 'EXIT')
    .map(({ event, beaconId }) => `${event} ${beaconId}`);

test('a visitor has a position, and the stated error holds it', () => {
  const { fix } = play(heardAt(stay({ x: 7, y: 2 }, 20))).state;
  assert.ok(fix);
  const error = Math.hypot(fix.x - 7, fix.y - 2);
  assert.ok(error < 1.5, `${error} m`);
  assert.ok(error < 2 * errorRadius(fix) && errorRadius(fix) < 4);
});

test('a phone that hears 18 dB less is in the same place and enters the same zones', () => {
  const route = [
    ...stay({ x: 6, y: 3 }, 15),
    ...walk({ x: 6, y: 3 }, { x: 18, y: 3 }, 20),
    ...stay({ x: 18, y: 3 }, 15),
  ];
  const loud = play(heardAt(route));
  const quiet = play(heardAt(route, { quiet: 18 }));
  assert.deepEqual(kinds(loud.events).at(-1), 'ENTER d');
  assert.deepEqual(kinds(quiet.events).at(-1), 'ENTER d');
  assert.ok(Math.abs((quiet.state.receiverOffset?.loss ?? 0) - 18) < 5, `${quiet.state.receiverOffset?.loss}`);
  assert.equal(nearestOf(quiet.state, quiet.state.at ?? 0)?.beaconId, 'd');
});

/** Four by three beacons, and a way around in it, at 0.6 to 0.8 m/s, that comes past the sixth one. */
const hall = new Map<string, BeaconLocation>();
for (let index = 0; index < 12; index++)
  hall.set(`hall${index}`, { x: 6 * (index % 4), y: 6 * Math.floor(index / 4), z: 2.3 });
const inHall = (id: string): PresenceSettings => ({ oneZone: true, location: hall.get(id) as BeaconLocation });
const roundHall = Array.from({ length: 90 }, (_, second) => ({
  x: 9 + 8 * Math.cos(second / 15),
  y: 6 + 4 * Math.sin(second / 7.5),
}));
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean error of the last minute (m), and what is believed in the end of a beacon with a wall of 12 dB in front. */
function behindWall(stands: readonly Stand[], { wall = 12, learns = true, seed }: Walled) {
  const samples = heardAt(stands, { places: hall, walls: { hall5: wall }, seed }).sort(compareSamples);
  const errors: number[] = [];
  let state: TrackState | null = null;
  for (const sample of samples) {
    state = follow({ installationId: 'phone', state, samples: [sample], settingsOf: inHall }).state;
    if (!learns) for (const beacon of Object.values(state.beacons)) beacon.bias = null;
    const { fix } = state;
    if (fix?.at !== state.at || fix === null) continue;
    const there = stands[Math.floor((fix.at - NOON - 500) / 1000)] as Stand;
    errors.push(Math.hypot(fix.x - there.x, fix.y - there.y));
  }
  const biases = Object.entries((state as TrackState).beacons).map(([id, { bias }]) => [id, bias?.loss ?? 0] as const);
  return { error: mean(errors.slice(-60)), biases: new Map(biases) };
}

interface Walled {
  readonly wall?: number;
  /** False: what was learned of each beacon is forgotten after each step. */
  readonly learns?: boolean;
  readonly seed: number;
}

test('a wall before one beacon is learned from a visitor who walks about, who is then placed as if there were none', () => {
  const walls = SEEDS.map((seed) => behindWall(roundHall, { seed }));
  for (const { biases } of walls) {
    for (const [id, loss] of biases) {
      if (id === 'hall5') assert.ok(loss > 6 && loss < 12, `${loss} dB`);
      else assert.ok(Math.abs(loss) < 3, `${id}: ${loss} dB`);
    }
  }
  const error = mean(walls.map((one) => one.error));
  const forgetful = mean(SEEDS.map((seed) => behindWall(roundHall, { seed, learns: false }).error));
  const free = mean(SEEDS.map((seed) => behindWall(roundHall, { seed, wall: 0 }).error));
  assert.ok(error < 0.85 * forgetful, `${error} m, and ${forgetful} m if nothing is learned`);
  assert.ok(error < 1.1 * free, `${error} m, and ${free} m without the wall`);
});

test('from a visitor who stands beside it less of the wall is learned, and of that beacon only', () => {
  for (const seed of SEEDS) {
    const { biases } = behindWall(stay({ x: 7, y: 7 }, 90), { seed });
    const wall = biases.get('hall5') ?? 0;
    assert.ok(wall > 3 && wall < 6, `${wall} dB`);
    for (const [id, loss] of biases) if (id !== 'hall5') assert.ok(loss < wall, `${id}: ${loss} dB`);
  }
});

test('a state that was stored before biases were learned goes on', () => {
  const samples = heardAt(stay({ x: 6, y: 3 }, 20)).sort(compareSamples);
  const half = samples.length / 2;
  const { state } = play(samples.slice(0, half));
  const old = JSON.parse(JSON.stringify(state, (key, value) => (key === 'bias' ? undefined : value))) as TrackState;
  const next = follow({ installationId: 'phone', state: old, samples: samples.slice(half), settingsOf });
  assert.equal(nearestOf(next.state, next.state.at ?? 0)?.beaconId, 'b');
  assert.ok(Number.isFinite(next.state.fix?.x) && next.state.beacons['b']?.bias !== null);
});

test('the floor is the one whose ceiling is not in between', () => {
  const building = new Map([
    ...places,
    ...[...places].map(([id, place]) => [`${id}1`, { ...place, floor: 1 }] as const),
  ]);
  const settings = (id: string): PresenceSettings => ({ oneZone: true, location: building.get(id) as BeaconLocation });
  for (const floor of [0, 1]) {
    const { fix } = play(heardAt(stay({ x: 6, y: 3, floor }, 15), { places: building }), settings).state;
    assert.ok(fix);
    assert.equal(floorOf(fix), floor);
  }
});

test('an event says which beacons competed, and how sure', () => {
  const { events } = play(heardAt(stay({ x: 6, y: 3 }, 20)));
  const enter = events.find(({ event }) => event === 'ENTER');
  assert.equal(enter?.beaconId, 'b');
  assert.equal(enter?.rivals?.[0]?.beaconId, 'b');
  assert.equal(enter?.rivals?.length, 3);
  assert.ok((enter?.rivals?.[0]?.share ?? 0) > (enter?.rivals?.[1]?.share ?? 1));
});

test('IMMEDIATE is told of a visitor whose position is near, with the distance that is shown', () => {
  let [told, loud] = [0, 0];
  for (const louder of [0, 6, 12, 18, 24])
    for (const x of [6, 8, 9, 10]) {
      let state: TrackState | null = null;
      const heard = heardAt(stay({ x, y: louder === 0 ? 3.9 : 0 }, 40), { walls: { b: -louder }, seed: x });
      for (const [at, samples] of Map.groupBy(heard, ({ occurredAt }) => occurredAt)) {
        const followed = follow({ installationId: 'phone', state, samples, settingsOf });
        state = followed.state;
        const { immediate, standing } = state.beacons['b'] ?? {};
        if (immediate?.inside === true && (standing?.distance ?? 0) > 4) loud++;
        for (const { event, beaconId, distance = 9 } of followed.events) {
          if (event !== 'IMMEDIATE') continue;
          told++;
          assert.equal(state.beacons[beaconId]?.near.inside, true, `${louder} dB at ${x}`);
          const nearest = nearestOf(state, at);
          assert.deepEqual([nearest?.beaconId, Math.round((nearest?.distance ?? 9) * 100) / 100], [beaconId, distance]);
        }
      }
    }
  assert.ok(told > 0 && loud > 0, `${told} told, ${loud} heard too loudly`);
});

test('without locations the nearest beacon has the visitor, and only it', () => {
  const pair = new Map<string, BeaconLocation>([
    ['a', { x: 0, y: 0 }],
    ['b', { x: 3, y: 0 }],
  ]);
  const stands = [...stay({ x: 0.5, y: 0 }, 15), ...stay({ x: 2.8, y: 0 }, 25)];
  const { events } = play(heardAt(stands, { places: pair, noise: 2 }), () => ({ oneZone: true, radius: 6 }));
  assert.deepEqual(kinds(events), ['ENTER a', 'EXIT a', 'ENTER b']);
});

test('a phone that decides by itself is left alone by the competition', () => {
  const samples = heardAt(stay({ x: 6, y: 3 }, 20));
  const decision: Sample = { beaconId: 'd', occurredAt: NOON - 1, event: 'ENTER' };
  const { state } = play([decision, ...samples]);
  assert.equal(state.beacons['d']?.visit?.source, 'device');
  assert.equal(state.beacons['b']?.visit?.source, 'samples');
});

/** Six beacons in a row without locations; a phone on its way past them, `aside` metres away. */
const row = new Map(Array.from({ length: 6 }, (_, index) => [`row${index}`, { x: 6 * index, y: 0, z: 2 }] as const));
const pastRow = (aside: number): Stand[] => walk({ x: -2, y: aside }, { x: 32, y: aside }, 80);

test('a phone that passes beacons too quietly is known after some, and who keeps away from all is not let in', () => {
  const laps = [...pastRow(1), ...pastRow(1).reverse()];
  const unlocated = () => ({ oneZone: true as const });
  const entersOf = (samples: Sample[]) =>
    kinds(play(samples, unlocated).events).filter((kind) => kind.startsWith('ENTER'));
  const quiet = play(heardAt(laps, { places: row, quiet: 16 }), unlocated).state.receiverOffset?.loss ?? 0;
  assert.ok(quiet > 5 && quiet < 18, `${quiet} dB`);
  assert.equal(play(heardAt(laps, { places: row }), unlocated).state.receiverOffset?.loss, 0);
  const known = [...laps, ...laps.slice(0, 10), ...stay({ x: 6, y: 0.5 }, 20)];
  assert.deepEqual(entersOf(heardAt(known, { places: row, quiet: 16 })).at(-1), 'ENTER row1');
  assert.deepEqual(entersOf(heardAt([...pastRow(6), ...pastRow(6).reverse(), ...pastRow(6)], { places: row })), []);
});

test('a visitor standing between two beacons does not alternate between them', () => {
  const pair = new Map<string, BeaconLocation>([
    ['a', { x: 0, y: 0 }],
    ['b', { x: 3, y: 0 }],
  ]);
  const samples = heardAt(stay({ x: 1.5, y: 0 }, 900), { places: pair, noise: 5 });
  const { events } = play(samples, () => ({ oneZone: true, radius: 6 }));
  assert.ok(events.filter(({ event }) => event === 'ENTER').length <= 6, kinds(events).join(', '));
});

/** Two beacons whose zones overlap, and two that help to tell where somebody is. */
const overlapping = new Map<string, BeaconLocation>([
  ['a', { x: 0, y: 0, z: 2.3 }],
  ['b', { x: 3, y: 0, z: 2.3 }],
  ['c', { x: 9, y: 6, z: 2.3 }],
  ['d', { x: -6, y: 6, z: 2.3 }],
]);
const inOverlap = (id: string): PresenceSettings => ({
  oneZone: true,
  location: overlapping.get(id) as BeaconLocation,
});

test('a body that shadows one beacon, then the other, seldom sends a visitor to and fro', () => {
  const shadow = (id: string, second: number) => (id === (Math.floor(second / 6) % 2 === 0 ? 'b' : 'a') ? 8 : 0);
  const enters = SEEDS.map((seed) => {
    const samples = heardAt(stay({ x: 1.5, y: 0 }, 120), { places: overlapping, shadow, seed });
    return play(samples, inOverlap).events.filter(({ event }) => event === 'ENTER').length;
  });
  assert.ok(mean(enters) < 6, enters.join(', '));
});

test('whoever walks to the next beacon and back is taken back', () => {
  const [a, b] = [
    { x: 0, y: 0 },
    { x: 3, y: 0 },
  ];
  const there = [...stay(a, 15), ...walk(a, b, 4), ...stay(b, 15), ...walk(b, a, 4), ...stay(a, 20)];
  for (const seed of SEEDS) {
    const { events } = play(heardAt(there, { places: overlapping, seed }), inOverlap);
    const again = events.filter(({ event, beaconId }) => event === 'ENTER' && beaconId === 'a').at(-1);
    const seconds = ((again?.at ?? 0) - NOON) / 1000;
    assert.ok(seconds > 34 && seconds < 46, `${seconds} s: ${kinds(events).join(', ')}`);
  }
});

const stand = fc.record({ x: fc.integer({ min: -2, max: 20 }), y: fc.integer({ min: -2, max: 6 }) });
const route = fc.array(fc.record({ stand, seconds: fc.integer({ min: 2, max: 25 }) }), { minLength: 2, maxLength: 6 });

test('a visitor is in one zone at a time, however it walks', () => {
  fc.assert(
    fc.property(route, fc.integer(), fc.boolean(), (legs, seed, isLocated) => {
      const samples = heardAt(
        legs.flatMap(({ stand, seconds }) => stay(stand, seconds)),
        { seed, noise: 6 },
      );
      const settings = isLocated ? settingsOf : () => ({ oneZone: true as const, radius: 6 });
      const open = new Set<string>();
      for (const { event, beaconId } of play(samples, settings).events) {
        if (event === 'ENTER') open.add(beaconId);
        if (event === 'EXIT') open.delete(beaconId);
        assert.ok(open.size <= 1);
      }
    }),
    runs(60),
  );
});

test('how the samples are cut into deliveries, and whether the state was stored between them, makes no difference', () => {
  fc.assert(
    fc.property(route, fc.integer(), fc.integer({ min: 1, max: 40 }), (legs, seed, size) => {
      const samples = heardAt(
        legs.flatMap(({ stand, seconds }) => stay(stand, seconds)),
        { seed },
      );
      samples.sort(compareSamples);
      const whole = play(samples);
      let state: TrackState | null = null;
      const events: PresenceEvent[] = [];
      for (let start = 0; start < samples.length; start += size) {
        const part = follow({
          installationId: 'phone',
          state,
          samples: samples.slice(start, start + size),
          settingsOf,
        });
        events.push(...part.events);
        state = JSON.parse(JSON.stringify(part.state)) as TrackState;
      }
      assert.deepEqual(events, whole.events);
      assert.deepEqual(state, JSON.parse(JSON.stringify(whole.state)));
    }),
    runs(40),
  );
});

test('the state of a visitor among many beacons stays small', () => {
  const many = new Map<string, BeaconLocation>();
  for (let index = 0; index < 60; index++)
    many.set(`beacon${index}`, { x: 5 * (index % 10), y: 6 * Math.floor(index / 10) });
  const settings = (id: string): PresenceSettings => ({ oneZone: true, location: many.get(id) as BeaconLocation });
  const { state } = play(heardAt(stay({ x: 22, y: 14 }, 10), { places: many }), settings);
  assert.ok(state.fix && Math.hypot(state.fix.x - 22, state.fix.y - 14) < 3);
  assert.ok(JSON.stringify(state).length < 60 * 900, `${JSON.stringify(state).length} characters`);
});

test('traffic teaches a beacon that sends 8 dB less than the others, and noise teaches nothing', () => {
  const weak = { ...settingsOf('a') };
  const halves = new Map<string, [typeof noEvidence, typeof noEvidence]>();
  for (let visitor = 0; visitor < 12; visitor++) {
    const stands = [
      ...walk({ x: -1, y: 1 }, { x: 19, y: 3 }, 25),
      ...walk({ x: 19, y: 3 }, { x: -1, y: visitor / 3 }, 25),
    ];
    const samples = heardAt(stands, { seed: visitor + 1, quiet: 3 - (visitor % 5) }).map((sample) =>
      sample.beaconId === 'a' ? { ...sample, rssi: (sample.rssi ?? 0) - 8 } : sample,
    );
    for (const [beaconId, evidence] of Object.entries(
      play(samples, (id) => (id === 'a' ? weak : settingsOf(id))).evidence,
    )) {
      const own = halves.get(beaconId) ?? [noEvidence, noEvidence];
      own[visitor % 2] = addEvidence(own[visitor % 2] ?? noEvidence, evidence);
      halves.set(beaconId, own);
    }
  }
  const learned = learnedFrom(halves.get('a') ?? [noEvidence, noEvidence]);
  assert.ok(learned);
  const at = (metres: number) => learned.loss + learned.exponent * 10 * Math.log10(metres);
  assert.ok(at(8) > 3 && at(8) < 10, `${at(8)} dB at 8 m`);
  assert.equal(learnedFrom([{ ...noEvidence, n: 400, l: 2000, ll: 11000, rr: 9000 }, noEvidence]), null);
});
