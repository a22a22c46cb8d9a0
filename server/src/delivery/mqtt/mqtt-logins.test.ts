import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import {
  bytes,
  four,
  hex,
  login,
  none,
  old,
  openRawPort,
  packet,
  properties,
  type RawPort,
  text,
  topic,
  usual,
} from '../../../test/support/servers/mqtt-packets.ts';

/** Who is let in, byte by byte: a login that is forbidden is refused with the code of the specifications. */

const refused = (code: number) => bytes(0x20, 3, 0, code, 0).toString('hex');

describe('the protocol of the port for devices', () => {
  let port: RawPort;
  beforeAll(async () => {
    port = await openRawPort();
  });
  afterAll(() => port.close());
  afterEach(() => port.hangUp());

  const will = (qos: number, retain = 0) => ({
    flags: usual | 0x04 | (qos << 3) | (retain << 5),
    will: bytes(properties(), text('t'), text('gone')),
  });
  const oldWill = (qos: number, retain = 0) => ({ ...will(qos, retain), will: bytes(text('t'), text('gone')) });
  const invalidUtf8 = Buffer.from([0xc3, 0x28]);

  const refusals: Readonly<Record<string, readonly [connect: Buffer, answer: string]>> = {
    '5.0: an authentication method': [login({ properties: properties(21, text('SCRAM-SHA-1')) }), refused(0x8c)],
    '5.0: an authentication method with data': [
      login({ properties: properties(21, text('X'), 22, text('y')) }),
      refused(0x8c),
    ],
    '5.0: authentication data alone': [login({ properties: properties(22, text('y')) }), refused(0x82)],
    '5.0: a will of QoS 2': [login(will(2)), refused(0x9b)],
    '5.0: a will of QoS 3': [login(will(3)), refused(0x81)],
    '5.0: a will that is to be retained': [login(will(1, 1)), refused(0x9a)],
    '5.0: a will for a wildcard': [
      login({ ...will(0), will: bytes(properties(), text('a/#'), text('gone')) }),
      refused(0x90),
    ],
    '5.0: a QoS without a will': [login({ flags: usual | 0x08 }), refused(0x81)],
    '5.0: Retain without a will': [login({ flags: usual | 0x20 }), refused(0x81)],
    '5.0: the reserved flag': [login({ flags: usual | 0x01 }), refused(0x81)],
    '5.0: Receive Maximum 0': [login({ properties: properties(33, 0, 0) }), refused(0x82)],
    '5.0: Receive Maximum 0, twice': [login({ properties: properties(33, 0, 0, 33, 0, 0) }), refused(0x82)],
    '5.0: Receive Maximum twice': [login({ properties: properties(33, 0, 9, 33, 0, 9) }), refused(0x82)],
    '5.0: Session Expiry Interval twice': [login({ properties: properties(17, four(0), 17, four(0)) }), refused(0x82)],
    '5.0: Maximum Packet Size 0': [login({ properties: properties(39, four(0)) }), refused(0x82)],
    '5.0: Topic Alias Maximum twice': [login({ properties: properties(34, 0, 0, 34, 0, 0) }), refused(0x82)],
    '5.0: Request Problem Information 2': [login({ properties: properties(23, 2) }), refused(0x82)],
    '5.0: Request Response Information 2': [login({ properties: properties(25, 2) }), refused(0x82)],
    '5.0: a property of another packet': [login({ properties: properties(35, 0, 1) }), refused(0x81)],
    '5.0: an unknown property': [login({ properties: properties(0x7e, 0) }), refused(0x81)],
    '5.0: properties that end too early': [login({ properties: properties(33, 0) }), refused(0x81)],
    '5.0: a client id that is no UTF-8': [login({ clientId: invalidUtf8 }), refused(0x81)],
    '5.0: U+0000 in the user name': [login({ username: text('ga\u0000te') }), refused(0x81)],
    '5.0: bytes behind the password': [login({ behind: text('more') }), refused(0x81)],
    '5.0: no password': [login({ flags: 0x82, password: none }), refused(0x86)],
    '5.0: a wrong password': [login({ password: text('wrong') }), refused(0x86)],
    '3.1.1: a wrong password': [old({ password: text('wrong') }), '20020004'],
    '3.1.1: no client id and a session to keep': [old({ clientId: '', flags: 0xc0 }), '20020002'],
    '3.1: no client id': [login({ name: 'MQIsdp', level: 3, clientId: '' }), '20020002'],
    'level 0': [login({ level: 0 }), '20020001'],
    'level 3 under the name of 3.1.1': [login({ level: 3 }), '20020001'],
    'level 4 under the name of 3.1': [login({ name: 'MQIsdp', level: 4 }), '20020001'],
    'level 6': [login({ level: 6 }), '20020001'],
    'level 132, a bridge': [login({ level: 132 }), '20020001'],
    '3.1.1: a password without a user name': [old({ flags: 0x42, username: none }), ''],
    '3.1.1: the reserved flag': [old({ flags: usual | 1 }), ''],
    '3.1.1: a will of QoS 3': [old(oldWill(3)), ''],
    'another protocol': [login({ name: 'XMPP' }), ''],
    'flags in the fixed header': [bytes(0x12, login().subarray(1)), ''],
    'SUBSCRIBE before CONNECT': [packet(0x82, 0, 1, text(topic), 1), ''],
    'AUTH before CONNECT': [packet(0xf0), ''],
  };
  for (const [what, [connect, answer]] of Object.entries(refusals)) {
    test(`refused and hung up on: ${what}`, async () => assert.equal(await port.answerTo(connect), answer));
  }

  const accepted: Readonly<Record<string, Buffer>> = {
    '5.0: all properties that a client may send': login({
      properties: properties(
        17,
        four(60),
        33,
        0,
        9,
        39,
        four(9000),
        34,
        0,
        0,
        25,
        1,
        23,
        0,
        38,
        text('a'),
        text('b'),
        38,
        text('a'),
        text('c'),
      ),
    }),
    '5.0: a will of QoS 1 with its properties': login({
      ...will(1),
      will: bytes(
        properties(24, four(5), 1, 1, 2, four(9), 3, text('x'), 8, text('r'), 9, text('d')),
        text('t'),
        text('gone'),
      ),
    }),
    '3.1.1: a will of QoS 2 that is to be retained': old(oldWill(2, 1)),
    '3.1.1: no client id without a session to keep': old({ clientId: '' }),
    '3.1.1: a session to keep': old({ flags: 0xc0 }),
    '3.1': login({ name: 'MQIsdp', level: 3 }),
  };
  for (const [what, connect] of Object.entries(accepted)) {
    test(`let in: ${what}`, async () => {
      const connection = await port.open();
      connection.send(connect, packet(0xc0));
      assert.match(await connection.packet(), /^20..0000/);
      assert.equal(await connection.packet(), 'd000');
    });
  }

  test('CONNACK says what is not supported', async () => {
    const { welcome } = await port.inside({ clientId: '' });
    const announced = (id: number, value: string) => welcome.includes(`${hex(id)}${value}`);
    // Maximum QoS 1, no retained messages, wildcards, subscription identifiers or shared subscriptions; the name.
    for (const [id, value] of [
      [36, '01'],
      [37, '00'],
      [40, '00'],
      [41, '00'],
      [42, '00'],
      [17, '00000000'],
      [39, '00001000'],
      [18, text('gate').toString('hex')],
    ] as const)
      assert.ok(announced(id, value), `property ${id}`);
    const before = await port.open();
    before.send(old());
    assert.equal(await before.packet(), '20020000');
  });

  test('a client that takes fewer bytes than the answer to its login has is hung up on', async () => {
    assert.equal(await port.answerTo(login({ properties: properties(39, four(4)) })), '');
  });
});
