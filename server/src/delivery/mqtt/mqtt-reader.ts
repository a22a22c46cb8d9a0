import { MqttFault, reasons } from './mqtt-fault.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const publishType = 3;

const none = Buffer.alloc(0);

/** One whole control packet: the fixed header's first byte, and the part after the length. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly body: Buffer;
}

/** Splits what a client sends into packets. Holds what is not read yet: at most one packet, and what came with its end. */
export class Framer {
  /** The largest size of a whole packet. */
  maxBytes: number;
  /** What has come, from `#start` to `#end`. */
  #bytes: Buffer = none;
  #start = 0;
  #end = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  push(bytes: Buffer): void {
    const held = this.#end - this.#start;
    if (this.#end + bytes.length > this.#bytes.length) {
      // It grows by half at least, so that a packet which comes byte by byte is not copied as often.
      const grown = Math.max(held + bytes.length, this.#start === 0 ? Math.floor(held * 1.5) : 0);
      const room = Buffer.allocUnsafeSlow(grown);
      this.#bytes.copy(room, 0, this.#start, this.#end);
      [this.#bytes, this.#start, this.#end] = [room, 0, held];
    }
    // A copy: a slice would keep the socket's whole chunk alive.
    bytes.copy(this.#bytes, this.#end);
    this.#end += bytes.length;
  }

  /**
   * The next whole packet, if it is there.
   *
   * @throws MqttFault for a length that is too large or malformed
   */
  next(): Frame | undefined {
    const found = this.#first(this.#bytes.subarray(this.#start, this.#end));
    if (!found) return undefined;
    const { end, ...frame } = found;
    this.#start += end;
    // Between packets, a connection holds nothing.
    if (this.#start === this.#end) [this.#bytes, this.#start, this.#end] = [none, 0, 0];
    return frame;
  }

  #first(bytes: Buffer): (Frame & { readonly end: number }) | undefined {
    if (bytes.length > 0) assertHeader(bytes.readUInt8(0));
    let length = 0;
    for (let index = 1; index < bytes.length; index++) {
      const byte = bytes.readUInt8(index);
      length += (byte & 0x7f) * 128 ** (index - 1);
      if (byte < 0x80) {
        const [start, end] = [index + 1, index + 1 + length];
        if (end > this.maxBytes) throw new MqttFault(reasons.packetTooLarge);
        if (end > bytes.length) return undefined;
        const first = bytes.readUInt8(0);
        return { type: first >> 4, flags: first & 0x0f, body: bytes.subarray(start, end), end };
      }
      if (index === 4) throw new MqttFault(reasons.malformed);
    }
    return undefined;
  }
}

/** 5.0, table 2-2: fixed flags of every type but PUBLISH, 2 for PUBREL, SUBSCRIBE and UNSUBSCRIBE. Type 0 is not in use. */
function assertHeader(first: number): void {
  const [type, flags] = [first >> 4, first & 0x0f];
  const isRight = type === publishType ? (flags & 6) !== 6 : type > 0 && flags === ([6, 8, 10].includes(type) ? 2 : 0);
  if (!isRight) throw new MqttFault(reasons.malformed);
}

/** Property identifiers and types of MQTT 5.0, table 2-4, that clients may send. */
const properties = {
  1: ['payloadFormatIndicator', 'flag'],
  2: ['messageExpiryInterval', 'four'],
  3: ['contentType', 'text'],
  8: ['responseTopic', 'text'],
  9: ['correlationData', 'binary'],
  11: ['subscriptionIdentifier', 'variable'],
  17: ['sessionExpiryInterval', 'four'],
  21: ['authenticationMethod', 'text'],
  22: ['authenticationData', 'binary'],
  23: ['requestProblemInformation', 'flag'],
  24: ['willDelayInterval', 'four'],
  25: ['requestResponseInformation', 'flag'],
  31: ['reasonString', 'text'],
  33: ['receiveMaximum', 'two'],
  34: ['topicAliasMaximum', 'two'],
  35: ['topicAlias', 'two'],
  38: ['userProperty', 'pair'],
  39: ['maximumPacketSize', 'four'],
} as const;
export type PropertyName = (typeof properties)[keyof typeof properties][0];
export type Properties = Partial<Record<PropertyName, number | string | Buffer | undefined>>;

/** Reads a packet's body from front to back. Any deviation from MQTT is a fault. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new MqttFault(reasons.malformed);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  two(): number {
    return this.take(2).readUInt16BE();
  }

  binary(): Buffer {
    return this.take(this.two());
  }

  /** 5.0, 1.5.4: well-formed UTF-8 without U+0000. */
  text(): string {
    const bytes = this.binary();
    try {
      const text = utf8.decode(bytes);
      if (!text.includes('\u0000')) return text;
    } catch {
      // Reported below.
    }
    throw new MqttFault(reasons.malformed);
  }

  /** Never 0 (5.0, 2.2.1). */
  packetId(): number {
    const id = this.two();
    if (id === 0) throw new MqttFault(reasons.protocolError);
    return id;
  }

  variable(): number {
    let value = 0;
    for (let index = 0; index < 4; index++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 128 ** index;
      if (byte < 0x80) return value;
    }
    throw new MqttFault(reasons.malformed);
  }

  /** Only these names, each once except for user properties (5.0, 2.2.2.2), which are only checked and skipped. */
  properties(allowed: readonly PropertyName[]): Properties {
    const inner = new Reader(this.take(this.variable()));
    const found: Properties = {};
    while (inner.left > 0) {
      const [name, type] = properties[inner.variable() as keyof typeof properties] ?? [];
      if (name === undefined || !(name === 'userProperty' || allowed.includes(name)))
        throw new MqttFault(reasons.malformed);
      const value = inner.#value(type);
      if (name === 'userProperty') continue;
      if (name in found) throw new MqttFault(reasons.protocolError);
      found[name] = value;
    }
    return found;
  }

  #value(type: (typeof properties)[keyof typeof properties][1]): number | string | Buffer {
    switch (type) {
      case 'two':
        return this.two();
      case 'four':
        return this.take(4).readUInt32BE();
      case 'variable':
        return this.variable();
      case 'text':
        return this.text();
      case 'binary':
        return this.binary();
      case 'flag': {
        const value = this.byte();
        if (value > 1) throw new MqttFault(reasons.protocolError);
        return value;
      }
      case 'pair':
        this.text();
        return this.text();
    }
  }

  /** Nothing may follow the last field. */
  end(): void {
    if (this.left > 0) throw new MqttFault(reasons.malformed);
  }
}
