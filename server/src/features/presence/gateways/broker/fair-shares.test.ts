import assert from 'node:assert/strict';
import { test } from 'vitest';
import { FairShares } from './fair-shares.ts';

const second = 1_000;
const hour = 3_600 * second;

/** How many messages of 99 KiB a gateway may send now, five a second and 300 a minute. */
async function accepted(shares: FairShares, gateway: string): Promise<number> {
  let count = 0;
  while (await shares.take(gateway, 99 * 1_024)) count++;
  return count;
}

test('a gateway may send its rate on average over a minute, and each has its own', async () => {
  let now = hour;
  const shares = new FairShares(
    () => now,
    async () => undefined,
  );
  assert.equal(await accepted(shares, 'hall'), 300);
  now += 2 * second;
  assert.deepEqual([await accepted(shares, 'hall'), await accepted(shares, 'cellar')], [10, 300]);
});

test('what a broker has kept while nobody was there is taken, up to an hour of it', async () => {
  let now = 10 * hour;
  const shares = new FairShares(
    () => now,
    async (gateway) => (gateway === 'hall' ? now - 600 * second : 0),
  );
  assert.equal(await accepted(shares, 'hall'), 3_000);
  assert.equal(await accepted(shares, 'old'), 18_000);
  now += 120 * second;
  assert.equal(await shares.take('hall', 0), true);
  now += second;
  assert.equal(await accepted(shares, 'hall'), 599);
});
