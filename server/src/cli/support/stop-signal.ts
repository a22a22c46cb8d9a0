import type { Clock } from '../../base/clock.ts';

/** `disconnect`: the process that started this one, and watched over it through a channel, is gone. */
const stopEvents = ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'] as const;
export type StopEvent = (typeof stopEvents)[number];

/** The source of signals: the process, or a test. */
export interface SignalSource {
  on(event: StopEvent, listener: () => void): unknown;
}

export interface StopOptions {
  readonly now: Clock;
  /** Called on the second signal. */
  readonly atOnce: () => void;
}

/**
 * npm, the terminal and the start script each pass on the same Ctrl-C; signals that arrive together are one request to
 * stop.
 */
const sameRequestMs = 500;

/** Resolves with the first request to stop. A second one means that the graceful stop takes too long. */
export function waitForStop(source: SignalSource, { now, atOnce }: StopOptions): Promise<StopEvent> {
  let firstAt: number | undefined;
  return new Promise((resolve) => {
    for (const signal of stopEvents) {
      source.on(signal, () => {
        if (firstAt === undefined) {
          firstAt = now();
          resolve(signal);
        } else if (now() - firstAt >= sameRequestMs) atOnce();
      });
    }
  });
}

/** Work that the first request to stop ends early, and a second one at once. */
export async function stoppable<T>(
  work: (signal: AbortSignal) => Promise<T>,
  source: Pick<NodeJS.EventEmitter, 'on' | 'off'> = process,
): Promise<T> {
  const controller = new AbortController();
  const added: (readonly [StopEvent, () => void])[] = [];
  const on = (event: StopEvent, listener: () => void) => {
    added.push([event, listener]);
    source.on(event, listener);
  };
  void waitForStop({ on }, { now: Date.now, atOnce: () => process.exit(1) }).then(() =>
    controller.abort(new Error('It was stopped, and what it had written is removed.')),
  );
  try {
    return await work(controller.signal);
  } finally {
    for (const [event, listener] of added) source.off(event, listener);
  }
}
