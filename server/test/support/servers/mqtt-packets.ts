import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { DeviceBroker } from '../../../src/delivery/mqtt/mqtt-device-broker.ts';

/** Packets of MQTT, written byte by byte, and a port for devices that reads them. */

export const topic = 'museum/gate';
export const text = (value: string | Buffer) => {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 255), bytes]);
};
export const four = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
export const bytes = (...parts: readonly (Buffer | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));
export function packet(first: number, ...parts: readonly (Buffer | number)[]): Buffer {
  const body = bytes(...parts);
  const { length } = body;
  return bytes(first, ...(length < 128 ? [length] : [(length & 127) | 128, length >> 7]), body);
}
export const properties = (...parts: readonly (Buffer | number)[]) => {
  const body = bytes(...parts);
  return bytes(body.length, body);
};

export interface Login {
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

export const none = Buffer.alloc(0);
/** User name, password, clean session. */
export const usual = 0xc2;

export function login(change: Login = {}): Buffer {
  const { name = 'MQTT', level = 5, flags = usual, clientId = 'c', will = none, behind = none } = change;
  const { username = text('gate'), password = text('right') } = change;
  const own = level === 5 ? (change.properties ?? properties()) : none;
  return packet(0x10, text(name), level, flags, 0, 60, own, text(clientId), will, username, password, behind);
}
/** A login of MQTT 3.1.1. */
export const old = (change: Login = {}) => login({ level: 4, ...change });
export const hex = (code: number) => code.toString(16).padStart(2, '0');

/** A port at which every device signs in with the password `right`. */
export class RawPort {
  readonly broker: DeviceBroker;
  readonly #sockets: Socket[] = [];

  constructor(broker: DeviceBroker) {
    this.broker = broker;
  }

  /** A connection that says nothing yet. */
  async open() {
    const socket = connectTcp({ host: '127.0.0.1', port: this.broker.port });
    this.#sockets.push(socket);
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

  /** Everything that the service answers until it disconnects. */
  async answerTo(...sent: readonly Buffer[]): Promise<string> {
    const connection = await this.open();
    connection.send(...sent);
    return connection.rest();
  }

  /** A connection that has been let in. */
  async inside(change: Login = {}) {
    const connection = await this.open();
    connection.send(login(change));
    const welcome = await connection.packet();
    assert.match(welcome, /^20..0000/, 'let in');
    return { ...connection, welcome };
  }

  /** Drops what the test has opened. */
  hangUp(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }

  close(): Promise<void> {
    return this.broker.close();
  }
}

export async function openRawPort(): Promise<RawPort> {
  const broker = new DeviceBroker({
    login: async ({ username, password }) =>
      password === 'right' ? { appId: 'app', deviceId: username, topic, version: '1' } : undefined,
    stillValid: async (logins) => new Set(logins),
    now: Date.now,
    pause: async () => undefined,
    onError: (what, error) => assert.fail(`${what}: ${error}`),
  });
  await broker.listen(0, '127.0.0.1');
  return new RawPort(broker);
}
