import type { CacheName } from './cache-version.ts';

/**
 * What nodes tell one another. All of it is a hint: a node that misses a message finds the same in the database at its next poll
 * (`Poller`), and one that gets it twice, late or forged only polls once too often.
 */
export type BusMessage =
  /** A change was committed of what caches hold of an app; `n` counts them. */
  | { readonly kind: 'change'; readonly name: CacheName; readonly n: number; readonly appId: string }
  /** Jobs of these kinds may be due. */
  | { readonly kind: 'jobs'; readonly kinds: readonly string[] }
  /** Something of an app was committed that somebody may listen to. */
  | { readonly kind: 'live'; readonly appId: string }
  /** Something about devices waits for this node. */
  | { readonly kind: 'devices'; readonly node: string };

export interface Bus {
  /** Tells all other nodes; never throws, and says nothing while there is no connection. */
  tell(message: BusMessage): void;
  onMessage(listener: (message: BusMessage) => void): void;
  /** Calls the listener when there is a connection again: messages sent in between were missed. */
  onConnected(listener: () => void): void;
  readonly isConnected: boolean;
  close(): Promise<void>;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 200;

/** What a message says; undefined for what this version does not know. */
export function readMessage(value: unknown): BusMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, name, n, appId, kinds, node } = value as Record<string, unknown>;
  if (kind === 'change' && (name === 'access' || name === 'site') && Number.isSafeInteger(n) && isText(appId))
    return { kind, name, n: n as number, appId };
  if (kind === 'jobs' && Array.isArray(kinds) && kinds.length <= 100 && kinds.every(isText)) return { kind, kinds };
  if (kind === 'live' && isText(appId)) return { kind, appId };
  if (kind === 'devices' && isText(node)) return { kind, node };
  return undefined;
}

/** Messages that come together are sent together, ms. */
const gatherMs = 5;
/** More than this is not gathered: the other nodes then find it a little later. */
export const maxGathered = 500;

/** Gathers messages for a moment, each once, and sends them together. */
export class Gatherer {
  readonly #send: (messages: readonly BusMessage[]) => void;
  readonly #gathered = new Map<string, BusMessage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (messages: readonly BusMessage[]) => void) {
    this.#send = send;
  }

  add(message: BusMessage): void {
    if (this.#gathered.size >= maxGathered) return;
    this.#gathered.set(JSON.stringify(message), message);
    this.#timer ??= setTimeout(() => {
      const messages = [...this.#gathered.values()];
      this.clear();
      this.#send(messages);
    }, gatherMs).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gathered.clear();
  }
}
