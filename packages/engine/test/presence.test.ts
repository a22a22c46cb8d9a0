import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { Observation, TrackState } from '../src/presence/types.ts';
import { endOf, kinds, NOON, repeat, type Seen, see, wait, walk } from './support/engine-calls.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('a visitor who comes near and walks away makes ENTER and NEAR, then FAR and EXIT, in one visit', () => {
  const outcome = see(walk([...repeat(10, 12), ...repeat(2, 20), ...repeat(12, 40)]));
  assert.deepEqual(kinds(outcome), ['FAR', 'ENTER', 'NEAR', 'FAR', 'EXIT']);
  assert.equal(new Set(outcome.events.map(({ visitId }) => visitId)).size, 1);
  const exit = outcome.events.at(-1);
  assert.ok(exit?.enteredAt !== undefined && exit.leftAt !== undefined && exit.leftAt < exit.at);
  assert.equal(outcome.presence?.visit, null);
});

test('two near samples within two seconds are not yet an ENTER', () => {
  assert.deepEqual(kinds(see(walk([2, 2]))), []);
  assert.deepEqual(kinds(see(walk([2, 2, 2]))), ['ENTER', 'NEAR']);
});

test('fast enters with the first near sample', () => {
  assert.deepEqual(kinds(see(walk([2]), null, { settings: { sensitivity: 'fast' } })), ['ENTER', 'NEAR']);
});

test('rushing to the beacon skips NEAR, stepping back makes NEAR', () => {
  const outcome = see(walk([...repeat(0.5, 6), ...repeat(2.2, 40)]));
  assert.deepEqual(kinds(outcome), ['ENTER', 'IMMEDIATE', 'NEAR']);
});

test('between five sixths and one and a half of the radius nothing is decided', () => {
  const inside = see(walk(repeat(2, 10)));
  assert.deepEqual(kinds(see(walk(repeat(3.6, 60), NOON + 10_000), inside)), []);
  assert.deepEqual(kinds(see(walk(repeat(3.6, 60)))), []);
  const wide = { settings: { radius: 10 } };
  const enters = (metres: number) => kinds(see(walk(repeat(metres, 60)), null, wide)).includes('ENTER');
  assert.deepEqual([enters(8.7), enters(8.1)], [false, true]);
});

test('a radius of ten metres enters far from the zone NEAR', () => {
  const outcome = see(walk([...repeat(7, 12), ...repeat(2, 20)]), null, { settings: { radius: 10 } });
  assert.deepEqual(kinds(outcome), ['ENTER', 'FAR', 'NEAR']);
});

test('thirty seconds of silence are an EXIT at the deadline, and the visitor had left when last heard', () => {
  const inside = see(walk(repeat(2, 10)));
  const heard = NOON + 9_000;
  assert.equal(endOf(inside), heard + 30_000);
  assert.deepEqual(kinds(wait(inside, heard + 29_999)), []);
  const [exit] = wait(inside, heard + 90_000).events;
  assert.equal(exit?.event, 'EXIT');
  assert.equal(exit?.cause, 'silence');
  assert.equal(exit?.at, heard + 30_000);
  assert.equal(exit?.leftAt, heard);
  assert.equal(exit?.inferred, undefined);
});

test('how long silence has to be depends on the sender', () => {
  const cases: [Partial<Observation>, number][] = [
    [{ sender: 'phone' }, 30],
    [{ sender: 'androidBackground' }, 2_700],
    [{ sender: 'iosBackground' }, 2_700],
    [{ sender: 'espresense' }, 30],
    [{ sender: 'openmqttgateway' }, 195],
    [{ interval: 5 }, 30],
    [{ sender: 'phone', interval: 60 }, 180],
    [{ interval: 86_400 }, 21_600],
  ];
  for (const [members, seconds] of cases) {
    const reports = walk(repeat(2, 4)).map((report) => ({ ...report, ...members }));
    assert.equal(endOf(see(reports)), NOON + 3_000 + seconds * 1000, JSON.stringify(members));
  }
});

test('a gap inside one batch ends the visit as the timer would have', () => {
  const batch = [...walk(repeat(2, 5)), ...walk(repeat(2, 5), NOON + 2 * MINUTE)];
  const outcome = see(batch);
  assert.deepEqual(kinds(outcome), ['ENTER', 'NEAR', 'EXIT', 'ENTER', 'NEAR']);
  const first = see(walk(repeat(2, 5)));
  assert.deepEqual(wait(first, NOON + MINUTE).events[0], outcome.events[2]);
});

test("a phone's own decisions are trusted and repeated ones change nothing", () => {
  const enter = see([{ occurredAt: NOON, event: 'ENTER' }]);
  assert.deepEqual(kinds(enter), ['ENTER']);
  const again = see([{ occurredAt: NOON + 1000, event: 'ENTER' }], enter);
  assert.deepEqual(kinds(again), []);
  const exit = see([{ occurredAt: NOON + MINUTE, event: 'EXIT' }], again);
  assert.deepEqual(kinds(exit), ['EXIT']);
  assert.equal(exit.events[0]?.cause, 'device');
  assert.deepEqual(kinds(see([{ occurredAt: NOON + 2 * MINUTE, event: 'EXIT' }], exit)), []);
});

test('a phone that leaves and enters again at once has not left', () => {
  const flaps = [0, 1, 2, 3, 4].flatMap((index) => [
    { occurredAt: NOON + index * 3_000, event: 'ENTER' as const },
    { occurredAt: NOON + index * 3_000 + 1_500, event: 'EXIT' as const },
  ]);
  const whole = see(flaps);
  assert.deepEqual(kinds(whole), ['ENTER', 'EXIT']);
  assert.equal(whole.events[1]?.leftAt, NOON + 13_500);
  const out = see(flaps.slice(0, 2));
  const back = see(flaps.slice(2, 3), out);
  assert.deepEqual(kinds(back), []);
  assert.deepEqual(back.retracted, [out.events[1]?.id], 'the EXIT is taken back');
  assert.equal(back.presence?.visit?.id, out.events[0]?.visitId);
  const later = see([{ occurredAt: NOON + 32_000, event: 'ENTER' }], out);
  assert.deepEqual(kinds(later), ['ENTER'], 'more than 30 s later it is another visit');
});

test('far samples and silence do not end a visit that the phone decided; twelve hours do, as inferred', () => {
  const enter = see([{ occurredAt: NOON, event: 'ENTER' }]);
  const far = see(walk(repeat(20, 60), NOON + 1000), enter);
  assert.deepEqual(kinds(far), ['FAR']);
  assert.equal(endOf(far), NOON + 12 * HOUR);
  const closed = wait(far, NOON + 12 * HOUR);
  assert.equal(closed.events[0]?.inferred, true);
  assert.equal(closed.events[0]?.cause, 'timeout');
  assert.equal(closed.events[0]?.leftAt, NOON + 60_000);
});

test('a visit goes on for as long as samples come', () => {
  let seen: Seen | null = null;
  const events: string[] = [];
  for (let at = NOON; at < NOON + 13 * HOUR; at += 20_000) {
    seen = see([{ occurredAt: at, rssi: -64 }], seen);
    events.push(...kinds(seen));
  }
  assert.deepEqual(events, ['ENTER', 'NEAR']);
});

test('an interval that gets shorter shortens the silence', () => {
  const rare = see(walk(repeat(2, 4)).map((report) => ({ ...report, interval: 86_400 })));
  const often = see(walk(repeat(2, 4), NOON + 10_000), rare);
  assert.equal(endOf(often), NOON + 43_000);
});

test('one sample in a burst every quarter of an hour is one visit', () => {
  const bursts = Array.from({ length: 8 }, (_, index) => ({
    occurredAt: NOON + index * 900_000 + (index % 2) * 20_000,
    rssi: -62,
    sender: 'androidBackground' as const,
  }));
  const outcome = see(bursts);
  assert.deepEqual(kinds(outcome), ['ENTER', 'NEAR']);
});

test('samples of one whole second count once each second, whatever their order and number', () => {
  const tenASecond = repeat(2, 4).flatMap((_, second) =>
    Array.from({ length: 10 }, (_, index) => ({ occurredAt: NOON + second * 1000, rssi: -62 - (index % 5) })),
  );
  const outcome = see(tenASecond);
  assert.deepEqual(kinds(outcome), ['ENTER', 'NEAR']);
  assert.deepEqual(see([...tenASecond, ...tenASecond].reverse()), outcome);
});

test('a calibration during a contact counts from the next one on', () => {
  const before = see(walk(repeat(0.8, 10)), null, { settings: { measuredPower: -59 } });
  assert.deepEqual(kinds(before), ['ENTER', 'IMMEDIATE']);
  const after = { settings: { measuredPower: -75 } };
  assert.deepEqual(kinds(see(walk(repeat(0.8, 60), NOON + 10_000), before, after)), []);
  const next = see(walk(repeat(2, 10), NOON + 2 * MINUTE), before, after);
  assert.deepEqual(kinds(next), ['EXIT', 'ENTER', 'IMMEDIATE']);
});

test('what is confirmed at one instant has ids in the order in which it happened', () => {
  const { events } = see(walk([...repeat(0.5, 6), ...repeat(12, 40)]));
  const ids = events.map(({ id }) => id);
  assert.deepEqual(ids, [...ids].sort());
});

test('a beacon that was only overheard is forgotten', () => {
  const far = see(walk(repeat(20, 10)));
  const later = see([{ occurredAt: NOON + HOUR, rssi: -90, receiver: 'other' }], far);
  assert.equal(later.presence?.filters.length, 1, 'nothing is left of the first time');
});

test('the nearest of several receivers that were heard lately counts', () => {
  const both = repeat(2, 5).flatMap((_, index) => [
    { occurredAt: NOON + index * 1000, rssi: -90, receiver: 'hall' },
    { occurredAt: NOON + index * 1000 + 1, rssi: -62, receiver: 'room' },
  ]);
  assert.deepEqual(kinds(see(both)), ['ENTER', 'NEAR']);
  const offset = { receiverOffsets: { room: -20 } };
  assert.deepEqual(kinds(see(both, null, { settings: offset })), ['ENTER', 'IMMEDIATE']);
});

test('a state survives being stored as JSON', () => {
  const steps = walk([...repeat(10, 12), ...repeat(1.5, 20), ...repeat(12, 40)]);
  let stored: Seen | null = null;
  const seen: string[] = [];
  for (const step of steps) {
    const outcome = see([step], stored);
    stored = { ...outcome, track: JSON.parse(JSON.stringify(outcome.track)) as TrackState };
    seen.push(...outcome.events.map(({ id }) => id));
  }
  assert.deepEqual(
    seen,
    see(steps).events.map(({ id }) => id),
  );
});
