import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, NOON, repeat, see, walk } from '../../../test/support/engine-calls.ts';
import { advance } from '../observe.ts';
import type { Observation, PresenceState } from './types.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function pass(state: PresenceState, now: number) {
  return advance({ installationId: 'phone', beaconId: 'beacon', state, now });
}

test('a visitor who comes near and walks away makes ENTER and NEAR, then FAR and EXIT, in one visit', () => {
  const outcome = see(walk([...repeat(10, 12), ...repeat(2, 20), ...repeat(12, 40)]));
  assert.deepEqual(kinds(outcome), ['FAR', 'ENTER', 'NEAR', 'FAR', 'EXIT']);
  assert.equal(new Set(outcome.events.map(({ visitId }) => visitId)).size, 1);
  const exit = outcome.events.at(-1);
  assert.ok(exit?.enteredAt !== undefined && exit.leftAt !== undefined && exit.leftAt < exit.at);
  assert.equal(outcome.state.visit, null);
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
  assert.deepEqual(kinds(see(walk(repeat(3.6, 60), NOON + 10_000), inside.state)), []);
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
  assert.equal(inside.deadline, heard + 30_000);
  assert.deepEqual(kinds(pass(inside.state, heard + 29_999)), []);
  const [exit] = pass(inside.state, heard + 90_000).events;
  assert.equal(exit?.event, 'EXIT');
  assert.equal(exit?.cause, 'silence');
  assert.equal(exit?.at, heard + 30_000);
  assert.equal(exit?.leftAt, heard);
  assert.equal(exit?.inferred, undefined);
});

test('how long silence has to be depends on the sender', () => {
  const cases: [Partial<Observation>, number][] = [
    [{ sender: 'phone' }, 30],
    [{ sender: 'androidBackground' }, 900],
    [{ sender: 'espresense' }, 30],
    [{ sender: 'openmqttgateway' }, 195],
    [{ interval: 5 }, 30],
    [{ sender: 'phone', interval: 60 }, 180],
  ];
  for (const [members, seconds] of cases) {
    const reports = walk(repeat(2, 4)).map((report) => ({ ...report, ...members }));
    assert.equal(see(reports).deadline, NOON + 3_000 + seconds * 1000, JSON.stringify(members));
  }
});

test('a gap inside one batch ends the visit as the timer would have', () => {
  const batch = [...walk(repeat(2, 5)), ...walk(repeat(2, 5), NOON + 2 * MINUTE)];
  const outcome = see(batch);
  assert.deepEqual(kinds(outcome), ['ENTER', 'NEAR', 'EXIT', 'ENTER', 'NEAR']);
  const first = see(walk(repeat(2, 5)));
  assert.deepEqual(pass(first.state, NOON + MINUTE).events[0], outcome.events[2]);
});

test("a phone's own decisions are trusted and repeated ones change nothing", () => {
  const enter = see([{ occurredAt: NOON, event: 'ENTER' }]);
  assert.deepEqual(kinds(enter), ['ENTER']);
  const again = see([{ occurredAt: NOON + 1000, event: 'ENTER' }], enter.state);
  assert.deepEqual(kinds(again), []);
  const exit = see([{ occurredAt: NOON + MINUTE, event: 'EXIT' }], again.state);
  assert.deepEqual(kinds(exit), ['EXIT']);
  assert.equal(exit.events[0]?.cause, 'device');
  assert.deepEqual(kinds(see([{ occurredAt: NOON + 2 * MINUTE, event: 'EXIT' }], exit.state)), []);
  const replayed = see([{ occurredAt: NOON, event: 'ENTER' }], exit.state);
  assert.deepEqual(kinds(replayed), []);
  assert.deepEqual(replayed.skipped, [{ index: 0, reason: 'late' }]);
});

test('an ENTER that its EXIT has overtaken still makes the visit, once', () => {
  const enter = { occurredAt: NOON, event: 'ENTER' as const };
  const exit = { occurredAt: NOON + MINUTE, event: 'EXIT' as const };
  const ahead = see([exit]);
  assert.deepEqual(kinds(ahead), []);
  const both = see([enter], ahead.state);
  assert.deepEqual(both.events, see([enter, exit]).events);
  assert.deepEqual(kinds(see([exit, enter], both.state)), []);
});

test('far samples and silence do not end a visit that the phone decided; twelve hours do, as inferred', () => {
  const enter = see([{ occurredAt: NOON, event: 'ENTER' }]);
  const far = see(walk(repeat(20, 60), NOON + 1000), enter.state);
  assert.deepEqual(kinds(far), ['FAR']);
  assert.equal(far.deadline, NOON + 12 * HOUR);
  const closed = pass(far.state, NOON + 12 * HOUR);
  assert.equal(closed.events[0]?.inferred, true);
  assert.equal(closed.events[0]?.cause, 'timeout');
  assert.equal(closed.events[0]?.leftAt, NOON + 60_000);
  assert.equal(closed.deadline, null);
});

test('who is still there after twelve hours does not enter again until they have left', () => {
  let state: PresenceState | null = null;
  const seen: string[] = [];
  for (let at = NOON; at < NOON + 13 * HOUR; at += 20_000) {
    const outcome = see([{ occurredAt: at, rssi: -64 }], state);
    state = outcome.state;
    seen.push(...kinds(outcome));
  }
  assert.deepEqual(seen, ['ENTER', 'NEAR', 'EXIT']);
});

test('late reports do not disturb what is known', () => {
  const inside = see(walk(repeat(2, 10)));
  const late = see(walk(repeat(30, 5), NOON - MINUTE), inside.state);
  assert.deepEqual(late.state, inside.state);
  assert.equal(late.skipped.length, 5);
  assert.equal(late.skipped[0]?.reason, 'late');
});

test('a clock that runs an hour ahead is corrected, keeping the seconds between the reports', () => {
  const ahead = walk(repeat(2, 5), NOON + HOUR);
  const outcome = see(ahead, null, { now: NOON });
  assert.deepEqual(kinds(outcome), ['ENTER', 'NEAR']);
  assert.equal(outcome.events[0]?.at, NOON - 2_000);
  assert.equal(outcome.events[0]?.enteredAt, NOON - 4_000);
});

test('a clock that runs an hour behind is corrected where the sender says when it sent', () => {
  const behind = walk(repeat(2, 5), NOON - HOUR);
  const outcome = see(behind, null, { now: NOON, sentAt: NOON - HOUR + 5_000 });
  assert.equal(outcome.events[0]?.at, NOON - 3_000);
});

test('the visits of a phone that was offline keep their times, and the last one ends after its silence', () => {
  const past = NOON - 2 * HOUR;
  const outcome = see([...walk(repeat(2, 60), past)], null, { now: NOON });
  assert.equal(outcome.events[0]?.at, past + 2_000);
  assert.equal(outcome.deadline, NOON + 30_000);
  const [exit] = pass(outcome.state, NOON + 30_000).events;
  assert.equal(exit?.leftAt, past + 59_000);
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
  let stored: PresenceState | null = null;
  const seen: string[] = [];
  for (const step of steps) {
    const outcome = see([step], stored);
    stored = JSON.parse(JSON.stringify(outcome.state)) as PresenceState;
    seen.push(...outcome.events.map(({ id }) => id));
  }
  assert.deepEqual(
    seen,
    see(steps).events.map(({ id }) => id),
  );
});

test('a report without a measurement is named, and the rest of the batch counts', () => {
  const outcome = see([{ occurredAt: NOON }, ...walk(repeat(2, 3), NOON + 1000)]);
  assert.deepEqual(outcome.skipped, [{ index: 0, reason: 'no_measurement' }]);
  assert.deepEqual(kinds(outcome), ['ENTER', 'NEAR']);
});
