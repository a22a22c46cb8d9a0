import assert from 'node:assert/strict';
import { test } from 'vitest';
import { clockAfter, type GatewayClock, isLate } from './clock.ts';

const hour = 3_600_000;

/** Messages as [when they are sent by the gateway’s clock, when they arrive], in seconds; the offsets in force, in seconds. */
function offsets(messages: readonly (readonly [number, number])[]): number[] {
  let clock: GatewayClock | undefined;
  return messages.map(([sentAt, now]) => {
    clock = clockAfter(clock, { sentAt: sentAt * 1_000, now: now * 1_000 });
    return clock.offset / 1_000;
  });
}
/** One a second, `ahead` as much as their sender’s clock. */
const live = (from: number, seconds: number, ahead: number) =>
  Array.from({ length: seconds }, (_, second) => [from + second + ahead, from + second] as const);
const last = <T>(values: readonly T[]) => values.at(-1);

test('the clock of a gateway is what its first message says, and small delays change nothing', () => {
  assert.deepEqual(
    offsets([
      [100, 101],
      [102, 104],
      [105, 105.5],
    ]),
    [-1, -1, -1],
  );
});

test('what was kept for up to a day says nothing about the clock, and comes faster than it was sent', () => {
  const kept = Array.from({ length: 3_600 }, (_, second) => [100 + second, 3_800 + second / 100] as const);
  assert.ok(offsets([...live(0, 100, 0), ...kept, ...live(3_900, 60, 0)]).every((offset) => offset === 0));
  const sent = { sentAt: 200_000, now: hour };
  assert.deepEqual([isLate({ offset: 0 }, sent), isLate({ offset: -hour }, sent)], [true, false]);
});

test('a clock that was set is learnt: ahead or by more than a day at once, back after 15 seconds', () => {
  const before = live(0, 10, 0);
  assert.equal(last(offsets([...before, ...live(10, 1, 7_200)])), 7_200);
  assert.equal(last(offsets([...before, ...live(10, 1, -90_000)])), -90_000);
  assert.equal(last(offsets([...before, ...live(10, 15, -7_200)])), 0);
  assert.equal(last(offsets([...before, ...live(10, 16, -7_200)])), -7_200);
  // Two messages in ten minutes are as good.
  assert.equal(last(offsets([...before, [-6_600, 600], [-6_000, 1_200]])), -7_200);
});
