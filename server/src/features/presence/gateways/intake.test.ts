import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onTestFinished, test } from 'vitest';
import { openDevice } from '../../../../test/support/servers/mqtt-devices.ts';
import { defaultPolicy } from '../../../access/policy.ts';
import { DeviceBroker } from '../../../delivery/mqtt/mqtt-device-broker.ts';
import { HeardNearby } from '../adoption/heard-nearby.ts';
import { HearingLog } from '../fleet/hearing-log.ts';
import { createGatewayIntake, type IntakeDeps } from './intake.ts';
import { createMqttLogin, type MqttLoginDeps } from './mqtt-login.ts';
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
    findBeaconsByAddress: async () => [],
    findBeaconsByGateway: async () => [],
  });
  return createGatewayIntake({
    ...{ now, takeHeard },
    formatOf: async () => undefined,
    states: { note: () => undefined, timeOf: async () => ({ at: now(), isLate: false, clockOffset: undefined }) },
    noteHeard: (appId, gateway, report, at) => hearing.noteGateway(appId, gateway, report, at),
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

/** Messages of 100 addresses each: more than is stored at once, and more than is read of a connection. */
const flood = Array.from({ length: 80 }, (_, message) =>
  Array.from({ length: 100 }, (_, index) => randomAddress(100 * message + index)),
);
const isFlooding = ({ gateway }: { readonly gateway: string }) => gateway === 'hall';

test('a flood from one gateway is refused while a part waits, and delays no other one, even while the database takes nothing of it', async () => {
  const stuck = Promise.withResolvers<never[]>();
  const intake = intakeWith(
    async (_, heard) => (isFlooding(heard) ? stuck.promise : []),
    () => 1_000_000,
  );
  const sent = flood.map((addresses) => intake.receive(sender, { payload: lines(addresses) }));
  const answered = Promise.allSettled(sent);
  const other = await intake.receive({ ...sender, gateway: 'cellar' }, { payload: lines(['C3000025EF6A']) });
  assert.equal(other.counts.taken, 1);
  stuck.resolve([]);
  const answers = await answered;
  const refusals = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.name] : []));
  // One message was being stored, and 2,000 advertisements waited for it.
  assert.deepEqual(refusals, Array(flood.length - 21).fill('Timeout'));
  assert.equal(intake.totals().taken, 2_100 + 1);
});

test('what a gateway publishes with QoS 1 is acknowledged when it is stored, however much waits, and others are not delayed', async () => {
  const stuck = Promise.withResolvers<void>();
  const stored = new Set<string | undefined>();
  const intake = intakeWith(async (_, heard) => {
    if (isFlooding(heard)) await stuck.promise;
    for (const { address } of heard.heard) stored.add(address);
    return [];
  }, Date.now);
  const admission = {
    ...{ app: { policy: defaultPolicy }, keyId: 'key' },
    secretKey: { scopes: { include: () => true, gateways: () => undefined } },
  };
  const broker = new DeviceBroker({
    login: createMqttLogin({
      ...{ intake, cacheVersion: { fresh: async () => undefined }, guard: { app: async () => admission } },
      ...{ assertRoom: () => undefined, onError: (what: string, error: unknown) => assert.fail(`${what}: ${error}`) },
    } as unknown as MqttLoginDeps),
    ...{ stillValid: async (logins) => new Set(logins), now: Date.now, pause: async () => undefined },
    onError: (what, error) => assert.fail(`${what}: ${error}`),
  });
  await broker.listen(0, '127.0.0.1');
  const open = (gateway: string) =>
    openDevice(broker.port, { username: `app/${gateway}`, password: 'right', protocolVersion: 4 });
  const [hall, cellar] = [await open('hall'), await open('cellar')];
  onTestFinished(async () => {
    await Promise.all([hall.close(), cellar.close()]);
    await broker.close();
  });
  let acknowledged = 0;
  const sent = flood.map(async (addresses) => {
    await hall.client.publishAsync('heard', lines(addresses), { qos: 1 });
    acknowledged++;
    assert.ok(addresses.every((address) => stored.has(address.toLowerCase())));
  });
  await cellar.client.publishAsync('heard', lines(['C3000025EF6A']), { qos: 1 });
  assert.deepEqual([...stored, acknowledged], ['c3000025ef6a', 0]);
  stuck.resolve();
  await Promise.all(sent);
  assert.deepEqual([acknowledged, stored.size], [flood.length, 100 * flood.length + 1]);
});
