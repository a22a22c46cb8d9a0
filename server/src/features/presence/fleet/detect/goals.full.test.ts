import assert from 'node:assert/strict';
import { beforeAll, describe, test } from 'vitest';
import { type Score, scoreFleet } from '../../../../../test/support/fleet/score.ts';

/** 250 beacons and 90 days, with holidays, closing days and a closed week, of a seed that nothing was tuned on. */
describe('what is wrong with a simulated fleet', () => {
  let score: Score;
  let figures: string;
  beforeAll(() => {
    const log: string[] = [];
    score = scoreFleet('held-1', { size: 250, log: (line) => log.push(line) });
    figures = `${JSON.stringify(score)}\n${log.join('\n')}`;
  }, 900_000);

  test('deaths are told within 24 opening hours, with at most one false alarm a week', () => {
    assert.ok(score.deaths.told >= 0.95 * score.deaths.of, figures);
    assert.ok((score.wrong['silent'] ?? 0) <= score.weeks, figures);
  });

  test('the end of a battery is known within 14 days', () => {
    assert.ok(score.batteries.told >= 0.9 * score.batteries.of, figures);
  });

  test('nearly all moves are told within two opening days', () => {
    assert.ok(score.moves.told >= score.moves.of - 1, figures);
  });

  test('nothing is told wrongly over a closed week', () => {
    assert.equal(score.closedWeek, 0, figures);
  });

  // These are not reached yet; decision 163 has the figures.
  test.fails('all moves are', () => {
    assert.equal(score.moves.told, score.moves.of);
  });

  test.fails('a copy is told within an hour', () => {
    assert.equal(score.clones.told, score.clones.of);
  });
});
