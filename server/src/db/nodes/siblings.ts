/** The other processes of one service (`pharos serve --processes N`), reached through the one that has started them. */
export interface Siblings {
  /** Of this process: 1 for the first, and never used twice while the service runs. */
  readonly number: number;
  /** How many there should be, with this one. */
  readonly count: number;
  /** Says something to all others, or to one. Never throws; a process that has just ended does not hear it. */
  tell(topic: string, content: unknown, to?: number): void;
  onMessage(topic: string, listener: (content: unknown, from: number) => void): void;
  /** Tells whoever has started this process that it serves. */
  started(): void;
  /** Resolves when that process is asked to stop. A signal would count as the second one where a terminal or systemd signals all. */
  readonly stopped: Promise<'SIGTERM'>;
}

/** What processes send to the one that has started them, which passes it on. */
export interface Letter {
  readonly topic: string;
  readonly from: number;
  /** Undefined: for all others. */
  readonly to?: number | undefined;
  readonly content?: unknown;
}

export const startedTopic = 'started';
export const stopTopic = 'stop';

/** Undefined in a process that serves alone, or that only starts others. */
export async function findSiblings(count: number): Promise<Siblings | undefined> {
  // Without a channel it is nobody's child, and need not load more to know it.
  if (!process.channel) return undefined;
  const { default: cluster } = await import('node:cluster');
  if (!cluster.worker) return undefined;
  const number = cluster.worker.id;
  const send = (letter: Letter) => {
    if (process.connected) process.send?.(letter, undefined, undefined, () => undefined);
  };
  const listeners = new Map<string, (content: unknown, from: number) => void>();
  process.on('message', ({ topic, content, from }: Letter) => listeners.get(topic)?.(content, from));
  return {
    ...{ number, count },
    tell: (topic, content, to) => send({ topic, content, from: number, to }),
    onMessage: (topic, listener) => void listeners.set(topic, listener),
    started: () => send({ topic: startedTopic, from: number }),
    stopped: new Promise((resolve) => void listeners.set(stopTopic, () => resolve('SIGTERM'))),
  };
}
