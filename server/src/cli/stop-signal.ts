import type { Clock } from '../clock.ts';

/** Where signals come from: the process, or a test. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

export interface StopOptions {
  readonly now: Clock;
  /** Called on the second signal. */
  readonly atOnce: () => void;
}

/** npm, the terminal and the start script each pass on the same Ctrl-C; what comes together is one request to stop. */
const sameRequestMs = 500;

/**
 * Resolves with the first SIGTERM, SIGINT or SIGHUP. A second one means that the graceful stop takes too long.
 */
export function waitForStop(source: SignalSource, { now, atOnce }: StopOptions): Promise<NodeJS.Signals> {
  let firstAt: number | undefined;
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      source.on(signal, () => {
        if (firstAt === undefined) {
          firstAt = now();
          resolve(signal);
        } else if (now() - firstAt >= sameRequestMs) atOnce();
      });
    }
  });
}
