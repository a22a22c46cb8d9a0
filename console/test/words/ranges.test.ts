import assert from 'node:assert/strict';
import { test } from 'vitest';
import { startOfRange } from '../../src/lib/time/range.ts';

test('the last 7 and 30 days have as many days of the calendar when the clocks have changed, at any hour', () => {
  for (const [range, now, start] of [
    ['week', '2026-04-01T00:30+02:00', '2026-03-26T00:00+01:00'],
    ['month', '2026-04-01T00:30+02:00', '2026-03-03T00:00+01:00'],
    ['week', '2026-03-29T03:30+02:00', '2026-03-23T00:00+01:00'],
    ['week', '2026-10-28T23:30+01:00', '2026-10-22T00:00+02:00'],
    ['month', '2026-10-28T23:30+01:00', '2026-09-29T00:00+02:00'],
  ] as const)
    assert.equal(
      startOfRange(range, 'Europe/Vienna', Date.parse(now)),
      new Date(start).toISOString(),
      `${range} at ${now}`,
    );
});
