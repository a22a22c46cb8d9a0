import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, NOON, see } from '../../../test/support/engine-calls.ts';
import type { Observation } from './types.ts';

const MINUTE = 60_000;

interface Bursts {
  readonly count: number;
  readonly period: number;
  /** Distance in metres in each second of a burst. */
  readonly metres: readonly number[];
  /** Of the bursts, the first of which has number 0. */
  readonly late?: (burst: number) => number;
  readonly named?: Partial<Observation>;
}

function bursts({ count, period, metres, late = () => 0, named = {} }: Bursts): Observation[] {
  return Array.from({ length: count }, (_, burst) =>
    metres.map((away, second) => ({
      occurredAt: NOON + burst * period + late(burst) + second * 1000,
      rssi: Math.round(-59 - 20 * Math.log10(away)),
      ...named,
    })),
  ).flat();
}

const entersOf = (observations: readonly Observation[]) =>
  kinds(see(observations)).filter((event) => event === 'ENTER').length;
const beside = [1, 1, 1, 1, 1];

for (const period of [1, 5, 15])
  test(`who is woken every ${period} min without saying so comes a third time, and stays`, () => {
    assert.equal(entersOf(bursts({ count: 12, period: period * MINUTE, metres: beside })), 3);
    const late = (burst: number) => ((burst * 7) % 3) * 0.1 * period * MINUTE;
    assert.equal(entersOf(bursts({ count: 12, period: period * MINUTE, metres: beside, late })), 3);
  });

test('two samples a burst are a visit too, once the pauses are known', () => {
  assert.equal(entersOf(bursts({ count: 12, period: 5 * MINUTE, metres: [1, 1] })), 1);
});

test('whoever walks past the same beacon every five minutes visits it each time', () => {
  const past = [15, 12, 10, 8, 6, 4, 2, 1, 1, 1, 1, 2, 4, 6, 8, 10, 12, 15, 15, 15, 15];
  assert.equal(entersOf(bursts({ count: 6, period: 5 * MINUTE, metres: past })), 6);
});

test('whoever is in the app for longer than out of it leaves after 30 seconds', () => {
  const known = bursts({ count: 4, period: 2 * MINUTE, metres: beside });
  const long = bursts({ count: 1, period: 0, metres: Array.from({ length: 180 }, () => 1), late: () => 8 * MINUTE });
  const again = bursts({ count: 1, period: 0, metres: beside, late: () => 12 * MINUTE });
  assert.equal(entersOf([...known, ...long, ...again]), 4);
});

test('a sender that names itself is waited for as long as it says', () => {
  assert.equal(entersOf(bursts({ count: 6, period: 5 * MINUTE, metres: beside, named: { sender: 'phone' } })), 6);
});
