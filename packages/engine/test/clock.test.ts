import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../scripts/test/runs.ts';
import { type ClockState, learnClock, newClock } from '../src/clock.ts';

/** A phone that senses once a second and sends every few seconds, with its clock set on the way and messages that take a while. */

const START = Date.UTC(2026, 2, 2, 12);
/** The longest that a message takes, ms. */
const SLOW = 5_000;

const setting = fc.record({
  /** Wrong by so much before and after, ms. */
  errors: fc.constantFrom(
    [0, 180_070],
    [0, -180_070],
    [60_000, -60_070],
    [0, 3_600_070],
    [-86_400_070, 0],
    [40_070, 0],
  ),
  /** At this second: of the first message nothing says that its times are by two clocks. */
  at: fc.integer({ min: 16, max: 55 }),
  every: fc.integer({ min: 1, max: 15 }),
  delays: fc.array(fc.integer({ min: 0, max: SLOW }), { minLength: 60, maxLength: 60 }),
});

test('a clock that is set puts nothing farther from its true time than a message takes, and refuses nothing', () => {
  fc.assert(
    fc.property(setting, ({ errors: [before, after], at, every, delays }) => {
      const errorAt = (second: number) => (second < at ? (before as number) : (after as number));
      let clock: ClockState = newClock;
      for (let second = every; second <= 60; second += every) {
        const sensed = Array.from({ length: every }, (_, index) => second - every + index);
        const sentAt = START + second * 1_000 + errorAt(second);
        const now = START + second * 1_000 + (delays[second - 1] ?? 0);
        const times = sensed.map((one) => START + one * 1_000 + errorAt(one));
        const learned = learnClock(clock, { sentAt, times, now });
        clock = learned.clock;
        times.forEach((time, index) => {
          const error = learned.errorAt(time);
          const off = time - error - (START + (sensed[index] as number) * 1_000);
          assert.ok(
            Math.abs(off) <= SLOW + 2_000,
            `sensed at ${sensed[index]} s, sent at ${second} s: off by ${off} ms`,
          );
          assert.ok(time <= learned.latest + error - learned.error, `refused at ${second} s`);
        });
      }
    }),
    runs(2_000),
  );
});
