import type { Socket } from 'node:net';
import * as mqtt from 'mqtt-packet';
import { InFlight, type Published } from './mqtt-in-flight.ts';

/**
 * One device's connection: MQTT 3.1, 3.1.1 and 5.0 as far as a device needs it that listens to one topic. It subscribes to
 * exactly that topic and publishes nothing. Everything that it can make this process hold is bounded.
 */

export const limits = Object.freeze({
  /** What a device sends is small: its login, a subscription, acknowledgements. */
  packetBytes: 4_096,
  /** For the first packet, ms. */
  connectMs: 5_000,
  /** Bytes that wait to be read by the device. */
  bufferedBytes: 524_288,
  packetsPerSecond: 50,
  packetBurst: 200,
  earlyPackets: 8,
});

export interface DeviceLogin {
  readonly appId: string;
  readonly deviceId: string;
  /** The one topic that the device listens to. */
  readonly topic: string;
  /** Changes when other credentials are issued. */
  readonly version: string;
}

export interface ConnectionHost {
  /** Undefined when it must not come in. */
  login(username: string, password: string): Promise<DeviceLogin | undefined>;
  /** It is logged in, and from now on it is the device's only connection. */
  entered(connection: DeviceConnection): void;
  listening(connection: DeviceConnection): void;
  closed(connection: DeviceConnection): void;
}

/** What a client is told when it is refused, by protocol: 3.1.1, table 3.1; 5.0, table 3-1. */
const refusals = {
  version: { old: 1, five: 0x84 },
  credentials: { old: 4, five: 0x86 },
} as const;
const notAuthorized = 0x87;
const subscriptionRefused = 0x80;
const takenOver = 0x8e;

export class DeviceConnection {
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #parser: mqtt.Parser;
  /** The parser goes by these; the version is known once the client has said it. */
  readonly #settings = { protocolVersion: 4 };
  /** What a client has sent without waiting for the answer to its login. */
  #early: mqtt.Packet[] = [];
  readonly #inFlight = new InFlight();
  #state: 'new' | 'busy' | 'open' | 'closed' = 'new';
  #version: 3 | 4 | 5 = 4;
  #connectTimer: NodeJS.Timeout;
  #login: DeviceLogin | undefined;
  /** The quality of service that was granted; undefined: it does not listen. */
  #qos: 0 | 1 | undefined;
  #tokens: number = limits.packetBurst;
  #tokensAt = performance.now();
  #maxPacketBytes = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.#parser = mqtt.parser(this.#settings);
    this.#parser.on('packet', (packet) => this.#take(packet));
    this.#parser.on('error', () => this.close());
    this.#connectTimer = setTimeout(() => this.close(), limits.connectMs);
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    socket.on('data', (bytes) => this.#read(bytes));
    socket.on('timeout', () => this.close());
    socket.on('error', () => this.close());
    socket.on('close', () => this.close());
  }

  get login(): DeviceLogin | undefined {
    return this.#login;
  }

  get isListening(): boolean {
    return this.#state === 'open' && this.#qos !== undefined;
  }

  /** Resolves with what became of it; never rejects. */
  publish(payload: Buffer, until: { readonly timeoutMs: number; readonly seconds: number }): Promise<Published> {
    const { login } = this;
    if (!login || !this.isListening) return Promise.resolve('absent');
    const properties = this.#version === 5 ? { properties: { messageExpiryInterval: until.seconds } } : {};
    const packet = { cmd: 'publish', topic: login.topic, payload, dup: false, retain: false, ...properties } as const;
    if (this.#qos === 0) return Promise.resolve(this.#send({ ...packet, qos: 0 }) ? 'acknowledged' : 'absent');
    const place = this.#inFlight.open(until.timeoutMs, () => this.close());
    if (!place) return Promise.resolve('busy');
    const message: mqtt.Packet = { ...packet, qos: 1, messageId: place.messageId };
    if (mqtt.generate(message, { protocolVersion: this.#version }).length > this.#maxPacketBytes) {
      this.#inFlight.take(place.messageId, 'too large');
    } else this.#send(message);
    return place.result;
  }

  /** Tells a client of 5.0 why, and hangs up. */
  close(reasonCode?: number): void {
    if (this.#state === 'closed') return;
    if (reasonCode !== undefined && this.#version === 5 && this.#state === 'open')
      this.#send({ cmd: 'disconnect', reasonCode });
    this.#state = 'closed';
    clearTimeout(this.#connectTimer);
    this.#inFlight.end();
    // What is written goes out first, as far as the client reads it; it is given a moment and nothing more.
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), 200).unref();
    this.#host.closed(this);
  }

  /** Another connection of the same device has come. */
  takeOver(): void {
    this.close(takenOver);
  }

  /** The credentials are no longer valid. */
  revoke(): void {
    this.close(notAuthorized);
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#state === 'closed') return;
    try {
      // What is left is the beginning of a packet.
      if (this.#parser.parse(bytes) > limits.packetBytes) this.close();
    } catch {
      this.close();
    }
  }

  /** False when there are too many. */
  #countPacket(): boolean {
    const now = performance.now();
    const grown = this.#tokens + ((now - this.#tokensAt) / 1000) * limits.packetsPerSecond;
    this.#tokens = Math.min(limits.packetBurst, grown) - 1;
    this.#tokensAt = now;
    return this.#tokens >= 0;
  }

  #take(packet: mqtt.Packet): void {
    if (this.#state === 'closed') return;
    const isTooMuch = !this.#countPacket() || (packet.length ?? 0) > limits.packetBytes;
    // Nothing comes before the login, and nothing overtakes it.
    if (isTooMuch || (packet.cmd === 'connect') !== (this.#state === 'new')) this.close();
    else if (packet.cmd === 'connect') this.#connect(packet);
    else if (this.#state === 'open') this.#answer(packet);
    else if (this.#early.push(packet) > limits.earlyPackets) this.close();
  }

  #answer(packet: mqtt.Packet): void {
    switch (packet.cmd) {
      case 'pingreq':
        this.#send({ cmd: 'pingresp' });
        break;
      case 'puback':
        this.#inFlight.take(packet.messageId ?? 0, (packet.reasonCode ?? 0) < 0x80 ? 'acknowledged' : 'refused');
        break;
      case 'subscribe':
        this.#subscribe(packet);
        break;
      case 'unsubscribe':
        this.#unsubscribe(packet);
        break;
      case 'disconnect':
        this.close();
        break;
      default:
        // A device publishes nothing here (3.1.1, 3.3.5: the server may hang up).
        this.close(notAuthorized);
    }
  }

  #connect(packet: mqtt.IConnectPacket): void {
    this.#state = 'busy';
    this.#version = (packet.protocolVersion ?? 4) as 3 | 4 | 5;
    this.#settings.protocolVersion = this.#version;
    const { username, password } = packet;
    if (![3, 4, 5].includes(this.#version)) this.#refuse('version');
    else if (username === undefined || password === undefined) this.#refuse('credentials');
    else {
      this.#host.login(username, password.toString('utf8')).then(
        (login) => this.#decide(packet, login),
        () => this.close(),
      );
    }
  }

  #decide(packet: mqtt.IConnectPacket, login: DeviceLogin | undefined): void {
    if (this.#state !== 'busy') return;
    if (!login) {
      this.#refuse('credentials');
      return;
    }
    this.#login = login;
    this.#state = 'open';
    clearTimeout(this.#connectTimer);
    const { keepalive = 0, properties: { receiveMaximum, maximumPacketSize } = {} } = packet;
    // 3.1.1, 3.1.2.10: after one and a half times the keep-alive the network has failed.
    if (keepalive > 0) this.#watchSilence(keepalive * 1500);
    if (receiveMaximum !== undefined) this.#inFlight.narrow(receiveMaximum);
    if (maximumPacketSize !== undefined) this.#maxPacketBytes = maximumPacketSize;
    this.#host.entered(this);
    this.#send(this.#welcome(packet));
    for (const early of this.#early.splice(0)) if (this.#isOpen()) this.#answer(early);
  }

  #isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Silence of the client: what this process writes does not count, unlike in a socket's own time-out. */
  #watchSilence(ms: number): void {
    const timer = setTimeout(() => this.close(), ms);
    timer.unref();
    this.#socket.on('data', () => timer.refresh());
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** No session outlives the connection: what a device misses is sent again by the outbox. */
  #welcome(packet: mqtt.IConnectPacket): mqtt.IConnackPacket {
    if (this.#version !== 5) return { cmd: 'connack', returnCode: 0, sessionPresent: false };
    const properties = {
      sessionExpiryInterval: 0,
      maximumQoS: 1,
      retainAvailable: false,
      maximumPacketSize: limits.packetBytes,
      wildcardSubscriptionAvailable: false,
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
      ...(packet.clientId === '' ? { assignedClientIdentifier: this.#login?.deviceId ?? '' } : {}),
    };
    return { cmd: 'connack', reasonCode: 0, sessionPresent: false, properties };
  }

  #refuse(why: keyof typeof refusals): void {
    const { old, five } = refusals[why];
    const code = this.#version === 5 ? { reasonCode: five } : { returnCode: old };
    this.#send({ cmd: 'connack', sessionPresent: false, ...code });
    this.close();
  }

  #subscribe({ messageId = 0, subscriptions }: mqtt.ISubscribePacket): void {
    let isNew = false;
    const granted = subscriptions.map(({ topic, qos }) => {
      if (topic !== this.#login?.topic) return this.#version === 5 ? notAuthorized : subscriptionRefused;
      isNew ||= this.#qos === undefined;
      this.#qos = qos === 0 ? 0 : 1;
      return this.#qos;
    });
    this.#send({ cmd: 'suback', messageId, granted });
    if (isNew) this.#host.listening(this);
  }

  #unsubscribe({ messageId = 0, unsubscriptions }: mqtt.IUnsubscribePacket): void {
    if (unsubscriptions.includes(this.#login?.topic ?? '')) this.#qos = undefined;
    this.#send({ cmd: 'unsuback', messageId, granted: unsubscriptions.map(() => 0) });
  }

  /** False when the connection is gone, or is now because the client does not read. */
  #send(packet: mqtt.Packet): boolean {
    if (this.#state === 'closed' || this.#socket.destroyed) return false;
    this.#socket.write(mqtt.generate(packet, { protocolVersion: this.#version }));
    if (this.#socket.writableLength <= limits.bufferedBytes) return true;
    this.#socket.destroy();
    this.close();
    return false;
  }
}
