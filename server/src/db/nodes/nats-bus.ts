import { connect, type NatsConnection } from '@nats-io/transport-node';
import { type Bus, type BusMessage, Gatherer, maxGathered, readMessage } from './bus.ts';

export interface NatsBusOptions {
  /** `nats://user:password@host:4222`, or `tls://…`; several joined by commas. */
  readonly url: string;
  /** Nodes on one database share it: what others say on the same server is not heard. */
  readonly subject: string;
  /** Called when the connection is lost or cannot be made, at most once until it is back. */
  readonly onTrouble: (error: unknown) => void;
}

const maxMessage = 262_144;
const retryMs = 1_000;
/** A server that takes the connection and says nothing is as good as none. */
const connectMs = 5_000;

/** A bus over a NATS server: plain publish and subscribe, without anything that is stored. Connects in the background. */
export class NatsBus implements Bus {
  readonly #options: NatsBusOptions;
  readonly #listeners: ((message: BusMessage) => void)[] = [];
  readonly #connected: (() => void)[] = [];
  #connection: NatsConnection | undefined;
  #isConnected = false;
  #isClosed = false;
  readonly #gatherer = new Gatherer((messages) => this.#send(messages));
  readonly #closed = Promise.withResolvers<undefined>();

  constructor(options: NatsBusOptions) {
    this.#options = options;
    void this.#open();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  tell(message: BusMessage): void {
    if (this.#isConnected) this.#gatherer.add(message);
  }

  onMessage(listener: (message: BusMessage) => void): void {
    this.#listeners.push(listener);
  }

  onConnected(listener: () => void): void {
    this.#connected.push(listener);
    if (this.#isConnected) listener();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#gatherer.clear();
    this.#isConnected = false;
    await this.#connection?.close().catch(() => undefined);
    // A first connection that is still being made ends by itself: a server that stands still must not hold up the stop.
    this.#closed.resolve(undefined);
  }

  async #open(): Promise<void> {
    const { servers, ...credentials } = readAddress(this.#options.url);
    const options = {
      servers,
      ...credentials,
      noEcho: true,
      maxReconnectAttempts: -1,
      // A slow server refuses, too: whoever is refused twice would never be let in again.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: retryMs,
      timeout: connectMs,
    };
    for (let isReported = false; !this.#isClosed; ) {
      try {
        this.#connection = await connect({ ...options, name: 'pharos', pingInterval: 10_000, maxPingOut: 2 });
        break;
      } catch (error) {
        if (!isReported) this.#options.onTrouble(error);
        isReported = true;
        await Promise.race([this.#closed.promise, wait(retryMs)]);
      }
    }
    if (!this.#connection) return;
    if (this.#isClosed) return void (await this.#connection.close().catch(() => undefined));
    this.#connection.subscribe(this.#options.subject, {
      callback: (error, message) => {
        if (!error && message.data.length <= maxMessage) this.#hear(message.data);
      },
    });
    this.#begin();
    void this.#follow(this.#connection);
  }

  #begin(): void {
    this.#isConnected = true;
    for (const listener of this.#connected) listener();
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (this.#isClosed) return;
      if (status.type === 'disconnect') {
        // The client would queue messages sent now, and send them when they are long outdated.
        this.#isConnected = false;
        this.#options.onTrouble(new Error('The connection to the bus was lost.'));
      } else if (status.type === 'reconnect') this.#begin();
    }
  }

  #send(messages: readonly BusMessage[]): void {
    if (!this.#isConnected) return;
    try {
      this.#connection?.publish(this.#options.subject, JSON.stringify(messages));
    } catch {
      // It was lost in between: others find it in the database.
    }
  }

  #hear(data: Uint8Array): void {
    const messages = parse(data);
    for (const value of messages.slice(0, maxGathered)) {
      const message = readMessage(value);
      if (message) for (const listener of this.#listeners) listener(message);
    }
  }
}

const wait = (ms: number) => new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), ms).unref());

function parse(data: Uint8Array): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(data).toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Servers without credentials, and the credentials of the first that has some: a token, or a name with a password. */
function readAddress(text: string) {
  const urls = text.split(',').map((part) => new URL(part.trim()));
  const servers = urls.map(({ host }) => host);
  const known = urls.find(({ username }) => username !== '');
  const [user, pass] = [known?.username ?? '', known?.password ?? ''].map(decodeURIComponent);
  return {
    servers,
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
    ...(user ? (pass ? { user, pass } : { token: user }) : {}),
  };
}
