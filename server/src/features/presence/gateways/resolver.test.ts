import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'vitest';
import { AddressResolver } from './resolver.ts';

/** Core Specification, Vol 3, Part H, Appendix D.7: ah. */
const irk = 'ec0234a357c8ad05341010a60a397d9b';
const address = '7081940dfbaa';
const heard = (address: string, more: object = {}) => [{ index: 0, address, rssi: -60, ...more }];

test('an address is the tag’s whose key resolves it, and nobody’s otherwise', async () => {
  const resolver = new AddressResolver(
    async () => ['00'.repeat(16), irk],
    () => 0,
  );
  const idOf = async (given: ReturnType<typeof heard>) => (await resolver.resolve('app', given))[0]?.identity;
  assert.deepEqual(await idOf(heard(address)), { kind: 'named', id: `irk:${irk}` });
  assert.equal(await idOf(heard('7081940dfbab')), undefined);
  assert.equal(await idOf(heard(address, { addressKind: 'public' })), undefined, 'a public one is what it is');
  const named = { identity: { kind: 'named', id: 'badge' } };
  assert.deepEqual(await idOf(heard(address, named)), named.identity);
});

test('a key that is added counts within a minute, and other apps’ keys do not', async () => {
  let now = 0;
  const keys: Record<string, string[]> = { own: [] };
  const resolver = new AddressResolver(
    async (appId) => keys[appId] ?? [irk],
    () => now,
  );
  const isKnown = async (appId: string) =>
    (await resolver.resolve(appId, heard(address)))[0] !== undefined &&
    (await resolver.resolve(appId, heard(address))).some(({ identity }) => identity !== undefined);
  assert.deepEqual([await isKnown('own'), await isKnown('other')], [false, true]);
  keys['own'] = [irk];
  now += 61_000;
  assert.equal(await isKnown('own'), true);
});

test('a flood of random addresses takes neither time nor memory from others', async () => {
  let now = 0;
  const keys = Array.from({ length: 500 }, () => randomBytes(16).toString('hex'));
  const resolver = new AddressResolver(
    async (appId) => (appId === 'flooded' ? keys : [irk]),
    () => now,
  );
  const random = () => `4${randomBytes(6).toString('hex').slice(1)}`;
  const flood = Array.from({ length: 5_000 }, (_, index) => ({ index, address: random(), rssi: -60 }));
  const before = process.memoryUsage().heapUsed;
  for (let second = 0; second < 3; second++, now += 1_000) await resolver.resolve('flooded', flood);
  const [own] = await resolver.resolve('quiet', heard(address));
  assert.equal(own?.identity?.kind, 'named');
  assert.ok(process.memoryUsage().heapUsed - before < 50e6);
});
