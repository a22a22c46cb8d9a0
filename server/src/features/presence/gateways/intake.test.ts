import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'vitest';
import { defaultPolicy } from '../../../access/policy.ts';
import { HeardNearby } from '../adoption/heard-nearby.ts';
import { HearingLog } from '../fleet/hearing-log.ts';
import { createGatewayIntake, type IntakeDeps } from './intake.ts';
import { AddressResolver } from './resolver.ts';

const sender = {
  ...{ appId: 'app', policy: defaultPolicy, keyId: 'key', gateways: undefined },
  gateway: 'hall',
};

/** All that is in memory of what gateways send, before a database that is as slow as the test wants. */
function intakeWith(takeHeard: IntakeDeps['takeHeard'], now: () => number) {
  const nearby = new HeardNearby(now);
  const resolver = new AddressResolver(async () => ['ec0234a357c8ad05341010a60a397d9b'], now);
  const hearing = new HearingLog({
    ...{ db: undefined as never, now },
    findByNumbers: async () => [],
    findByGateways: async () => [],
  });
  return createGatewayIntake({
    ...{ now, takeHeard, log: () => undefined, noteState: () => undefined },
    noteHeard: (appId, gateway, report) => hearing.noteGateway(appId, gateway, report),
    noteNearby: (appId, gateway, one, isStranger) => nearby.note(appId, gateway, one, isStranger),
    resolve: (appId, heard) => resolver.resolve(appId, heard),
  });
}

const lines = (addresses: readonly string[]) =>
  Buffer.from(addresses.map((address) => `$GPRP,${address},CB412F0C8EDC,-49,020106`).join('\r\n'));
const randomAddress = (index: number) =>
  (0x40 * 2 ** 40 + index * 104_729).toString(16).padStart(12, '0').toUpperCase();

test('a hundred thousand random addresses in an hour leave the memory as it was', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  let now = 1_000_000;
  const intake = intakeWith(
    async (_, { heard }) => heard.map(({ index }) => ({ index, code: 'unknown_tag', message: 'Nobody.' })),
    () => now,
  );
  const used = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const part = 100;
  const hear = async (from: number, count: number) => {
    for (let index = from; index < from + count; index += part, now += 36 * part)
      await intake.receive(sender, {
        payload: lines(Array.from({ length: part }, (_, offset) => randomAddress(index + offset))),
      });
  };
  // By then everything that remembers addresses has as many as it may have.
  await hear(0, 40_000);
  const before = used();
  await hear(40_000, 60_000);
  const grown = used() - before;
  assert.equal(intake.totals().unknown, 100_000);
  assert.ok(grown < 1_500_000, `${grown} bytes`);
});

test('a flood from one gateway delays no other one, even while the database takes nothing of it', async () => {
  const stuck = Promise.withResolvers<never[]>();
  const intake = intakeWith(
    async (_, { gateway }) => (gateway === 'hall' ? stuck.promise : []),
    () => 1_000_000,
  );
  const flood = Array.from({ length: 50 }, (_, message) =>
    intake.receive(sender, {
      payload: lines(Array.from({ length: 100 }, (_, index) => randomAddress(100 * message + index))),
    }),
  );
  const other = await intake.receive({ ...sender, gateway: 'cellar' }, { payload: lines(['C3000025EF6A']) });
  assert.equal(other.counts.taken, 1);
  stuck.resolve([]);
  const counts = (await Promise.all(flood)).map((one) => one.counts);
  const sum = (result: 'taken' | 'dropped') => counts.reduce((total, one) => total + one[result], 0);
  // What was being stored, and the newest 2,000 that waited for it.
  assert.deepEqual([sum('taken'), sum('dropped')], [2_100, 2_900]);
});
