import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { openDevice } from '../../../test/support/mqtt-devices.ts';
import { DeviceBroker } from './mqtt-device-broker.ts';

/** The protocol, byte by byte: anything forbidden is refused with the code of the specifications. */

const topic = 'museum/gate';
const text = (value: string | Buffer) => {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 255), bytes]);
};
const four = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const bytes = (...parts: readonly (Buffer | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));
function packet(first: number, ...parts: readonly (Buffer | number)[]): Buffer {
  const body = bytes(...parts);
  const { length } = body;
  return bytes(first, ...(length < 128 ? [length] : [(length & 127) | 128, length >> 7]), body);
}
const properties = (...parts: readonly (Buffer | number)[]) => {
  const body = bytes(...parts);
  return bytes(body.length, body);
};

interface Login {
  readonly name?: string;
  readonly level?: number;
  readonly flags?: number;
  readonly properties?: Buffer;
  readonly clientId?: string | Buffer;
  /** Between the client id and the user name. */
  readonly will?: Buffer;
  readonly username?: Buffer;
  readonly password?: Buffer;
  readonly behind?: Buffer;
}

const none = Buffer.alloc(0);
/** User name, password, clean session. */
const usual = 0xc2;

function login(change: Login = {}): Buffer {
  const { name = 'MQTT', level = 5, flags = usual, clientId = 'c', will = none, behind = none } = change;
  const { username = text('gate'), password = text('right') } = change;
  const own = level === 5 ? (change.properties ?? properties()) : none;
  return packet(0x10, text(name), level, flags, 0, 60, own, text(clientId), will, username, password, behind);
}
const old = (change: Login = {}) => login({ level: 4, ...change });
const refused = (code: number) => bytes(0x20, 3, 0, code, 0).toString('hex');
const disconnected = (code: number) => new RegExp(`(e001${hex(code)}|e002${hex(code)}00)$`);
const hex = (code: number) => code.toString(16).padStart(2, '0');

describe('the protocol of the port for devices', () => {
  let broker: DeviceBroker;
  const sockets: Socket[] = [];
  before(async () => {
    broker = new DeviceBroker({
      login: async (username, password) =>
        password === 'right' ? { appId: 'app', deviceId: username, topic, version: '1' } : undefined,
      stillValid: async (logins) => new Set(logins),
      now: Date.now,
      pause: async () => undefined,
      onError: (what, error) => assert.fail(`${what}: ${error}`),
    });
    await broker.listen(0, '127.0.0.1');
  });
  after(() => broker.close());
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  async function open() {
    const socket = connectTcp({ host: '127.0.0.1', port: broker.port });
    sockets.push(socket);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    let wake = () => {};
    let isEnded = false;
    socket.on('data', (more) => {
      received = Buffer.concat([received, more]);
      wake();
    });
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        isEnded = true;
        wake();
      });
    await once(socket, 'connect');
    const until = async (holds: () => boolean) => {
      while (!holds()) {
        assert.ok(!isEnded, `the connection has ended after ${received.toString('hex')}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    return {
      socket,
      send: (...parts: readonly Buffer[]) => void socket.write(bytes(...parts)),
      /** Takes what has arrived once it is this many bytes, and forgets it. */
      async take(length: number): Promise<string> {
        await until(() => received.length >= length);
        const taken = received.subarray(0, length).toString('hex');
        received = received.subarray(length);
        return taken;
      },
      /** One whole packet. */
      async packet(): Promise<string> {
        await until(() => received.length >= 2 && received.length >= 2 + received.readUInt8(1));
        return this.take(2 + received.readUInt8(1));
      },
      /** Everything until the service disconnects. */
      async rest(): Promise<string> {
        while (!isEnded)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        return received.toString('hex');
      },
    };
  }

  async function answerTo(...sent: readonly Buffer[]): Promise<string> {
    const connection = await open();
    connection.send(...sent);
    return connection.rest();
  }
  async function inside(change: Login = {}) {
    const connection = await open();
    connection.send(login(change));
    const welcome = await connection.packet();
    assert.match(welcome, /^20..0000/, 'let in');
    return { ...connection, welcome };
  }

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
    test(`refused and hung up on: ${what}`, async () => assert.equal(await answerTo(connect), answer));
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
      const connection = await open();
      connection.send(connect, packet(0xc0));
      assert.match(await connection.packet(), /^20..0000/);
      assert.equal(await connection.packet(), 'd000');
    });
  }

  test('CONNACK says what is not supported', async () => {
    const { welcome } = await inside({ clientId: '' });
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
    const before = await open();
    before.send(old());
    assert.equal(await before.packet(), '20020000');
  });

  test('a client that takes fewer bytes than the answer to its login has is hung up on', async () => {
    assert.equal(await answerTo(login({ properties: properties(39, four(4)) })), '');
  });

  const publish = (flags: number, ...parts: readonly (Buffer | number)[]) => packet(0x30 | flags, ...parts);
  const faults: Readonly<Record<string, readonly [sent: Buffer, code: number]>> = {
    'a second CONNECT': [login(), 0x82],
    AUTH: [packet(0xf0), 0x82],
    'AUTH that asks to go on': [packet(0xf0, 0x18, properties(21, text('X'))), 0x82],
    'type 0': [packet(0x00), 0x81],
    PUBREL: [packet(0x62, 0, 1), 0x82],
    CONNACK: [packet(0x20, 0, 0, 0), 0x82],
    SUBACK: [packet(0x90, 0, 1, 0, 0), 0x82],
    PINGRESP: [packet(0xd0), 0x82],
    'PINGREQ with something in it': [packet(0xc0, 1), 0x81],
    'PINGREQ with flags': [packet(0xc1), 0x81],
    'a length of five bytes': [Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0x01]), 0x81],
    'a packet larger than announced': [bytes(0x82, 0xff, 0x7f), 0x95],
    PUBLISH: [publish(0, text('t'), 0, Buffer.from('x')), 0x87],
    'PUBLISH with QoS 3': [publish(6, text('t'), 0, 1, 0), 0x81],
    'PUBLISH with QoS 2': [publish(4, text('t'), 0, 1, 0), 0x9b],
    'PUBLISH that is to be retained': [publish(1, text('t'), 0), 0x9a],
    'PUBLISH with DUP and QoS 0': [publish(8, text('t'), 0), 0x81],
    'PUBLISH with packet id 0': [publish(2, text('t'), 0, 0, 0), 0x82],
    'PUBLISH with topic alias 0': [publish(0, text('t'), properties(35, 0, 0)), 0x94],
    'PUBLISH with a topic alias': [publish(0, text('t'), properties(35, 0, 1)), 0x94],
    'PUBLISH without a topic': [publish(0, text(''), 0), 0x82],
    'PUBLISH to a wildcard': [publish(0, text('a/#'), 0), 0x90],
    'PUBLISH with a subscription identifier': [publish(0, text('t'), properties(11, 1)), 0x82],
    'PUBACK with packet id 0': [packet(0x40, 0, 0), 0x82],
    'PUBACK with an unknown code': [packet(0x40, 0, 1, 0x33), 0x81],
    'SUBSCRIBE without a filter': [packet(0x82, 0, 1, 0), 0x82],
    'SUBSCRIBE with packet id 0': [packet(0x82, 0, 0, 0, text(topic), 1), 0x82],
    'SUBSCRIBE with the wrong flags': [packet(0x80, 0, 1, 0, text(topic), 1), 0x81],
    'SUBSCRIBE with reserved bits': [packet(0x82, 0, 1, 0, text(topic), 0x41), 0x81],
    'SUBSCRIBE with QoS 3': [packet(0x82, 0, 1, 0, text(topic), 3), 0x82],
    'SUBSCRIBE with retain handling 3': [packet(0x82, 0, 1, 0, text(topic), 0x31), 0x82],
    'SUBSCRIBE with an empty filter': [packet(0x82, 0, 1, 0, text(''), 1), 0x81],
    'SUBSCRIBE with U+0000': [packet(0x82, 0, 1, 0, text('a\u0000'), 1), 0x81],
    'SUBSCRIBE without options': [packet(0x82, 0, 1, 0, text(topic)), 0x81],
    'SUBSCRIBE with a subscription identifier': [packet(0x82, 0, 1, properties(11, 5), text(topic), 1), 0xa1],
    'SUBSCRIBE with No Local on a shared subscription': [packet(0x82, 0, 1, 0, text('$share/g/t'), 5), 0x82],
    'UNSUBSCRIBE without a filter': [packet(0xa2, 0, 1, 0), 0x82],
    'UNSUBSCRIBE with packet id 0': [packet(0xa2, 0, 0, 0, text(topic)), 0x82],
    'UNSUBSCRIBE with the wrong flags': [packet(0xa0, 0, 1, 0, text(topic)), 0x81],
    'DISCONNECT with an unknown code': [packet(0xe0, 0x01), 0x81],
  };
  for (const [what, [sent, code]] of Object.entries(faults)) {
    test(`5.0: ${what} ends the connection with 0x${hex(code)}`, async () => {
      const connection = await inside();
      connection.send(sent, packet(0xc0));
      assert.match(await connection.rest(), disconnected(code));
    });
  }

  test('3.1.1: forbidden packets end the connection silently', async () => {
    for (const sent of [
      packet(0x82, 0, 0, text(topic), 1),
      packet(0x82, 0, 1),
      packet(0x82, 0, 1, text(topic), 0x04),
      packet(0x82, 0, 1, text(topic), 3),
      packet(0xa2, 0, 1),
      packet(0xf0),
      publish(0, text('t')),
      old(),
    ]) {
      const connection = await open();
      connection.send(old());
      assert.equal(await connection.take(4), '20020000');
      connection.send(sent);
      assert.equal(await connection.rest(), '', sent.toString('hex'));
    }
  });

  test('SUBACK and UNSUBACK have a code for each filter, in the order in which they came', async () => {
    const filters = [topic, '#', 'museum/+', '+/+/', 'a#', '#/a', 'a/+b', '$share/g/museum/gate', 'museum/hall'];
    const connection = await inside();
    connection.send(packet(0x82, 0x12, 0x34, 0, ...filters.flatMap((filter) => [text(filter), 2])));
    // Granted with QoS 1; wildcards and shared subscriptions not supported; filter invalid; not authorized.
    assert.equal(await connection.packet(), '900c12340001a2a2a28f8f8f9e87');
    connection.send(packet(0xa2, 0, 7, 0, text('museum/hall'), text(topic), text(topic)));
    assert.equal(await connection.packet(), 'b006000700110011');
    const before = await open();
    before.send(old(), packet(0x82, 0x12, 0x34, ...filters.flatMap((filter) => [text(filter), 0])));
    assert.equal(await before.take(4), '20020000');
    assert.equal(await before.packet(), `900b123400${'80'.repeat(8)}`);
    before.send(packet(0xa2, 0, 7, text('museum/hall'), text(topic)));
    assert.equal(await before.packet(), 'b0020007', 'a code for each is only in 5.0');
  });

  test('a packet may come byte by byte, and many in one piece', async () => {
    const connection = await open();
    for (const byte of bytes(login(), packet(0xc0))) connection.send(Buffer.of(byte));
    assert.match(await connection.packet(), /^20..0000/);
    assert.equal(await connection.packet(), 'd000');
    connection.send(packet(0xc0), packet(0x82, 0, 1, 0, text(topic), 1), packet(0xc0));
    assert.equal(await connection.take(2 + 6 + 2), 'd000900400010001d000');
  });

  test('a message larger than a client takes is not sent to it with QoS 0 either', async () => {
    const connection = await inside({ properties: properties(39, four(100)) });
    connection.send(packet(0x82, 0, 1, 0, text(topic), 0));
    await connection.packet();
    const message = { id: 'message', appId: 'app', topic, timeoutMs: 2_000, seconds: 60 };
    assert.equal(await broker.publish({ ...message, payload: Buffer.alloc(200) }), 'too large');
    assert.equal(await broker.publish({ ...message, payload: Buffer.alloc(20) }), 'acknowledged');
  });

  test('an ordinary client is told why: an authentication method, a will of QoS 2', async () => {
    const options = { username: 'gate', password: 'right', protocolVersion: 5 } as const;
    await assert.rejects(
      openDevice(broker.port, { ...options, properties: { authenticationMethod: 'X' } }),
      /Bad authentication method/,
    );
    const last = { topic: 't', payload: Buffer.from('gone'), qos: 2, retain: false } as const;
    await assert.rejects(openDevice(broker.port, { ...options, will: last }), /QoS not supported/);
  });

  const hasClients = (process.env['PATH'] ?? '').split(delimiter).some((at) => existsSync(join(at, 'mosquitto_sub')));
  const withClients = { skip: hasClients ? false : 'the clients of Mosquitto are not installed' };
  async function mosquitto(name: 'sub' | 'pub', ...words: readonly string[]): Promise<{ code: number; said: string }> {
    const child = spawn(`mosquitto_${name}`, ['-h', '127.0.0.1', '-p', String(broker.port), ...words]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (more) => (said += String(more)));
    const [code] = await once(child, 'close');
    return { code: Number(code), said };
  }

  for (const version of ['mqttv31', 'mqttv311', 'mqttv5'])
    test(`mosquitto_sub with ${version} hears its topic, and acknowledges`, withClients, async () => {
      const heard = new Promise<void>((resolve) => broker.onListening(() => resolve()));
      const words = ['-V', version, '-i', 'c', '-u', 'gate', '-P', 'right', '-t', topic, '-q', '1', '-C', '1'];
      const running = mosquitto('sub', ...words);
      await heard;
      const message = {
        id: 'message',
        appId: 'app',
        topic,
        timeoutMs: 10_000,
        seconds: 60,
        payload: Buffer.from('Hello ⛵'),
      };
      assert.equal(await broker.publish(message), 'acknowledged');
      assert.deepEqual(await running, { code: 0, said: 'Hello ⛵\n' });
    });

  test('mosquitto_sub is told what it may not hear, mosquitto_pub that it may not speak', withClients, async () => {
    const who = ['-V', 'mqttv5', '-u', 'gate', '-P', 'right'];
    assert.match((await mosquitto('sub', ...who, '-t', 'museum/#')).said, /All subscription requests were denied/);
    const spoken = await mosquitto('pub', ...who, '-t', topic, '-m', 'x', '-q', '1');
    assert.ok(spoken.code !== 0 || /error|not authori/i.test(spoken.said), JSON.stringify(spoken));
    const wrong = await mosquitto('sub', '-V', 'mqttv5', '-u', 'gate', '-P', 'wrong', '-t', topic);
    assert.match(wrong.said, /Bad user name or password|Not authorized/i);
  });
});
