import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest';
import { openStorage, type TestStorage } from '../../../../test/support/build-app.ts';
import { openDevice, type TestDevice } from '../../../../test/support/servers/mqtt-devices.ts';
import { raw, sql } from '../../../base/sql.ts';
import { Poller } from '../../../db/nodes/poller.ts';
import { DeviceBroker, type DeviceMessage } from '../../../delivery/mqtt/mqtt-device-broker.ts';
import { DeviceRouter } from './device-router.ts';
import { insertHandover } from './session-store.ts';

/** Two ports on one database. The nodes find what waits for them by looking alone: there is no bus. */

const now = 1_800_000_000_000;
const topic = 'museum/gate';
const message: DeviceMessage = {
  id: 'one',
  appId: 'app',
  topic,
  payload: Buffer.from('Open ⛵'),
  timeoutMs: 10_000,
  seconds: 60,
};

describe('devices at several nodes', () => {
  let storage: TestStorage;
  let nodes: { readonly broker: DeviceBroker; readonly router: DeviceRouter; readonly heard: string[] }[];
  let devices: TestDevice[];
  let errors: string[];
  const pollers: Poller[] = [];

  async function startNode(name: string) {
    const { db } = storage;
    const onError = (what: string, error: unknown) => void errors.push(`${what}: ${error}`);
    const router = new DeviceRouter({ db, node: name, now: () => now, onError });
    const login = async ({ username }: { readonly username: string }) => ({
      appId: 'app',
      deviceId: username,
      topic,
      version: '1',
    });
    const stillValid = async (logins: readonly object[]) => new Set(logins) as never;
    const broker = new DeviceBroker({ login, stillValid, now: () => now, onError, routes: router });
    router.attach(broker);
    const heard: string[] = [];
    broker.onListening((_appId, where) => heard.push(where));
    await broker.listen(0, '127.0.0.1');
    await db.run(sql`insert into nodes (node, alive_until, works) values (${name}, ${now + 1}, 1)`);
    const poller = new Poller(db, 20);
    poller.add(router.source);
    poller.start();
    pollers.push(poller);
    return { broker, router, heard };
  }
  /** Listens at the node, and is known to. */
  async function connect(at: 0 | 1, username = 'gate'): Promise<TestDevice> {
    const node = nodes[at];
    const before = node?.heard.length ?? 0;
    const device = await openDevice(node?.broker.port ?? 0, { username, password: 'x', clientId: username });
    devices.push(device);
    await device.client.subscribeAsync(topic, { qos: 1 });
    while (node?.heard.length === before) await new Promise(setImmediate);
    return device;
  }
  const send = (from: 0 | 1, change: Partial<DeviceMessage> = {}) =>
    nodes[from]?.router.publish({ ...message, ...change });
  const rows = (table: string) => storage.db.all(raw(`select * from ${table}`));

  beforeAll(async () => {
    storage = await openStorage('postgres');
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    [errors, devices] = [[], []];
    nodes = [await startNode('a'), await startNode('b')];
  });
  afterEach(async () => {
    for (const device of devices) await device.close();
    for (const { broker, router } of nodes) {
      await broker.close();
      await router.close();
    }
    for (const poller of pollers.splice(0)) poller.stop();
    assert.deepEqual([await rows('device_sessions'), errors], [[], []]);
    for (const table of ['nodes', 'device_handovers']) await storage.db.run(raw(`delete from ${table}`));
  });

  test('a message of one node reaches the device at the other, once, and the answer is what the device said', async () => {
    const device = await connect(0);
    assert.equal(await send(1), 'acknowledged');
    assert.deepEqual(device.messages, ['Open ⛵']);
    assert.deepEqual(await rows('device_handovers'), [], 'nothing of it is kept');
  });

  test('two devices of one topic at two nodes both get it', async () => {
    const both = [await connect(0, 'gate'), await connect(1, 'door')];
    assert.equal(await send(0), 'acknowledged');
    assert.deepEqual(
      both.map(({ messages }) => messages.length),
      [1, 1],
    );
  });

  test('a device that comes to another node leaves the first, and what waits for it there follows', async () => {
    const first = await connect(0);
    // The first node is busy and takes nothing; a look that is under way ends first.
    pollers[0]?.stop();
    await pollers[0]?.poll();
    const sent = send(1);
    while ((await rows('device_handovers')).length === 0) await new Promise(setImmediate);
    const second = await connect(1);
    assert.equal(await sent, 'acknowledged');
    assert.deepEqual([first.messages, second.messages], [[], ['Open ⛵']]);
    pollers[0]?.start();
    await first.closed;
  });

  test('a message whose sender died is not sent again by the next one', async () => {
    const device = await connect(0);
    const [listening] = await rows('device_sessions');
    const session = String(listening?.['session']);
    const { appId, id, payload, seconds, timeoutMs } = message;
    const handover = { appId, seconds, timeoutMs, payload: payload.toString(), expiresAt: now + 60_000 };
    await insertHandover(storage.db, {
      ...handover,
      messageId: `${id} ${session}`,
      session,
      node: 'a',
      sender: 'dead',
    });
    await device.received(1);
    assert.equal(await send(1), 'acknowledged');
    assert.equal(device.messages.length, 1);
  });

  test('nobody waits for a node that is gone', async () => {
    await connect(0);
    await storage.db.run(raw(`update nodes set alive_until = 0 where node = 'a'`));
    assert.equal(await send(1), 'absent');
  });
});
