import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IClientOptions } from 'mqtt';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { selfSignedCertificate } from '../../../test/fakes/certificate.ts';
import { patientMs } from '../../../test/support/patience.ts';
import { openDevice, openRaw, type RawDevice, type TestDevice } from '../../../test/support/servers/mqtt-devices.ts';
import { type DeviceLogin, limits } from './mqtt-connection.ts';
import { DeviceBroker, type DeviceBrokerOptions, type DeviceMessage } from './mqtt-device-broker.ts';

const topic = 'museum/gate';
const small = Buffer.from('{"deliveryId":"d1"}');

describe('the port for devices', () => {
  let clock: number;
  let logins: Map<string, DeviceLogin>;
  let broker: DeviceBroker;
  let opened: { close(): unknown }[];
  beforeEach(async () => {
    clock = 1_000_000;
    opened = [];
    const login = (appId: string, deviceId: string, own = topic) => ({ appId, deviceId, topic: own, version: 'v1' });
    logins = new Map([
      ['app/gate', login('app', 'gate')],
      ['app/hall', login('app', 'hall', 'museum/hall')],
      ['app/twin', login('app', 'twin')],
      ['other/gate', login('other', 'gate')],
    ]);
    broker = await start();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await broker.close();
  });

  async function start(options: Partial<DeviceBrokerOptions> = {}): Promise<DeviceBroker> {
    const made = new DeviceBroker({
      login: async ({ username, password }) => (password === 'right' ? logins.get(username) : undefined),
      stillValid: async (some) => new Set(some.filter((one) => [...logins.values()].includes(one))),
      now: () => clock,
      onError: (what, error) => assert.fail(`${what}: ${error}`),
      ...options,
    });
    await made.listen(0, '127.0.0.1');
    return made;
  }

  async function device(username = 'app/gate', options: IClientOptions = {}): Promise<TestDevice> {
    const made = await openDevice(broker.port, { username, password: 'right', ...options });
    opened.push(made);
    return made;
  }
  async function listening(username = 'app/gate', options: IClientOptions = {}): Promise<TestDevice> {
    const made = await device(username, options);
    await made.client.subscribeAsync(logins.get(username)?.topic ?? '', { qos: 1 });
    return made;
  }
  async function raw(): Promise<RawDevice> {
    const made = await openRaw(broker.port);
    opened.push({ close: () => made.socket.destroy() });
    return made;
  }
  async function rawLogin(username = 'app/gate', more: object = {}): Promise<RawDevice> {
    const made = await raw();
    made.write({ cmd: 'connect', clientId: 'c', username, password: Buffer.from('right'), ...more } as never);
    return made;
  }
  const publish = (change: Partial<DeviceMessage> = {}) =>
    broker.publish({
      id: 'message',
      appId: 'app',
      topic,
      payload: small,
      timeoutMs: patientMs,
      seconds: 60,
      ...change,
    });

  for (const protocolVersion of [4, 5] as const) {
    test(`MQTT ${protocolVersion}: a device that listens gets a message once, and the answer waits for its PUBACK`, async () => {
      const gate = await listening('app/gate', { protocolVersion });
      assert.equal(await publish(), 'acknowledged');
      assert.deepEqual(gate.messages, [small.toString()]);
    });

    test(`MQTT ${protocolVersion}: every other topic and every wildcard is refused, and nothing comes over them`, async () => {
      const gate = await device('app/gate', { protocolVersion });
      const filters = [
        '#',
        '+/+',
        'museum/#',
        'museum/+',
        'museum/hall',
        '$SYS/#',
        `$share/group/${topic}`,
        `app/${topic}`,
        'app museum/gate',
        'a/'.repeat(200),
      ];
      for (const filter of filters) {
        await assert.rejects(
          gate.client.subscribeAsync(filter, { qos: 1 }),
          /Unspecified error|Not authorized|(Wildcard|Shared) Subscriptions not supported/,
        );
      }
      const hall = await listening('app/hall');
      assert.equal(await publish({ topic: 'museum/hall' }), 'acknowledged');
      assert.equal(await publish(), 'absent');
      assert.deepEqual([gate.messages, hall.messages.length], [[], 1]);
    });
  }

  test('not connected, or connected and not listening: absent', async () => {
    assert.equal(await publish(), 'absent');
    const gate = await device();
    assert.equal(await publish(), 'absent');
    await gate.client.subscribeAsync(topic);
    await gate.client.unsubscribeAsync(topic);
    assert.equal(await publish(), 'absent');
  });

  test('two apps with devices of the same topic never see each other’s messages', async () => {
    const mine = await listening('app/gate');
    const theirs = await listening('other/gate');
    assert.equal(await publish({ payload: Buffer.from('mine') }), 'acknowledged');
    assert.equal(await publish({ appId: 'other', payload: Buffer.from('theirs') }), 'acknowledged');
    assert.deepEqual([mine.messages, theirs.messages], [['mine'], ['theirs']]);
  });

  test('two devices of one topic both get it', async () => {
    const both = [await listening('app/gate'), await listening('app/twin')];
    assert.equal(await publish(), 'acknowledged');
    assert.deepEqual(
      both.map(({ messages }) => messages.length),
      [1, 1],
    );
  });

  test('a listening device is announced at once, so that waiting messages can be sent', async () => {
    const heard: string[] = [];
    broker.onListening((appId, own) => heard.push(`${appId} ${own}`));
    await listening();
    assert.deepEqual(heard, [`app ${topic}`]);
  });

  test('a subscription sent along with the login, without waiting, counts', async () => {
    const gate = await rawLogin();
    gate.write({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] });
    gate.write({ cmd: 'pingreq' });
    const listens = new Promise<void>((resolve) => broker.onListening(() => resolve()));
    await listens;
    const result = publish();
    gate.write({ cmd: 'puback', messageId: 1 });
    assert.equal(await result, 'acknowledged');
  });

  const hangups: readonly (readonly [string, (gate: RawDevice) => void])[] = [
    [
      'publishes to another’s topic',
      (gate) => gate.write({ cmd: 'publish', topic: 'museum/hall', payload: 'x', qos: 0, dup: false, retain: false }),
    ],
    [
      'publishes with QoS 2',
      (gate) => gate.write({ cmd: 'publish', topic, payload: 'x', qos: 2, messageId: 1, dup: false, retain: true }),
    ],
    [
      'sends a second login',
      (gate) => gate.write({ cmd: 'connect', clientId: 'c', username: 'app/hall', password: Buffer.from('right') }),
    ],
    ['sends what is no MQTT', (gate) => gate.send('GET / HTTP/1.1\r\n\r\n')],
    [
      'announces a giant packet',
      (gate) =>
        gate.send(Buffer.concat([Buffer.from([0x82, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(limits.packetBytes + 1)])),
    ],
    [
      'sends a giant packet',
      (gate) => gate.write({ cmd: 'publish', topic, payload: 'x'.repeat(200_000), qos: 0, dup: false, retain: false }),
    ],
    ['sends a length that never ends', (gate) => gate.send(Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff]))],
    [
      'floods',
      (gate) => {
        for (let n = 0; n < 1_000; n++) gate.write({ cmd: 'pingreq' });
      },
    ],
    ['says goodbye', (gate) => gate.write({ cmd: 'disconnect' })],
  ];
  for (const [what, act] of hangups) {
    test(`a device that ${what} is disconnected, and the others notice nothing`, async () => {
      const hall = await listening('app/hall');
      const gate = await rawLogin();
      gate.write({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] });
      await new Promise<void>((resolve) => broker.onListening(() => resolve()));
      act(gate);
      await gate.ended;
      assert.equal(await publish({ topic: 'museum/hall' }), 'acknowledged');
      assert.equal(hall.messages.length, 1);
      assert.equal(await publish(), 'absent');
      assert.equal(broker.connections, 1);
    });
  }

  test('a silent client is disconnected after five seconds, and one that sends anything before a login too', async () => {
    const silent = await raw();
    const early = await raw();
    early.write({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] });
    await early.ended;
    await silent.ended;
    assert.equal(broker.connections, 0);
  });

  test('a device that reads nothing is cut off, and holds a bounded number of bytes until then', async () => {
    const gate = await rawLogin();
    gate.socket.pause();
    gate.write({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] });
    await new Promise<void>((resolve) => broker.onListening(() => resolve()));
    const payload = Buffer.alloc(32_000, 'x');
    const results = await Promise.all(Array.from({ length: 50 }, () => publish({ payload, timeoutMs: 300 })));
    const counts = Object.fromEntries(
      Map.groupBy(results, (one) => one)
        .entries()
        .map(([one, all]) => [one, all.length]),
    );
    assert.deepEqual(counts, { unanswered: 8, busy: 42 });
    assert.equal(await publish(), 'absent', 'it was disconnected');
  });

  test('the same without acknowledgements (QoS 0)', async () => {
    const gate = await rawLogin();
    gate.socket.pause();
    gate.write({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 0 }] });
    await new Promise<void>((resolve) => broker.onListening(() => resolve()));
    const payload = Buffer.alloc(32_000, 'x');
    let taken = 0;
    while ((await publish({ payload })) === 'acknowledged') assert.ok(++taken < 10_000);
    assert.equal(broker.connections, 0);
  });

  test('a keep-alive that is not kept ends the connection', async () => {
    const start = performance.now();
    const gate = await rawLogin('app/gate', { keepalive: 1 });
    await gate.ended;
    assert.ok(performance.now() - start > 1_000, 'not before it is due');
  });

  test('a message larger than the device says it takes fails, one at a time where it says so', async () => {
    const properties = { maximumPacketSize: 100, receiveMaximum: 1 };
    const gate = await listening('app/gate', { protocolVersion: 5, properties });
    assert.equal(await publish({ payload: Buffer.alloc(200, 'x') }), 'too large');
    const results = await Promise.all([publish(), publish()]);
    assert.deepEqual(results.sort(), ['acknowledged', 'busy']);
    assert.equal(gate.messages.length, 1);
  });

  test('wrong passwords are refused later and later, and delay nobody who has the right one', async () => {
    await broker.close();
    const pauses: number[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let isHeld = false;
    const pause = async (ms: number) => {
      pauses.push(ms);
      if (isHeld) await released;
    };
    broker = await start({ pause });
    const guess = (username = 'app/gate') =>
      assert.rejects(
        device(username, { password: `guess ${pauses.length}` }),
        /Connection refused|Not authorized|hung up/,
      );
    for (let n = 0; n < 40; n++) await guess(n % 2 === 0 ? 'app/gate' : `app/guess${n}`);
    assert.deepEqual(pauses.slice(0, 10), [0, 0, 0, 0, 0, 250, 500, 1_000, 2_000, 3_000]);
    assert.equal(Math.max(...pauses), 3_000);
    isHeld = true;
    const waiting = guess();
    while (pauses.length < 41) await new Promise((resolve) => setImmediate(resolve));
    const gate = await listening();
    const hall = await listening('app/hall');
    assert.equal(await publish(), 'acknowledged', 'the device whose password was guessed at');
    assert.deepEqual([gate.messages.length, hall.messages.length], [1, 0]);
    release();
    await waiting;
    isHeld = false;
    clock += 600_001;
    await guess();
    assert.equal(pauses.at(-1), 0, 'ten minutes later');
  });

  test('a login without a name or of an unknown protocol is refused', async () => {
    for (const change of [
      { username: undefined, password: undefined },
      { username: 'app/gate', password: undefined },
    ]) {
      const one = await raw();
      one.write({ cmd: 'connect', clientId: 'c', ...change } as never);
      await one.ended;
    }
    const strange = await raw();
    strange.send(Buffer.from([0x10, 0x0c, 0, 4, 77, 81, 84, 84, 9, 2, 0, 60, 0, 0]));
    await strange.ended;
  });

  test('more connections of one address than allowed are not taken', async () => {
    await broker.close();
    broker = await start({ maxPerAddress: 3 });
    for (let round = 0; round < 2; round++) {
      const some = [await raw(), await raw(), await raw()];
      const fourth = await raw();
      await fourth.ended;
      for (const { socket } of some) {
        socket.destroy();
        await once(socket, 'close');
      }
      while (broker.connections > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await device();
  });

  test('a device that connects again takes the place of its older connection', async () => {
    const first = await listening();
    const second = await listening();
    await first.closed;
    assert.equal(await publish(), 'acknowledged');
    assert.deepEqual([first.messages.length, second.messages.length], [0, 1]);
  });

  test('whose credentials are gone is disconnected by the next check, the others stay', async () => {
    const gate = await listening();
    const hall = await listening('app/hall');
    logins.delete('app/gate');
    await broker.check();
    await gate.closed;
    assert.equal(await publish(), 'absent');
    assert.equal(await publish({ topic: 'museum/hall' }), 'acknowledged');
    assert.equal(hall.messages.length, 1);
  });

  test('TLS, with a certificate that the device trusts', async () => {
    const { key, cert } = selfSignedCertificate();
    await broker.close();
    broker = await start({ tls: { key, cert } });
    await listening('app/gate', { ca: cert });
    assert.equal(await publish(), 'acknowledged');
    const plain = await openRaw(broker.port);
    plain.write({ cmd: 'pingreq' });
    await plain.ended;
  });

  test('closing hangs up on everybody', async () => {
    const gate = await listening();
    await broker.close();
    await gate.closed;
    broker = await start();
  });
});
