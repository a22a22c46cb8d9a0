import { ProviderClient, type ProviderClientOptions } from './provider-client.ts';

const maxKept = 200;

/** A client for each origin, for providers with many origins. The least recently used ones close. */
export class ProviderClients {
  readonly #options: (origin: string) => ProviderClientOptions;
  readonly #clients = new Map<string, ProviderClient>();

  constructor(options: (origin: string) => ProviderClientOptions) {
    this.#options = options;
  }

  of(origin: string): ProviderClient {
    const client = this.#clients.get(origin) ?? new ProviderClient(this.#options(origin));
    this.#clients.delete(origin);
    this.#clients.set(origin, client);
    if (this.#clients.size > maxKept) this.#closeOne(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  /** The least recently used one without calls in progress; `except` is about to be used. */
  #closeOne(except: ProviderClient): void {
    for (const [origin, client] of this.#clients) {
      if (client.busy > 0 || client === except) continue;
      this.#clients.delete(origin);
      void client.close();
      return;
    }
  }
}
