import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoTime } from './instant.ts';

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
    { numRuns: 1_000 },
  );
});
