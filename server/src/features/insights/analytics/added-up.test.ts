import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { runs } from '../../../../test/support/depth.ts';
import type { Db } from '../../../db/db.ts';
import { Dwells } from './numbers/dwells.ts';
import { PlaceHistory } from './numbers/places.ts';
import { readRollups } from './numbers/store.ts';
import { VisitorSet, visitorHash } from './numbers/visitor-set.ts';
import { waysOf } from './ways/tours.ts';

/** The parts of which numbers are added up, and that others go on while they are. */

describe('what can be added up', () => {
  test('a set of visitors is exact while it is small, near when it is large, and the same in any order', () => {
    for (const size of [0, 1, 1_500, 2_048, 2_049, 2_200, 10_000, 60_000]) {
      const [whole, parts, reversed] = [new VisitorSet(), new VisitorSet(), new VisitorSet()];
      const hashes = Array.from({ length: size }, (_, place) => visitorHash('salt', `visitor ${place}`));
      for (const hash of hashes) whole.add(hash);
      for (let start = 0; start < size; start += 1_500) {
        const part = new VisitorSet();
        for (const hash of hashes.slice(start, start + 3_000)) part.add(hash);
        // A visitor who comes often is in many sets.
        for (let time = 0; time < 7; time++) parts.addWritten(part.write());
      }
      for (const hash of hashes.toReversed()) reversed.add(hash);
      assert.equal(parts.write(), whole.write());
      assert.equal(reversed.write(), whole.write());
      if (size <= 2_048) assert.equal(whole.size(), size);
      else assert.ok(Math.abs(whole.size() / size - 1) < 0.025, `${whole.size()} of ${size}`);
    }
  });

  test('quantiles are within 4.5 % of the true ones', () => {
    const lengths = fc.array(fc.double({ min: 1, max: 90_000, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lengths, fc.constantFrom(0.25, 0.5, 0.75), (seconds, share) => {
        const [whole, half, other] = [new Dwells(), new Dwells(), new Dwells()];
        for (const [place, one] of seconds.entries()) (place % 2 === 0 ? half : other).add(one);
        for (const one of [half, other]) whole.addWritten(one.write());
        const exact = seconds.toSorted((a, b) => a - b)[Math.ceil(share * seconds.length) - 1] ?? 0;
        assert.ok(Math.abs((whole.quantile(share) ?? 0) - exact) <= Math.max(0.1, exact * 0.045));
      }),
      runs(100),
    );
  });
});

/** How often others had a turn while this work was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await work();
  clearImmediate(next);
  return turns;
}

/** Longer than a slice. */
function workHard(): void {
  const began = performance.now();
  while (performance.now() - began < 5);
}

test('while many rows are added up, others go on in between', async () => {
  const rows = Array.from({ length: 20 }, (_, n) => ({ started_at: n, beacon_id: 'hall' }));
  const db = { all: async () => rows } as unknown as Db;
  const turns = await turnsDuring(async () => {
    for await (const _ of readRollups(db, { appId: 'app', span: 'day', from: 0, until: 100 }, undefined)) workHard();
  });
  assert.ok(turns >= rows.length - 1, `${turns} turns`);
});

test('while the ways of a busy day are counted, others go on in between', async () => {
  const at = Date.UTC(2026, 9, 1, 9);
  const visits = Array.from({ length: 20 }, (_, n) => ({
    object_id: `visit-${n}`,
    installation_id: `phone-${n}`,
    beacon_id: 'hall',
    entered_at: at + n * 1000,
    dwell: 60,
  }));
  const hashOf = (id: string) => {
    workHard();
    return visitorHash('salt', id);
  };
  const by = { zone: 'UTC', places: new PlaceHistory([]), hashOf, until: at + 3_600_000 };
  const turns = await turnsDuring(async () => {
    const ways = await waysOf(visits, by);
    assert.deepEqual(
      [...ways.all()].filter(({ kind }) => kind === 'peak').map(({ tours }) => tours),
      [20],
    );
  });
  assert.ok(turns >= visits.length - 1, `${turns} turns`);
});
