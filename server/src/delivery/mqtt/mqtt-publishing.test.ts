import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import {
  bytes,
  four,
  login,
  old,
  packet,
  properties,
  RawPort,
  text,
} from '../../../test/support/servers/mqtt-packets.ts';
import { DeviceBroker } from './mqtt-device-broker.ts';
import { type Publisher, publishLimits } from './mqtt-publishing.ts';

/** One message that has come, and what the test lets become of it. */
interface Came {
  readonly topic: string;
  readonly length: number;
  readonly from: string;
  readonly stored: (isAllowed: boolean) => void;
  readonly failed: (error: Error) => void;
}

describe('what gateways publish', () => {
  let port: RawPort;
  let came: Came[];
  let isValid: boolean;
  let wake: () => void;
  beforeEach(async () => {
    [came, isValid, wake] = [[], true, () => undefined];
    const publisherOf = (from: string): Publisher => ({
      isValid: async () => isValid,
      receive({ topic, payload }) {
        const { promise, resolve, reject } = Promise.withResolvers<boolean>();
        came.push({ topic, from, length: payload.length, stored: resolve, failed: reject });
        wake();
        return promise;
      },
    });
    const broker = new DeviceBroker({
      login: async ({ username, password, clientId }) =>
        password === 'right'
          ? {
              ...{ appId: 'app', deviceId: `${username} ${clientId}`, topic: '', version: '1' },
              publisher: publisherOf(username),
            }
          : undefined,
      stillValid: async (logins) => new Set(logins.filter(() => isValid)),
      now: Date.now,
      pause: async () => undefined,
      onError: (what, error) => assert.fail(`${what}: ${error}`),
    });
    await broker.listen(0, '127.0.0.1');
    port = new RawPort(broker);
  });
  afterEach(async () => {
    port.hangUp();
    await port.close();
  });

  async function messages(count: number): Promise<readonly Came[]> {
    while (came.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return came;
  }
  /** Of 5.0, with QoS 1; QoS 0 without an id. */
  const publish = (topic: string, payload: Buffer, id?: number) =>
    message(id === undefined ? 0x30 : 0x32, text(topic), ...(id === undefined ? [] : [id >> 8, id & 255]), 0, payload);
  function message(first: number, ...parts: readonly (Buffer | number)[]): Buffer {
    const body = bytes(...parts);
    const length: number[] = [];
    for (let left = body.length, isFirst = true; isFirst || left > 0; isFirst = false) {
      length.push((left & 127) | (left > 127 ? 128 : 0));
      left >>= 7;
    }
    return bytes(first, ...length, body);
  }
  const small = Buffer.from('{}');
  const inside = (username = 'hall') => port.inside({ username: text(username) });

  test('are acknowledged when they are stored, in the order in which they came', async () => {
    const gateway = await inside();
    gateway.send(publish('a', small, 1), publish('b', small), publish('c', small, 2), packet(0xc0));
    const [first, , third] = await messages(3);
    assert.equal(await gateway.packet(), 'd000', 'nothing is acknowledged yet');
    third?.stored(true);
    gateway.send(packet(0xc0));
    assert.equal(await gateway.packet(), 'd000', 'the first one is still waited for');
    first?.stored(true);
    assert.equal(await gateway.packet(), '40020001');
    came[1]?.stored(true);
    assert.equal(await gateway.packet(), '40020002');
  });

  test('are refused with a reason in 5.0; 3.1.1 has none', async () => {
    const gateway = await inside();
    gateway.send(publish('a', small, 1));
    (await messages(1))[0]?.stored(false);
    assert.equal(await gateway.packet(), '400400018700');
    const before = await port.open();
    before.send(old(), message(0x33, text('a'), 0, 7, small));
    assert.equal(await before.take(4), '20020000');
    (await messages(2))[1]?.stored(false);
    assert.equal(await before.packet(), '40020007');
  });

  test('that could not be stored are not acknowledged, and the gateway has to connect again', async () => {
    const gateway = await inside();
    gateway.send(publish('a', small), publish('b', small, 1));
    const [first, second] = await messages(2);
    first?.failed(new Error('busy'));
    second?.failed(new Error('busy'));
    assert.equal(await gateway.rest(), 'e0028000');
  });

  test('may come before the login is answered, as large as 1 MiB, and byte by byte', async () => {
    const gateway = await port.open();
    const large = publish('a', Buffer.alloc(1_048_576, ' '), 1);
    gateway.send(login(), large);
    assert.match(await gateway.packet(), /^20..0000/);
    assert.equal((await messages(1))[0]?.length, 1_048_576);
    for (const byte of publish('b', small)) gateway.send(Buffer.of(byte));
    assert.deepEqual(
      (await messages(2)).map(({ topic }) => topic),
      ['a', 'b'],
    );
    const beyond = await inside('door');
    beyond.send(publish('a', Buffer.alloc(publishLimits.packetBytes), 1));
    assert.match(await beyond.rest(), /^e00295/);
  });

  test('wait while too many are not stored yet, or too many come, and others are heard meanwhile', async () => {
    const flooding = await inside('flood');
    const count = publishLimits.underWay + 10;
    for (let id = 1; id <= count; id++) flooding.send(publish('a', small, id));
    await messages(publishLimits.underWay);
    const hall = await inside('hall');
    hall.send(publish('b', small, 1));
    const [other] = (await messages(publishLimits.underWay + 1)).filter(({ from }) => from === 'hall');
    assert.equal(came.length, publishLimits.underWay + 1, 'the rest is not read');
    other?.stored(true);
    assert.equal(await hall.packet(), '40020001');
    for (const { stored } of came) stored(true);
    await messages(count + 1);
    // The last of these are read seconds later: it has sent as much as it may at once.
    flooding.send(...Array.from({ length: 6 }, () => publish('a', Buffer.alloc(1_048_576, ' '))));
    hall.send(publish('b', small, 2));
    while (came.filter(({ from }) => from === 'hall').length < 2) await messages(came.length + 1);
    const large = () => came.filter(({ length }) => length > 2).length;
    assert.ok(large() < 6);
    // Three are more than it may send at once: the fourth is read some time later, although none of them is stored yet.
    while (large() < 4) await messages(came.length + 1);
  });

  test('come from gateways that may subscribe, and hear nothing; their last will may be retained', async () => {
    const will = { flags: 0xe6, will: bytes(properties(), text('hall/LWT'), text('offline')) };
    const gateway = await port.inside(will);
    assert.ok(gateway.welcome.includes('27'.concat(four(publishLimits.packetBytes).toString('hex'))));
    gateway.send(packet(0x82, 0, 1, 0, text('hall/commands/#'), 1), packet(0xa2, 0, 2, 0, text('hall/commands/#')));
    assert.equal(await gateway.packet(), '900400010000');
    assert.equal(await gateway.packet(), 'b00400020011');
  });

  test('end when the credentials are no longer valid; until then two gateways may have the same client id', async () => {
    const [hall, door] = [await inside('hall'), await inside('door')];
    door.send(packet(0xc0));
    assert.equal(await door.packet(), 'd000');
    assert.equal(port.broker.connections, 2);
    isValid = false;
    await port.broker.check('app');
    await Promise.all([hall.rest(), door.rest()]);
    assert.equal(port.broker.connections, 0);
  });
});
