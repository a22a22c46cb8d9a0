import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer, Server as TlsServer } from 'node:tls';
import { BoundedMap } from '../../base/caches/bounded-map.ts';
import { countDown } from '../../base/caches/count-down.ts';
import { randomText } from '../../base/id.ts';
import { type ConnectionHost, type Credentials, DeviceConnection, type DeviceLogin } from './mqtt-connection.ts';
import { reasons } from './mqtt-fault.ts';
import type { Published } from './mqtt-in-flight.ts';

/** Wrong passwords that are refused at once: somebody mistypes, or a device was given a new one. */
const freeFailures = 5;
const firstPauseMs = 250;
/** Shorter than the time that a connection has for its login. */
const maxPauseMs = 3_000;

/**
 * Slows down somebody who guesses passwords, and nobody else: each wrong one is refused later than the one before, counted
 * for the name that was tried and for the address. A right password is never delayed, so a site behind one address keeps
 * working beside a device with a wrong one. At most `capacity` names and addresses are remembered; the oldest are dropped
 * first.
 */
export class FailedLogins {
  readonly #failures: BoundedMap<string, { count: number; until: number }>;
  readonly #windowMs: number;

  constructor(windowMs: number, capacity = 10_000) {
    this.#windowMs = windowMs;
    this.#failures = new BoundedMap(capacity);
  }

  /** Counts a wrong password. Returns the delay (ms) before it is refused. */
  note({ username, address }: { readonly username: string; readonly address: string }, now: number): number {
    const count = Math.max(this.#count(`name ${username.slice(0, 256)}`, now), this.#count(`address ${address}`, now));
    return count <= freeFailures ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** (count - freeFailures - 1));
  }

  #count(key: string, now: number): number {
    const known = this.#failures.get(key);
    if (known && known.until > now) return ++known.count;
    this.#failures.delete(key);
    this.#failures.set(key, { count: 1, until: now + this.#windowMs });
    return 1;
  }
}

/**
 * The port where devices connect by MQTT to get their messages, and gateways to say what they hear. It is not a general
 * broker: nothing is stored, nothing is passed between clients, and a device receives only its own topic. Messages wait in
 * the outbox, not here.
 */

/** Who logs in; undefined if the login is refused. */
export type LetIn = (who: Credentials & { readonly address: string }) => Promise<DeviceLogin | undefined>;

/** Certificate and key in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

export interface DeviceBrokerOptions {
  readonly login: LetIn;
  /** Returns those of these logins that are still valid; asked for a few hundred at a time. */
  readonly stillValid: (logins: readonly DeviceLogin[]) => Promise<ReadonlySet<DeviceLogin>>;
  readonly now: () => number;
  readonly onError: (what: string, error: unknown) => void;
  readonly tls?: TlsIdentity;
  readonly maxConnections?: number;
  readonly maxPerAddress?: number;
  /** Where several nodes have devices. */
  readonly routes?: DeviceRoutes;
  /** Waits before a wrong password is refused, ms; for tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const defaults = { maxConnections: 10_000, maxPerAddress: 1_000, pause: (ms: number): Promise<unknown> => delay(ms) };
const failureWindowMs = 600_000;
const checkEveryMs = 60_000;
const checkSize = 300;

const topicKey = (appId: string, topic: string) => `${appId} ${topic}`;
const deviceKey = ({ appId, deviceId }: Pick<DeviceLogin, 'appId' | 'deviceId'>) => `${appId} ${deviceId}`;

/** Knows on which of several nodes devices listen, and takes messages there. */
export interface DeviceRoutes {
  /**
   * The device listens here from now on, by a connection called `session`. When this rejects, nobody would find the device here,
   * and it must reconnect.
   */
  began(login: DeviceLogin, session: string): Promise<void>;
  /** It no longer does; never rejects. */
  ended(login: DeviceLogin, session: string): Promise<void>;
  /** To every device of the app that listens to the topic, here or elsewhere. */
  publish(message: DeviceMessage): Promise<Published>;
}

export interface DeviceMessage {
  /** Stays the same when the message is sent again. */
  readonly id: string;
  readonly appId: string;
  readonly topic: string;
  readonly payload: Buffer;
  readonly timeoutMs: number;
  /** Seconds for which it is still useful. */
  readonly seconds: number;
}

export class DeviceBroker {
  readonly #options: DeviceBrokerOptions & typeof defaults;
  readonly #server: Server;
  readonly #all = new Set<DeviceConnection>();
  readonly #byDevice = new Map<string, DeviceConnection>();
  readonly #byTopic = new Map<string, Set<DeviceConnection>>();
  /** Listening connections by the session name that `routes` know. */
  readonly #bySession = new Map<string, DeviceConnection>();
  readonly #sessions = new WeakMap<DeviceConnection, string>();
  /** What was reported to `routes` and is not written yet. */
  readonly #noting = new Set<Promise<void>>();
  readonly #perAddress = new Map<string, number>();
  readonly #failures = new FailedLogins(failureWindowMs);
  readonly #listeners: ((appId: string, topic: string) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  /** The app whose devices are to be checked; undefined: all. */
  readonly #toCheck = new Set<string | undefined>();

  constructor(options: DeviceBrokerOptions) {
    this.#options = { ...defaults, ...options };
    const accept = (socket: Socket) => this.#accept(socket);
    this.#server = options.tls
      ? createTlsServer({ ...options.tls, handshakeTimeout: 5_000 }, accept)
      : createServer(accept);
    this.#server.maxConnections = this.#options.maxConnections;
    // Node leaves a connection open whose handshake takes too long.
    this.#server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());
  }

  /** Who connects from now on sees this one. */
  useCertificate(tls: TlsIdentity): void {
    if (this.#server instanceof TlsServer) this.#server.setSecureContext(tls);
  }

  async listen(port: number, host: string): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.#server.on('error', (error) => this.#options.onError('accepting devices', error));
    this.#timer = setInterval(() => void this.check(), checkEveryMs);
    this.#timer.unref();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#all.size;
  }

  /** Calls the listener when a device begins to listen, to send what has been waiting for it. */
  onListening(listener: (appId: string, topic: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Passes a message to every device of the app that listens to the topic; `acknowledged` when all of them have it. */
  async publish(message: DeviceMessage): Promise<Published> {
    if (this.#options.routes) return this.#options.routes.publish(message);
    const { appId, topic, payload, ...until } = message;
    const connections = [...(this.#byTopic.get(topicKey(appId, topic)) ?? [])];
    const results = await Promise.all(connections.map((connection) => connection.publish(payload, until)));
    const worst = results.find((result) => result !== 'acknowledged');
    return worst ?? results[0] ?? 'absent';
  }

  /** The same to one connection of this node. */
  async publishTo(
    session: string,
    payload: Buffer,
    until: { readonly timeoutMs: number; readonly seconds: number },
  ): Promise<Published> {
    return (await this.#bySession.get(session)?.publish(payload, until)) ?? 'absent';
  }

  /** The device of this connection has moved to another node. */
  takeOver(session: string): void {
    this.#bySession.get(session)?.takeOver();
  }

  /** Disconnects every device (of an app) whose credentials or topic have changed, here or on another node. */
  check(appId?: string): Promise<void> {
    this.#toCheck.add(appId);
    this.#checking ??= this.#checkWhatIsNew();
    return this.#checking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const closed = this.#server.listening ? once(this.#server, 'close') : Promise.resolve();
    this.#server.close();
    for (const connection of this.#all) connection.close(reasons.shuttingDown);
    await closed;
    await Promise.all(this.#noting);
  }

  async #checkWhatIsNew(): Promise<void> {
    try {
      while (this.#toCheck.size > 0) {
        const apps = new Set(this.#toCheck);
        this.#toCheck.clear();
        const isAsked = ({ login }: DeviceConnection) => apps.has(undefined) || apps.has(login?.appId);
        await this.#checkAll([...this.#byDevice.values()].filter(isAsked));
      }
    } catch (error) {
      this.#options.onError('checking the credentials of connected devices', error);
    } finally {
      this.#checking = undefined;
    }
  }

  async #checkAll(open: readonly DeviceConnection[]): Promise<void> {
    for (let start = 0; start < open.length; start += checkSize) {
      const part = open.slice(start, start + checkSize);
      const valid = await this.#options.stillValid(part.flatMap(({ login }) => login ?? []));
      for (const connection of part) if (!connection.login || !valid.has(connection.login)) connection.revoke();
    }
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const count = this.#perAddress.get(address) ?? 0;
    if (count >= this.#options.maxPerAddress) {
      socket.destroy();
      return;
    }
    this.#perAddress.set(address, count + 1);
    socket.once('close', () => countDown(this.#perAddress, address));
    this.#all.add(new DeviceConnection(socket, this.#hostOf(address)));
  }

  #hostOf(address: string): ConnectionHost {
    return {
      login: async (credentials) => {
        const { login, now, pause } = this.#options;
        const found = await login({ ...credentials, address });
        if (!found) await pause(this.#failures.note({ username: credentials.username, address }, now()));
        return found;
      },
      entered: (connection) => this.#enter(connection),
      register: (connection) => this.#register(connection),
      listening: (connection) => this.#listen(connection),
      closed: (connection) => this.#leave(connection),
    };
  }

  #enter(connection: DeviceConnection): void {
    const { login } = connection;
    if (!login) return;
    const before = this.#byDevice.get(deviceKey(login));
    this.#byDevice.set(deviceKey(login), connection);
    before?.takeOver();
  }

  #listen(connection: DeviceConnection): void {
    const { login } = connection;
    if (!login) return;
    const key = topicKey(login.appId, login.topic);
    const known = this.#byTopic.get(key) ?? new Set();
    this.#byTopic.set(key, known.add(connection));
    for (const listener of this.#listeners) listener(login.appId, login.topic);
  }

  /** Records where the device is, before anybody is told to look for it. */
  #register(connection: DeviceConnection): Promise<void> | undefined {
    const { login } = connection;
    const { routes } = this.#options;
    if (!login || !routes) return undefined;
    const session = this.#sessions.get(connection) ?? randomText(16);
    this.#sessions.set(connection, session);
    this.#bySession.set(session, connection);
    const known = routes.began(login, session).then(async () => {
      // It has left in the meantime.
      if (!this.#bySession.has(session)) await routes.ended(login, session);
    });
    this.#note(known);
    return known;
  }

  #note(work: Promise<void>): void {
    const noted = work
      .catch((error) => this.#options.onError('noting where a device listens', error))
      .finally(() => this.#noting.delete(noted));
    this.#noting.add(noted);
  }

  #leave(connection: DeviceConnection): void {
    this.#all.delete(connection);
    const { login } = connection;
    if (!login) return;
    if (this.#byDevice.get(deviceKey(login)) === connection) this.#byDevice.delete(deviceKey(login));
    const session = this.#sessions.get(connection);
    if (session !== undefined && this.#bySession.delete(session) && this.#options.routes)
      this.#note(this.#options.routes.ended(login, session));
    const key = topicKey(login.appId, login.topic);
    const listening = this.#byTopic.get(key);
    listening?.delete(connection);
    if (listening?.size === 0) this.#byTopic.delete(key);
  }
}
