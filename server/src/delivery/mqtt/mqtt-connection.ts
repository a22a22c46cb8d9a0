import type { Socket } from 'node:net';
import * as mqtt from 'mqtt-packet';
import { type ClientPacket, type Connect, decode, decodeConnect, isConnect } from './mqtt-decode.ts';
import { MqttFault, reasons } from './mqtt-fault.ts';
import { InFlight, type Published } from './mqtt-in-flight.ts';
import { type Publisher, Publishing, publishLimits } from './mqtt-publishing.ts';
import { type Frame, Framer } from './mqtt-reader.ts';

/**
 * One connection: as much of MQTT 3.1, 3.1.1 and 5.0 as two kinds of clients need. A device subscribes to exactly one topic and
 * publishes nothing; a gateway publishes what it hears, and there is nothing for it to hear. Everything that a client can make this
 * process hold is bounded.
 */

export const limits = Object.freeze({
  /** A device sends little: its login, a subscription, acknowledgements. */
  packetBytes: 4_096,
  /** For the first packet, ms. */
  connectMs: 5_000,
  /** Bytes that the device has not read yet. */
  bufferedBytes: 524_288,
  packetsPerSecond: 50,
  packetBurst: 200,
});

export interface DeviceLogin {
  readonly appId: string;
  readonly deviceId: string;
  /** The one topic that the device may listen to. */
  readonly topic: string;
  /** Changes when other credentials are issued. */
  readonly version: string;
  /** Takes what it publishes, if it is a gateway: then it has no topic. */
  readonly publisher?: Publisher;
}

/** What a client says of itself. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly clientId: string;
}

export interface ConnectionHost {
  /** Undefined if the login is refused. */
  login(credentials: Credentials): Promise<DeviceLogin | undefined>;
  /** It is logged in; from now on this is the device's only connection. */
  entered(connection: DeviceConnection): void;
  /** Before it listens: makes it known to other nodes, if there are any. Rejects if that fails. */
  register(connection: DeviceConnection): Promise<void> | undefined;
  listening(connection: DeviceConnection): void;
  closed(connection: DeviceConnection): void;
}

/**
 * The return codes of 3.1.1, table 3.1, that correspond to a reason code of 5.0; for the others the connection is just
 * closed.
 */
const oldCodes: Readonly<Record<number, number>> = {
  [reasons.unsupportedVersion]: 1,
  [reasons.clientIdNotValid]: 2,
  [reasons.badCredentials]: 4,
};
const subscriptionRefused = 0x80;
/** 5.0, table 3-9 of UNSUBACK. */
const noSubscription = 0x11;

export class DeviceConnection {
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #framer = new Framer(limits.packetBytes);
  readonly #inFlight = new InFlight();
  #state: 'new' | 'busy' | 'open' | 'closed' = 'new';
  #version: 3 | 4 | 5 = 4;
  #connectTimer: NodeJS.Timeout;
  #login: DeviceLogin | undefined;
  #publishing: Publishing | undefined;
  /** The granted quality of service; undefined: it does not listen. */
  #qos: 0 | 1 | undefined;
  #tokens: number = limits.packetBurst;
  #tokensAt = performance.now();
  #maxPacketBytes = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
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

  /** Resolves with the result; never rejects. */
  publish(payload: Buffer, until: { readonly timeoutMs: number; readonly seconds: number }): Promise<Published> {
    const { login } = this;
    if (!login || !this.isListening) return Promise.resolve('absent');
    const properties = this.#version === 5 ? { properties: { messageExpiryInterval: until.seconds } } : {};
    const packet = { cmd: 'publish', topic: login.topic, payload, dup: false, retain: false, ...properties } as const;
    if (this.#qos === 0) {
      if (this.#isTooLarge({ ...packet, qos: 0 })) return Promise.resolve('too large');
      return Promise.resolve(this.#send({ ...packet, qos: 0 }) ? 'acknowledged' : 'absent');
    }
    const place = this.#inFlight.open(until.timeoutMs, () => this.close());
    if (!place) return Promise.resolve('busy');
    const message: mqtt.Packet = { ...packet, qos: 1, messageId: place.messageId };
    if (this.#isTooLarge(message)) this.#inFlight.take(place.messageId, 'too large');
    else this.#send(message);
    return place.result;
  }

  /** Tells a client of 5.0 why, and disconnects. */
  close(reasonCode?: number): void {
    if (this.#state === 'closed') return;
    if (reasonCode !== undefined && this.#version === 5 && this.#state === 'open')
      this.#send({ cmd: 'disconnect', reasonCode });
    this.#state = 'closed';
    clearTimeout(this.#connectTimer);
    this.#inFlight.end();
    this.#publishing?.end();
    // Pending output goes first, as far as the client reads it within a moment.
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), 200).unref();
    this.#host.closed(this);
  }

  /** A newer connection of the same device has come. */
  takeOver(): void {
    this.close(reasons.takenOver);
  }

  /** The credentials are no longer valid. */
  revoke(): void {
    this.close(reasons.notAuthorized);
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#isClosed()) return;
    this.#framer.push(bytes);
    this.#readOn();
  }

  /** Reads as long as this can answer: nothing may overtake the login. What it does not read, the client keeps. */
  #readOn(): void {
    try {
      while (this.#mayRead()) {
        const frame = this.#framer.next();
        if (!frame) {
          this.#socket.resume();
          return;
        }
        this.#take(frame);
      }
      if (!this.#isClosed()) this.#socket.pause();
    } catch (error) {
      if (!(error instanceof MqttFault)) throw error;
      this.#fault(error);
    }
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #mayRead(): boolean {
    return this.#state === 'new' || (this.#state === 'open' && !this.#publishing?.isFull);
  }

  /** Reports what was wrong, as far as the protocol can express it, and disconnects. */
  #fault({ code, version }: MqttFault): void {
    if (this.#state === 'new' && version !== undefined) {
      this.#version = version;
      this.#refuse(code);
    } else this.close(code);
  }

  /** False when there are too many. */
  #countPacket(): boolean {
    const now = performance.now();
    const grown = this.#tokens + ((now - this.#tokensAt) / 1000) * limits.packetsPerSecond;
    this.#tokens = Math.min(limits.packetBurst, grown) - 1;
    this.#tokensAt = now;
    return this.#tokens >= 0;
  }

  #take(frame: Frame): void {
    if (this.#state === 'new') {
      // Nothing may come before the login (MQTT-3.1.0-1).
      if (isConnect(frame)) this.#connect(decodeConnect(frame));
      else this.close();
      return;
    }
    const packet = decode(frame, this.#version);
    if (packet.cmd === 'publish' && this.#publishing) this.#publishing.take(packet);
    else if (this.#countPacket()) this.#answer(packet);
    else this.close(reasons.rateTooHigh);
  }

  #answer(packet: ClientPacket): void {
    switch (packet.cmd) {
      case 'pingreq':
        this.#send({ cmd: 'pingresp' });
        break;
      case 'puback':
        this.#inFlight.take(packet.messageId, packet.reasonCode < 0x80 ? 'acknowledged' : 'refused');
        break;
      case 'subscribe':
        this.#subscribe(packet);
        break;
      case 'unsubscribe':
        this.#unsubscribe(packet);
        break;
      case 'publish':
        throw new MqttFault(packet.retain ? reasons.retainNotSupported : reasons.notAuthorized);
      default:
        this.close();
    }
  }

  #connect(packet: Connect): void {
    this.#state = 'busy';
    this.#version = packet.version;
    const { username, password, clientId } = packet;
    if (username === undefined || password === undefined) this.#refuse(reasons.badCredentials);
    else {
      this.#host.login({ username, password, clientId }).then(
        (login) => this.#decide(packet, login),
        () => this.close(),
      );
    }
  }

  #decide(packet: Connect, login: DeviceLogin | undefined): void {
    if (this.#state !== 'busy') return;
    const { publisher } = login ?? {};
    // 5.0: what CONNACK would say is unavailable to a device (MQTT-3.2.2-13).
    const isRetaining = packet.retainsWill && this.#version === 5 && !publisher;
    if (!login || isRetaining) {
      this.#refuse(login ? reasons.retainNotSupported : reasons.badCredentials);
      return;
    }
    this.#login = login;
    if (publisher) this.#openTo(publisher);
    this.#state = 'open';
    clearTimeout(this.#connectTimer);
    const { keepAlive, receiveMaximum, maximumPacketSize } = packet;
    // 3.1.1, 3.1.2.10: after one and a half times the keep-alive the network counts as failed.
    if (keepAlive > 0) this.#watchSilence(keepAlive * 1500);
    if (receiveMaximum !== undefined) this.#inFlight.narrow(receiveMaximum);
    if (maximumPacketSize !== undefined) this.#maxPacketBytes = maximumPacketSize;
    this.#host.entered(this);
    const welcome = this.#welcome(packet);
    // It accepts nothing; without an answer the client would wait for one.
    if (this.#isTooLarge(welcome)) this.close();
    this.#send(welcome);
    this.#readOn();
  }

  #openTo(publisher: Publisher): void {
    this.#framer.maxBytes = publishLimits.packetBytes;
    this.#publishing = new Publishing(publisher, {
      acknowledge: (messageId, reasonCode) =>
        void this.#send({ cmd: 'puback', messageId, ...(this.#version === 5 ? { reasonCode } : {}) }),
      goOn: () => this.#readOn(),
      fail: () => this.close(reasons.unspecified),
    });
  }

  /** The client's silence counts, not what this process writes, unlike in a socket's own time-out, and not while nobody listens to it. */
  #watchSilence(ms: number): void {
    const timer = setTimeout(
      () => (this.#publishing?.isFull ? timer.refresh() : this.close(reasons.keepAliveTimeout)),
      ms,
    ).unref();
    this.#socket.on('data', () => timer.refresh());
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** No session outlives the connection: the outbox sends again what a device misses. */
  #welcome({ clientId }: Connect): mqtt.IConnackPacket {
    if (this.#version !== 5) return { cmd: 'connack', returnCode: 0, sessionPresent: false };
    const { publisher, deviceId = '' } = this.#login ?? {};
    const properties = {
      sessionExpiryInterval: 0,
      maximumQoS: 1,
      retainAvailable: publisher !== undefined,
      maximumPacketSize: publisher ? publishLimits.packetBytes : limits.packetBytes,
      ...(publisher ? { receiveMaximum: publishLimits.underWay } : {}),
      wildcardSubscriptionAvailable: false,
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
      ...(clientId === '' ? { assignedClientIdentifier: deviceId } : {}),
    };
    return { cmd: 'connack', reasonCode: 0, sessionPresent: false, properties };
  }

  #refuse(code: number): void {
    const old = oldCodes[code];
    if (this.#version === 5) this.#send({ cmd: 'connack', sessionPresent: false, reasonCode: code });
    else if (old !== undefined) this.#send({ cmd: 'connack', sessionPresent: false, returnCode: old });
    this.close();
  }

  #subscribe({ messageId, filters }: ClientPacket & { cmd: 'subscribe' }): void {
    let isNew = false;
    const granted = filters.map(({ topic, qos }) => {
      // Some gateways give up if they cannot subscribe to commands. None ever comes.
      if (this.#publishing) return 0;
      if (topic !== this.#login?.topic) return this.#version === 5 ? refusalOf(topic) : subscriptionRefused;
      isNew ||= this.#qos === undefined;
      this.#qos = qos === 0 ? 0 : 1;
      return this.#qos;
    });
    const answer = () => {
      this.#send({ cmd: 'suback', messageId, granted });
      if (isNew && this.#state === 'open') this.#host.listening(this);
    };
    // Once a device has its answer, all nodes must be able to find it.
    const known = isNew ? this.#host.register(this) : undefined;
    if (known) known.then(answer, () => this.close(reasons.unspecified));
    else answer();
  }

  #unsubscribe({ messageId, topics }: ClientPacket & { cmd: 'unsubscribe' }): void {
    const granted = topics.map((topic) => {
      if (topic !== this.#login?.topic || this.#qos === undefined) return noSubscription;
      this.#qos = undefined;
      return 0;
    });
    this.#send({ cmd: 'unsuback', messageId, granted });
  }

  /** 5.0, MQTT-3.1.2-24: packets larger than the client accepts are not sent. */
  #isTooLarge(packet: mqtt.Packet): boolean {
    if (this.#maxPacketBytes === Number.POSITIVE_INFINITY) return false;
    return mqtt.generate(packet, { protocolVersion: this.#version }).length > this.#maxPacketBytes;
  }

  /** False when the connection is gone, or is closed now because the client does not read. */
  #send(packet: mqtt.Packet): boolean {
    if (this.#state === 'closed' || this.#socket.destroyed) return false;
    const bytes = mqtt.generate(packet, { protocolVersion: this.#version });
    if (bytes.length <= this.#maxPacketBytes) this.#socket.write(bytes);
    if (this.#socket.writableLength <= limits.bufferedBytes) return true;
    this.#socket.destroy();
    this.close();
    return false;
  }
}

/** The reason code of SUBACK for a filter other than the device's own topic. CONNACK has announced the same. */
function refusalOf(filter: string): number {
  if (filter.startsWith('$share/')) return reasons.sharedNotSupported;
  if (!/[+#]/.test(filter)) return reasons.notAuthorized;
  // A wildcard stands for whole levels, and # only at the end (5.0, 4.7.1).
  const isWellFormed = /^(?:[^+#/]*\/|\+\/)*(?:[^+#/]*|\+|#)$/.test(filter);
  return isWellFormed ? reasons.wildcardsNotSupported : reasons.filterInvalid;
}
