import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../scripts/test/runs.ts';
import { isoTime, parseInstant } from '../src/instant.ts';

test('a time is written as the calendar says, whatever was written before', () => {
  const near = fc.integer({ min: -200_000_000, max: 200_000_000 });
  const any = fc.integer({ min: -8.64e15, max: 8.64e15 });
  const edge = fc.constantFrom(
    0,
    -1,
    86_399_999,
    86_400_000,
    951_782_400_000,
    253_402_300_800_000,
    -62_198_755_200_000,
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(near, any, edge), { minLength: 1 }), (times) => {
      for (const time of times) assert.equal(isoTime(time), new Date(time).toISOString());
    }),
    runs(1_000),
  );
});

test('a time is read as the calendar says, and one that is not in the calendar is refused', () => {
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  for (const year of ['0000', '0001', '0400', '1900', '2000', '2023', '2024', '9999'])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const text = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
        const date = new Date(Date.UTC(2000, month - 1, day, 23, 59, 7, 8));
        date.setUTCFullYear(Number(year), month - 1, day);
        const exists = year !== '0000' && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        const expected = exists ? date.getTime() : undefined;
        // The first is written as most clients do, the second is the same moment by another clock.
        assert.equal(parseInstant(`${text}T23:59:07.008Z`), expected, text);
        assert.equal(parseInstant(`${text}T23:29:07.008-00:30`), expected, text);
      }
  for (const time of ['24:00:00.000', '23:60:00.000', '23:59:60.000', '7:00:00.000'])
    assert.equal(parseInstant(`2024-01-01T${time}Z`), undefined, time);
});

test('what a time leaves out is zero', () => {
  const times: readonly (readonly [string, number])[] = [
    ['2024-03-01', Date.UTC(2024, 2, 1)],
    ['2024-03-01T10:30', Date.UTC(2024, 2, 1, 10, 30)],
    ['2024-03-01T10:30+0130', Date.UTC(2024, 2, 1, 9)],
    ['2024-03-01T10:30:05Z', Date.UTC(2024, 2, 1, 10, 30, 5)],
    ['2024-03-01T10:30:05.5Z', Date.UTC(2024, 2, 1, 10, 30, 5, 500)],
  ];
  for (const [text, expected] of times) assert.equal(parseInstant(text), expected, text);
});
