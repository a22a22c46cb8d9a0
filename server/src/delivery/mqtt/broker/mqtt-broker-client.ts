import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { MqttClient } from 'mqtt';
import { TargetRefused, type TargetRules } from '../../provider/target-rules.ts';

/**
 * A connection to an external broker (Mosquitto, EMQX, NATS), made when it is first needed and again after it broke.
 */

export interface BrokerAddress {
  /** `mqtt://` or `mqtts://`, without credentials. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
}

export class BrokerUnavailable extends Error {}

/** Whether a broker knows only MQTT 3.1.1 (its return code 1, table 3.1). */
export const isTooNew = (error: Error): boolean => 'code' in error && error.code === 1;

const defaultPorts: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883 };

export class BrokerClient {
  readonly #address: BrokerAddress;
  readonly #targets: TargetRules;
  readonly #timeoutMs: number;
  readonly #underWay = new Set<Promise<void>>();
  #connecting: Promise<MqttClient> | undefined;

  constructor(address: BrokerAddress, options: { readonly targets: TargetRules; readonly timeoutMs: number }) {
    this.#address = address;
    this.#targets = options.targets;
    this.#timeoutMs = options.timeoutMs;
  }

  /**
   * Resolves when the broker has acknowledged the message (QoS 1).
   *
   * @throws BrokerUnavailable, or the broker's own refusal as an Error with `code` (5.0 reason code)
   */
  async publish(topic: string, payload: Buffer, seconds: number): Promise<void> {
    const client = await this.connect();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = setTimeout(
      () => reject(new BrokerUnavailable('the broker did not acknowledge the message in time')),
      this.#timeoutMs,
    );
    const lost = () => reject(new BrokerUnavailable('the connection to the broker was lost'));
    client.once('close', lost);
    const options = { qos: 1, properties: { messageExpiryInterval: seconds } } as const;
    client.publish(topic, payload, options, (error) => (error ? reject(error) : resolve()));
    this.#underWay.add(promise);
    try {
      await promise;
    } finally {
      this.#underWay.delete(promise);
      clearTimeout(late);
      client.off('close', lost);
    }
  }

  /** @throws BrokerUnavailable with the broker's or the network's message */
  connect(): Promise<MqttClient> {
    this.#connecting ??= this.#open(5)
      .catch((error: Error) => {
        if (isTooNew(error)) return this.#open(4);
        throw error;
      })
      .catch((error: Error) => {
        this.#connecting = undefined;
        throw new BrokerUnavailable(error.message || 'no connection', { cause: error });
      });
    return this.#connecting;
  }

  async close(): Promise<void> {
    const client = await this.#connecting?.catch(() => undefined);
    await Promise.allSettled(this.#underWay);
    this.#connecting = undefined;
    client?.end(true);
  }

  async #open(protocolVersion: 4 | 5): Promise<MqttClient> {
    // Loaded when an app has a broker: it takes 6 MB.
    const { MqttClient } = await import('mqtt');
    const { username, password } = this.#address;
    const client = new MqttClient(() => this.#socket(), {
      protocolVersion,
      clean: true,
      // The outbox retries; a message that waited in here would be lost from view.
      reconnectPeriod: 0,
      connectTimeout: this.#timeoutMs,
      keepalive: 30,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    });
    // More than ten publish at once.
    client.setMaxListeners(0);
    return new Promise((resolve, reject) => {
      let why = new Error('the broker closed the connection');
      client.on('error', (error) => {
        why = error;
        client.end(true);
      });
      client.on('connect', () => {
        client.on('close', () => {
          this.#connecting = undefined;
        });
        resolve(client);
      });
      client.on('close', () => {
        client.end(true);
        reject(why);
      });
    });
  }

  #socket(): Socket {
    const { protocol, hostname, port } = new URL(this.#address.url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const refusal = this.#targets.refusalOfAddress(host);
    if (refusal !== undefined) throw new TargetRefused(refusal);
    const target = {
      host,
      port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
      lookup: this.#targets.lookup,
    };
    if (protocol !== 'mqtts:') return connectTcp(target);
    return connectTls({ ...target, ...(isIP(host) === 0 ? { servername: host } : {}) });
  }
}
