import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../../../test/support/depth.ts';
import { type Page, type Shown, stateOf, stepText } from './steps.ts';

/** Lists in the order of a number and the id, of which the first few are shown. */
const lists = fc
  .tuple(fc.dictionary(fc.stringMatching(/^[a-h]$/), fc.nat({ max: 9 })), fc.integer({ min: 1, max: 6 }))
  .map(([numbers, limit]): Page => {
    const results = Object.entries(numbers).map(([objectId, n]) => ({ objectId, n }));
    results.sort((one, other) => one.n - other.n || (one.objectId < other.objectId ? -1 : 1));
    return { results: results.slice(0, limit) };
  });

function applied(records: readonly Shown[], text: string): readonly Shown[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .reduce<readonly Shown[]>((now, block) => {
      const { objectId, result, after } = JSON.parse(block.slice(block.indexOf('data: ') + 6));
      const others = now.filter((record) => record.objectId !== (objectId ?? result.objectId));
      if (objectId !== undefined) return others;
      return others.toSpliced(others.findIndex((record) => record.objectId === after) + 1, 0, result);
    }, records);
}

test('the events of a step lead from one list to the other, and only the last has its name', () => {
  fc.assert(
    fc.property(lists, lists, (before, next) => {
      const [from, to] = [stateOf(before), stateOf(next)];
      const text = stepText(from, next, to);
      if (text === undefined) return assert.equal(from.name, to.name);
      assert.deepEqual(applied(before.results, text), next.results);
      assert.deepEqual(
        text.split('\n\n').flatMap((block, at) => (block.includes('id: ') ? [at] : [])),
        [text.split('\n\n').length - 2],
      );
    }),
    runs(3_000),
  );
});

test('a list whose unchanged records have another order is told as a whole', () => {
  const [a, b] = [{ objectId: 'a' }, { objectId: 'b' }];
  const next = { results: [b, a] };
  assert.equal(stepText(stateOf({ results: [a, b] }), next, stateOf(next)), undefined);
});
