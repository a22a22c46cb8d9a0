/** Calls a running service over HTTP, for the commands that are its clients. */

import { secretHash } from '../../access/access.ts';

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the service answers is its interface, which the callers know
  readonly body: any;
}

export interface CommandClock {
  readonly now: () => number;
  /** Resolves after `ms` milliseconds, or at once when `stop` is aborted. */
  readonly wait: (ms: number) => Promise<void>;
  /** Aborted when the person at the terminal wants to stop. */
  readonly stop: AbortSignal;
}

export interface ClientOptions {
  readonly url: string;
  readonly appId: string;
  readonly appKey: string;
  readonly token: string | undefined;
  readonly pace: CommandClock;
}

/** The service does not answer, or its answer is not usable for this command. The message says what to do. */
export class ServiceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServiceError';
  }
}

const requestTimeoutMs = 15_000;
const maxPauseMs = 5_000;
const again = new Set([429, 502, 503, 504]);

export class ServiceClient {
  /** How often something had to be sent again: the call limit, a restart, a broken connection. */
  retries = 0;
  readonly #options: ClientOptions;
  /** Until then nobody knows whether there is a service at all. */
  #hasAnswered = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get hasToken(): boolean {
    return this.#options.token !== undefined;
  }

  /** One try. @throws ServiceError when the service does not answer or the credentials are wrong */
  async once(method: string, path: string, body?: object): Promise<Reply> {
    const { url, appId, appKey, token } = this.#options;
    const headers = {
      'x-service-appid': appId,
      'x-service-appkey': appKey,
      // Of all pretended phones of this app; an app may require that phones have one.
      'installation-secret': secretHash(`pretended phones ${appKey}`),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const response = await this.#fetch(`${url}/api/v2${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const reply: Reply = { status: response.status, body: await this.#read(response) };
    this.#hasAnswered = true;
    if (reply.body?.code === 902 || reply.body?.code === 903)
      throw new ServiceError('The service does not accept this app id and key. See: pharos app list');
    if (again.has(reply.status)) throw new Busy(Number(response.headers.get('retry-after') ?? 0) * 1000);
    return reply;
  }

  async #fetch(url: string, how: RequestInit): Promise<Response> {
    try {
      return await fetch(url, how);
    } catch (error) {
      throw new Unreachable(this.#options.url, error);
    }
  }

  async #read(response: Response): Promise<unknown> {
    const { url } = this.#options;
    const text = await response.text().catch((error: unknown) => {
      throw new Unreachable(url, error);
    });
    try {
      return text === '' ? undefined : JSON.parse(text);
    } catch {
      throw new ServiceError(`The answer from ${url} is not from Pharos. Check --url.`);
    }
  }

  /**
   * Tries until it gets an answer, through call limits and, once the service has answered, through its restarts;
   * undefined when it was stopped. The body is made again for each try, since it may contain the time of sending.
   *
   * @throws ServiceError when no service has ever answered
   */
  async patiently(method: string, path: string, body?: () => object): Promise<Reply | undefined> {
    const { pace } = this.#options;
    for (let tries = 0; ; tries++) {
      try {
        return await this.once(method, path, body?.());
      } catch (error) {
        if (!(error instanceof Busy || (error instanceof Unreachable && this.#hasAnswered))) throw error;
        if (pace.stop.aborted) return undefined;
        this.retries++;
        const pause = Math.min(maxPauseMs, 250 * 2 ** tries);
        await pace.wait(error instanceof Busy ? Math.max(pause, error.retryAfterMs) : pause);
        if (pace.stop.aborted) return undefined;
      }
    }
  }

  /** Works on all items, a few at a time, until it is stopped. */
  async forEach<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < items.length; index = next++) {
        if (this.#options.pace.stop.aborted) return;
        await work(items[index] as T, index);
      }
    };
    await Promise.all(Array.from({ length: Math.min(8, items.length) }, worker));
  }
}

class Busy extends ServiceError {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('The service accepts no more requests at the moment. Try again later.');
    this.retryAfterMs = Number.isFinite(retryAfterMs) ? retryAfterMs : 0;
  }
}

class Unreachable extends ServiceError {
  constructor(url: string, cause: unknown) {
    super(`No service answers at ${url}. Start it with npm start, or name its address with --url.`);
    this.cause = cause;
  }
}

/** The service's message about a request that it refused. */
export function refusal({ status, body }: Reply): string {
  return String(body?.error?.error ?? `answered with status ${status}`);
}
