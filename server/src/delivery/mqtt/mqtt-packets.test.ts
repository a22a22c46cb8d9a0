import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { patientMs } from '../../../test/support/patience.ts';
import {
  bytes,
  four,
  hex,
  login,
  old,
  openRawPort,
  packet,
  properties,
  type RawPort,
  text,
  topic,
} from '../../../test/support/servers/mqtt-packets.ts';

/** Packets after the login, byte by byte: a forbidden one ends the connection with the code of the specifications. */

const disconnected = (code: number) => new RegExp(`(e001${hex(code)}|e002${hex(code)}00)$`);

describe('the protocol of the port for devices', () => {
  let port: RawPort;
  beforeAll(async () => {
    port = await openRawPort();
  });
  afterAll(() => port.close());
  afterEach(() => port.hangUp());

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
      const connection = await port.inside();
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
      const connection = await port.open();
      connection.send(old());
      assert.equal(await connection.take(4), '20020000');
      connection.send(sent);
      assert.equal(await connection.rest(), '', sent.toString('hex'));
    }
  });

  test('SUBACK and UNSUBACK have a code for each filter, in the order in which they came', async () => {
    const filters = [topic, '#', 'museum/+', '+/+/', 'a#', '#/a', 'a/+b', '$share/g/museum/gate', 'museum/hall'];
    const connection = await port.inside();
    connection.send(packet(0x82, 0x12, 0x34, 0, ...filters.flatMap((filter) => [text(filter), 2])));
    // Granted with QoS 1; wildcards and shared subscriptions not supported; filter invalid; not authorized.
    assert.equal(await connection.packet(), '900c12340001a2a2a28f8f8f9e87');
    connection.send(packet(0xa2, 0, 7, 0, text('museum/hall'), text(topic), text(topic)));
    assert.equal(await connection.packet(), 'b006000700110011');
    const before = await port.open();
    before.send(old(), packet(0x82, 0x12, 0x34, ...filters.flatMap((filter) => [text(filter), 0])));
    assert.equal(await before.take(4), '20020000');
    assert.equal(await before.packet(), `900b123400${'80'.repeat(8)}`);
    before.send(packet(0xa2, 0, 7, text('museum/hall'), text(topic)));
    assert.equal(await before.packet(), 'b0020007', 'a code for each is only in 5.0');
  });

  test('a packet may come byte by byte, and many in one piece', async () => {
    const connection = await port.open();
    for (const byte of bytes(login(), packet(0xc0))) connection.send(Buffer.of(byte));
    assert.match(await connection.packet(), /^20..0000/);
    assert.equal(await connection.packet(), 'd000');
    connection.send(packet(0xc0), packet(0x82, 0, 1, 0, text(topic), 1), packet(0xc0));
    assert.equal(await connection.take(2 + 6 + 2), 'd000900400010001d000');
  });

  test('a message larger than a client takes is not sent to it with QoS 0 either', async () => {
    const connection = await port.inside({ properties: properties(39, four(100)) });
    connection.send(packet(0x82, 0, 1, 0, text(topic), 0));
    await connection.packet();
    const message = { id: 'message', appId: 'app', topic, timeoutMs: patientMs, seconds: 60 };
    assert.equal(await port.broker.publish({ ...message, payload: Buffer.alloc(200) }), 'too large');
    assert.equal(await port.broker.publish({ ...message, payload: Buffer.alloc(20) }), 'acknowledged');
  });
});
