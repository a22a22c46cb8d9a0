import assert from 'node:assert/strict';
import { test } from 'vitest';
import { scoreFleet } from '../../../../../test/support/fleet/score.ts';

/** A seed that nothing was tuned on: 500 beacons and 90 days, with closing days, holidays, a closed week and closed wings. */
test('a simulated fleet is judged as the decision says', { timeout: 900_000 }, () => {
  const score = scoreFleet(401);
  assert.ok(score.deathsTold >= 0.95 * score.deaths, JSON.stringify(score));
  assert.ok((score.falseAlarms['silent'] ?? 0) <= score.weeks, JSON.stringify(score));
  assert.ok(score.forecastsWithin >= 0.6 * score.forecasts, JSON.stringify(score));
  assert.ok(score.movesTold >= 0.7 * score.moves, JSON.stringify(score));
});
