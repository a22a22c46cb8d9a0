import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../../../test/support/depth.ts';
import { SealedSet } from './sealed-set.ts';
import { VisitorSet, visitorHash } from './visitor-set.ts';

const hashes = Array.from({ length: 9_000 }, (_, place) => visitorHash('salt', `visitor ${place}`));

/** A set of the visitors from one index of the list to another, merged from this many written sets. */
function setOf(from: number, until: number, written: number): VisitorSet {
  const set = new VisitorSet();
  const step = Math.max(1, Math.ceil((until - from) / Math.max(1, written)));
  for (let start = from; start < until; start += step) {
    const part = new VisitorSet();
    for (const hash of hashes.slice(start, Math.min(until, start + step))) part.add(hash);
    if (written === 0) set.addSet(part);
    else set.addWritten(part.write());
  }
  return set;
}

test('a sealed set says how many it is with others exactly as if they were joined', () => {
  const count = fc.constantFrom(0, 1, 40, 600, 1_447, 2_047, 2_048, 2_049, 2_300, 5_000);
  fc.assert(
    fc.property(count, count, fc.nat(3_000), fc.nat(3), (sealed, others, shift, written) => {
      const from = Math.min(shift, sealed);
      const joined = setOf(0, sealed, written);
      joined.addSet(setOf(from, Math.min(hashes.length, from + others), written));
      const kept = new SealedSet(setOf(0, sealed, written));
      assert.equal(kept.size, setOf(0, sealed, 0).size());
      for (let time = 0; time < 2; time++)
        assert.equal(kept.sizeWith(setOf(from, Math.min(hashes.length, from + others), written)), joined.size());
    }),
    runs(150),
  );
});

test('the least hash of a set is the same however it was put together, and 0 of none or very many', () => {
  for (const [until, written] of [
    [0, 0],
    [1, 1],
    [40, 0],
    [40, 3],
    [2_048, 2],
    [2_049, 2],
    [6_000, 3],
  ] as const) {
    const set = setOf(0, until, written);
    set.addSet(setOf(0, Math.min(20, until), 1));
    const least = until === 0 || until > 2_048 ? 0 : Math.min(...hashes.slice(0, until));
    assert.equal(set.least(), least, `${until} in ${written}`);
  }
});

test('a sealed set of many visitors takes nine kilobytes', () => {
  assert.ok(new SealedSet(setOf(0, 9_000, 3)).bytes < 9_000);
});

test('ranks that are rare are kept too', () => {
  // Of 50 bits none is set but the last: a rank that four bits cannot hold.
  const rare = [0, 1, 2, 2 ** 34, 2 ** 34 + 1];
  const set = setOf(0, 3_000, 0);
  for (const hash of rare) set.add(hash);
  const more = new VisitorSet();
  for (const hash of [...rare, 2 ** 35, 2 ** 35 + 3]) more.add(hash);
  const sealed = new SealedSet(set);
  const told = sealed.sizeWith(more);
  set.addSet(more);
  assert.equal(told, set.size());
});
