import assert from 'node:assert/strict';
import { test } from 'vitest';
import { calibrate, distanceFromLoss, lossFromDistance, measuredPower, pathLoss } from '../src/presence/distance.ts';
import { newFilter, updateFilter } from '../src/presence/filter.ts';
import { visitIdOf } from '../src/presence/ids.ts';

const at = 0;

test('measured power is the calibration, else a plausible packet, else -59, plus the offset of the receiver', () => {
  assert.equal(measuredPower({ occurredAt: at, txPower: -65 }, { measuredPower: -55 }), -55);
  assert.equal(measuredPower({ occurredAt: at, txPower: -65 }, {}), -65);
  for (const implausible of [12, -19, -101])
    assert.equal(measuredPower({ occurredAt: at, txPower: implausible }, {}), -59);
  assert.equal(measuredPower({ occurredAt: at, receiver: 'r' }, { receiverOffsets: { r: 3 } }), -56);
});

test('twenty dB of loss are ten metres, and back', () => {
  assert.equal(distanceFromLoss(0), 1);
  assert.equal(distanceFromLoss(20), 10);
  assert.ok(Math.abs(lossFromDistance(10) - 20) < 1e-9);
  assert.equal(lossFromDistance(0), lossFromDistance(0.01), 'touching');
  assert.equal(pathLoss({ occurredAt: at, rssi: -79 }, {}), 20);
  assert.equal(pathLoss({ occurredAt: at, rssi: -79, distance: 1, smoothed: true }, {}), 0);
  const smoothed = { occurredAt: at, rssi: -79, distance: 1, smoothed: true } as const;
  assert.equal(pathLoss(smoothed, { measuredPower: -69 }), 10);
  assert.equal(pathLoss({ occurredAt: at }, {}), null);
});

test('calibration takes the median and refuses too few samples and a walk', () => {
  assert.deepEqual(calibrate([...Array(20).fill(-61), -90, 127]), { measuredPower: -61, spread: 0 });
  assert.equal(calibrate([-60, -60]), null);
  assert.equal(calibrate(Array.from({ length: 40 }, (_, index) => -45 - index)), null);
});

test('the filter smooths noise, follows a change within seconds and forgets after half a minute', () => {
  const filter = newFilter('', 0, 0);
  for (let index = 1; index <= 40; index++) updateFilter(filter, index % 2 === 0 ? 6 : -6, index * 500, 'stable');
  assert.ok(Math.abs(filter.mean) < 2);
  for (let index = 1; index <= 20; index++) updateFilter(filter, 20, 20_000 + index * 500, 'stable');
  assert.ok(filter.mean > 16);
  updateFilter(filter, 3, 90_000, 'stable');
  assert.equal(filter.mean, 3);
});

test('the moving average has a time constant of three seconds', () => {
  const filter = newFilter('', 0, 0);
  updateFilter(filter, 10, 3_000, 'fast');
  assert.ok(Math.abs(filter.mean - 10 * (1 - Math.exp(-1))) < 1e-9);
});

test('ids depend on every part and on nothing else', () => {
  assert.equal(visitIdOf('a', 'b', 1), visitIdOf('a', 'b', 1));
  assert.equal(new Set([visitIdOf('a', 'b', 1), visitIdOf('ab', '', 1), visitIdOf('a', 'b', 2)]).size, 3);
});
