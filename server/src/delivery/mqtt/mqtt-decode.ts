import { MqttFault, reasons } from './mqtt-fault.ts';
import { type Frame, type PropertyName, publishType, Reader } from './mqtt-reader.ts';

/**
 * Reads strictly what a device or a gateway may send: MQTT 3.1, 3.1.1 and 5.0. A library that reads for clients and servers alike
 * accepts much that the specifications forbid.
 */

export interface Connect {
  readonly version: 3 | 4 | 5;
  readonly clientId: string;
  /** Seconds; 0 means that silence is allowed. */
  readonly keepAlive: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly receiveMaximum: number | undefined;
  readonly maximumPacketSize: number | undefined;
  readonly retainsWill: boolean;
}

export interface Publish {
  readonly cmd: 'publish';
  readonly topic: string;
  readonly payload: Buffer;
  /** Undefined with QoS 0. */
  readonly messageId: number | undefined;
  readonly retain: boolean;
}

interface Filter {
  readonly topic: string;
  readonly qos: 0 | 1 | 2;
}

export type ClientPacket =
  | Publish
  | { readonly cmd: 'puback'; readonly messageId: number; readonly reasonCode: number }
  | { readonly cmd: 'subscribe'; readonly messageId: number; readonly filters: readonly Filter[] }
  | { readonly cmd: 'unsubscribe'; readonly messageId: number; readonly topics: readonly string[] }
  | { readonly cmd: 'pingreq' }
  | { readonly cmd: 'disconnect' };

const connectType = 1;

export const isConnect = ({ type }: Frame): boolean => type === connectType;

/** @throws MqttFault, with a version if the protocol could be read */
export function decodeConnect({ body }: Frame): Connect {
  const reader = new Reader(body);
  const version = versionOf(reader);
  try {
    return connectOf(reader, version);
  } catch (error) {
    throw error instanceof MqttFault ? new MqttFault(error.code, version) : error;
  }
}

function versionOf(reader: Reader): 3 | 4 | 5 {
  const name = reader.text();
  if (name !== 'MQTT' && name !== 'MQIsdp') throw new MqttFault(reasons.malformed);
  const level = reader.byte();
  const known = name === 'MQTT' ? level === 4 || level === 5 : level === 3;
  // 3.1.1 requires return code 1 in its own form (MQTT-3.1.2-2); 5.0 leaves the answer open.
  if (!known) throw new MqttFault(reasons.unsupportedVersion, 4);
  return level as 3 | 4 | 5;
}

const connectProperties: readonly PropertyName[] = [
  'sessionExpiryInterval',
  'receiveMaximum',
  'maximumPacketSize',
  'topicAliasMaximum',
  'requestResponseInformation',
  'requestProblemInformation',
  'authenticationMethod',
  'authenticationData',
];
const willProperties: readonly PropertyName[] = [
  'willDelayInterval',
  'payloadFormatIndicator',
  'messageExpiryInterval',
  'contentType',
  'responseTopic',
  'correlationData',
];

function connectOf(reader: Reader, version: 3 | 4 | 5): Connect {
  const flags = reader.byte();
  const has = (bit: number) => (flags & bit) !== 0;
  const willQos = (flags >> 3) & 3;
  const isWillWrong = has(0x04) ? willQos === 3 : willQos > 0 || has(0x20);
  // 3.1.1: a password needs a user name (MQTT-3.1.2-22).
  if (has(0x01) || isWillWrong || (version < 5 && has(0x40) && !has(0x80))) throw new MqttFault(reasons.malformed);
  const keepAlive = reader.two();
  const properties = version === 5 ? reader.properties(connectProperties) : {};
  const { receiveMaximum, maximumPacketSize, authenticationMethod, authenticationData } = properties;
  if (receiveMaximum === 0 || maximumPacketSize === 0) throw new MqttFault(reasons.protocolError);
  if (authenticationData !== undefined && authenticationMethod === undefined)
    throw new MqttFault(reasons.protocolError);
  const clientId = reader.text();
  if (has(0x04)) readWill(reader, version, willQos);
  const username = has(0x80) ? reader.text() : undefined;
  const password = has(0x40) ? reader.binary().toString('utf8') : undefined;
  reader.end();
  if (authenticationMethod !== undefined) throw new MqttFault(reasons.badAuthenticationMethod);
  // 3.1 has no connections without a name; 3.1.1 allows them if no session is wanted (MQTT-3.1.3-8).
  if (clientId === '' && (version === 3 || (version === 4 && !has(0x02))))
    throw new MqttFault(reasons.clientIdNotValid);
  return {
    version,
    clientId,
    keepAlive,
    username,
    password,
    receiveMaximum: receiveMaximum as number | undefined,
    maximumPacketSize: maximumPacketSize as number | undefined,
    retainsWill: has(0x20),
  };
}

/**
 * A will is never published, because nobody could hear it, so it is discarded. 5.0 has a reason code for a will that
 * needs what CONNACK says is unavailable (MQTT-3.2.2-12).
 */
function readWill(reader: Reader, version: 3 | 4 | 5, qos: number): void {
  if (version === 5) reader.properties(willProperties);
  const topic = reader.text();
  reader.binary();
  if (!isTopicName(topic)) throw new MqttFault(reasons.topicInvalid);
  if (version === 5 && qos > 1) throw new MqttFault(reasons.qosNotSupported);
}

const isTopicName = (topic: string) => topic !== '' && !/[+#]/.test(topic);

/** A packet after the CONNECT. @throws MqttFault */
export function decode(frame: Frame, version: 3 | 4 | 5): ClientPacket {
  const { type, body } = frame;
  if (type === publishType) return publish(frame, version);
  const reader = new Reader(body);
  switch (type) {
    case 4:
      return puback(reader, version);
    case 8:
      return subscribe(reader, version);
    case 10:
      return unsubscribe(reader, version);
    case 12:
      reader.end();
      return { cmd: 'pingreq' };
    case 14:
      return disconnect(reader, version);
    default:
      // A second CONNECT, AUTH without a method, and packets that only servers send or that answer a message of QoS 2.
      throw new MqttFault(reasons.protocolError);
  }
}

/** 5.0, table 3-4 of PUBACK. */
const pubackCodes: ReadonlySet<number> = new Set([0, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99]);

function puback(reader: Reader, version: 3 | 4 | 5): ClientPacket {
  const messageId = reader.packetId();
  let reasonCode = 0;
  if (version === 5 && reader.left > 0) {
    reasonCode = reader.byte();
    if (!pubackCodes.has(reasonCode)) throw new MqttFault(reasons.malformed);
    if (reader.left > 0) reader.properties(['reasonString']);
  }
  reader.end();
  return { cmd: 'puback', messageId, reasonCode };
}

function subscribe(reader: Reader, version: 3 | 4 | 5): ClientPacket {
  const messageId = reader.packetId();
  const { subscriptionIdentifier } = version === 5 ? reader.properties(['subscriptionIdentifier']) : {};
  if (subscriptionIdentifier === 0) throw new MqttFault(reasons.protocolError);
  if (subscriptionIdentifier !== undefined) throw new MqttFault(reasons.subscriptionIdsNotSupported);
  const filters: Filter[] = [];
  do {
    if (reader.left === 0) throw new MqttFault(reasons.protocolError);
    const topic = filterOf(reader);
    const options = reader.byte();
    const qos = options & 3;
    if (options & (version === 5 ? 0xc0 : 0xfc)) throw new MqttFault(reasons.malformed);
    // Bits 4 and 5 say how retained messages are handled. Bit 2 means No Local, which shared subscriptions do not have.
    const isNoLocalShared = (options & 4) !== 0 && topic.startsWith('$share/');
    if (qos === 3 || ((options >> 4) & 3) === 3 || isNoLocalShared) throw new MqttFault(reasons.protocolError);
    filters.push({ topic, qos: qos as 0 | 1 | 2 });
  } while (reader.left > 0);
  return { cmd: 'subscribe', messageId, filters };
}

function unsubscribe(reader: Reader, version: 3 | 4 | 5): ClientPacket {
  const messageId = reader.packetId();
  if (version === 5) reader.properties([]);
  const topics: string[] = [];
  do {
    if (reader.left === 0) throw new MqttFault(reasons.protocolError);
    topics.push(filterOf(reader));
  } while (reader.left > 0);
  return { cmd: 'unsubscribe', messageId, topics };
}

function filterOf(reader: Reader): string {
  const topic = reader.text();
  if (topic === '') throw new MqttFault(reasons.malformed);
  return topic;
}

/** 5.0, table 3-13, as far as clients may send them. */
const disconnectCodes: ReadonlySet<number> = new Set([
  0, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99,
]);

function disconnect(reader: Reader, version: 3 | 4 | 5): ClientPacket {
  if (version === 5 && reader.left > 0) {
    if (!disconnectCodes.has(reader.byte())) throw new MqttFault(reasons.malformed);
    if (reader.left > 0) reader.properties(['sessionExpiryInterval', 'reasonString']);
  }
  reader.end();
  return { cmd: 'disconnect' };
}

const publishProperties: readonly PropertyName[] = [
  'payloadFormatIndicator',
  'messageExpiryInterval',
  'topicAlias',
  'responseTopic',
  'correlationData',
  'subscriptionIdentifier',
  'contentType',
];

function publish({ flags, body }: Frame, version: 3 | 4 | 5): Publish {
  const qos = (flags >> 1) & 3;
  if (qos === 0 && (flags & 8) !== 0) throw new MqttFault(reasons.malformed);
  const reader = new Reader(body);
  const topic = reader.text();
  if (/[+#]/.test(topic)) throw new MqttFault(reasons.topicInvalid);
  const messageId = qos > 0 ? reader.packetId() : undefined;
  const { topicAlias, subscriptionIdentifier } = version === 5 ? reader.properties(publishProperties) : {};
  if (subscriptionIdentifier !== undefined) throw new MqttFault(reasons.protocolError);
  if (topicAlias !== undefined) throw new MqttFault(reasons.topicAliasInvalid);
  if (topic === '') throw new MqttFault(reasons.protocolError);
  if (qos === 2) throw new MqttFault(reasons.qosNotSupported);
  return { cmd: 'publish', topic, payload: reader.take(reader.left), messageId, retain: (flags & 1) === 1 };
}
