import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import * as packets from 'mqtt-packet';
import { type Connection, openConnection } from '../socket.ts';

export interface TestDevice {
  readonly client: MqttClient;
  /** Payloads so far. */
  readonly messages: string[];
  /** Resolves once this many have come. */
  received(count: number): Promise<void>;
  /** Resolves when the broker has disconnected. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** A device with an ordinary MQTT client; it rejects when it is refused. */
export async function openDevice(port: number, options: IClientOptions = {}): Promise<TestDevice> {
  const client = connect(`${options.ca ? 'mqtts' : 'mqtt'}://localhost:${port}`, {
    protocolVersion: 4,
    reconnectPeriod: 0,
    // The broker listens on IPv4.
    family: 4,
    ...options,
  } as IClientOptions);
  const messages: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  client.on('message', (_topic, payload) => {
    messages.push(payload.toString('utf8'));
    for (const { count, resolve } of waiting) if (messages.length >= count) resolve();
  });
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  client.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
    client.once('close', () => reject(new Error('the broker hung up')));
  });
  return {
    client,
    messages,
    closed,
    received: (count) =>
      new Promise((resolve) => {
        if (messages.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async close() {
      await client.endAsync(true);
    },
  };
}

export interface RawDevice extends Connection {
  write(packet: packets.Packet): void;
}

/** A connection on which a test can write anything. */
export async function openRaw(port: number): Promise<RawDevice> {
  const connection = await openConnection(port);
  return { ...connection, write: (packet) => void connection.socket.write(packets.generate(packet)) };
}
