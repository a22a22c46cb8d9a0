import assert from 'node:assert/strict';
import { test } from 'vitest';
import { mulberry32 } from '../../../bench/proximity/generated.ts';
import type { BeaconLocation, PresenceSettings, Sample } from '../src/presence/types.ts';
import { compareSamples, follow } from '../src/track.ts';

const NOON = Date.UTC(2026, 2, 2, 12);

/** Which beacons a visitor enters who stands for half a minute at these distances (m) from each; no beacon has a location. */
function entered(metres: Readonly<Record<string, number>>, { louder = 0, ...settings }: Hearing = {}): string[] {
  const random = mulberry32(7);
  const samples = Object.entries(metres).flatMap(([beaconId, away], index) =>
    Array.from({ length: 60 }, (_, half): Sample => {
      const noise = 3 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      const rssi = Math.round(-59 - 20 * Math.log10(away) + louder + noise);
      return { beaconId, occurredAt: NOON + 500 * half + index, rssi };
    }),
  );
  const settingsOf = (): PresenceSettings => ({ oneZone: true, ...settings });
  const { events } = follow({
    installationId: 'phone',
    state: null,
    samples: samples.sort(compareSamples),
    settingsOf,
  });
  return events.filter(({ event }) => event === 'ENTER').map(({ beaconId }) => beaconId);
}

interface Hearing extends PresenceSettings {
  /** Than the beacon's measured power says, dB. */
  readonly louder?: number;
}

test('a quiet phone that nobody knows enters where one beacon leads the others', () => {
  assert.deepEqual(entered({ a: 1, b: 6, c: 7 }, { louder: -14 }), ['a']);
  assert.deepEqual(entered({ a: 4, b: 6, c: 7 }, { louder: -14 }), []);
});

test('a loud phone does not enter where none leads', () => {
  assert.deepEqual(entered({ a: 4.1, b: 4.1, c: 4.2 }, { louder: 4 }), []);
  assert.deepEqual(entered({ a: 1.5, b: 5, c: 6 }, { louder: 4 }), ['a']);
});

test('of a beacon that is heard alone nobody is shut out for a phone in a pocket', () => {
  assert.deepEqual(entered({ a: 1.5 }, { louder: -10 }), ['a']);
  assert.deepEqual(entered({ a: 6 }), []);
});

test('a calibration shuts nobody out: it says how loudly the beacon sends, and nothing about the phone', () => {
  for (const settings of [{}, { measuredPower: -59 }]) {
    assert.deepEqual(entered({ a: 2 }, { louder: -6, ...settings }), ['a']);
    assert.deepEqual(entered({ a: 6 }, settings), []);
  }
});

test('a visit is not lost because another beacon gets louder by itself', () => {
  const level = (away: number) => Math.round(-59 - 20 * Math.log10(away));
  const heard = (metres: Readonly<Record<string, number>>, from: number, until: number) =>
    Object.entries(metres).flatMap(([beaconId, away], index) =>
      Array.from({ length: until - from }, (_, second): Sample => {
        return { beaconId, occurredAt: NOON + 1000 * (from + second) + index, rssi: level(away) };
      }),
    );
  const samples = [...heard({ a: 3.4, b: 10, c: 12 }, 0, 30), ...heard({ a: 3.4, b: 3.3, c: 12 }, 30, 90)];
  const { events } = follow({
    installationId: 'phone',
    state: null,
    samples: samples.sort(compareSamples),
    settingsOf: () => ({ oneZone: true }),
  });
  assert.deepEqual(
    events
      .filter(({ event }) => event === 'ENTER' || event === 'EXIT')
      .map(({ event, beaconId }) => `${event} ${beaconId}`),
    ['ENTER a'],
  );
});

test('a distance that a client has measured by itself is taken as it is', () => {
  const samples = Array.from({ length: 30 }, (_, second): Sample => {
    return { beaconId: 'a', occurredAt: NOON + 1000 * second, distance: 5 };
  });
  const { events } = follow({ installationId: 'phone', state: null, samples, settingsOf: () => ({ oneZone: true }) });
  assert.deepEqual(
    events.map(({ event }) => event),
    ['FAR'],
  );
});

test('a sample by itself, of a sender that reports every quarter of an hour, is taken as it is', () => {
  const one: Sample = { beaconId: 'a', occurredAt: NOON, rssi: -59 - 14, interval: 900 };
  const { events } = follow({
    installationId: 'phone',
    state: null,
    samples: [one],
    settingsOf: () => ({ oneZone: true }),
  });
  assert.deepEqual(
    events.filter(({ event }) => event === 'ENTER'),
    [],
  );
});

/** A corridor of four beacons, and a wall of 6 dB before the third. */
const corridor: Readonly<Record<string, BeaconLocation>> = {
  a: { x: 0, y: 0, z: 2.3 },
  b: { x: 6, y: 4, z: 2.3 },
  c: { x: 12, y: 0, z: 2.3 },
  d: { x: 18, y: 4, z: 2.3 },
};

/** What a visitor enters who stands in the corridor for some time, where the signal falls faster with the distance than is assumed. */
function enteredAt(here: { readonly x: number; readonly y: number }, seed: number, seconds = 60): string[] {
  const random = mulberry32(seed);
  const samples = Array.from({ length: 2 * seconds }, (_, half) =>
    Object.entries(corridor).map(([beaconId, { x, y }], index): Sample => {
      const noise = 4 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      const loss = 25 * Math.log10(Math.hypot(x - here.x, y - here.y, 1)) + (beaconId === 'c' ? 6 : 0);
      return { beaconId, occurredAt: NOON + 500 * half + index, rssi: Math.round(-59 - loss + noise) };
    }),
  ).flat();
  const settingsOf = (id: string): PresenceSettings => ({ oneZone: true, location: corridor[id] as BeaconLocation });
  const { events } = follow({
    installationId: 'phone',
    state: null,
    samples: samples.sort(compareSamples),
    settingsOf,
  });
  return events.filter(({ event }) => event === 'ENTER').map(({ beaconId }) => beaconId);
}

test('where a position is known, the beacon that leads the others by far is entered sooner', () => {
  const beside = Array.from({ length: 12 }, (_, seed) => enteredAt({ x: 10, y: 0.5 }, seed + 1));
  assert.ok(beside.filter((ids) => ids.includes('c')).length >= 10, JSON.stringify(beside));
  const between = Array.from({ length: 12 }, (_, seed) => enteredAt({ x: 9, y: 4.6 }, seed + 1));
  assert.ok(
    between.every((ids) => !ids.includes('c')),
    JSON.stringify(between),
  );
});

test('who seemed to leave for nowhere comes back only with strong evidence: one stay makes one visit', () => {
  const stays = Array.from({ length: 8 }, (_, seed) => enteredAt({ x: 10, y: 2.2 }, seed + 1, 240));
  const repeated = stays.reduce((sum, ids) => sum + Math.max(0, ids.length - 1), 0);
  assert.ok(repeated <= 2, JSON.stringify(stays));
});
