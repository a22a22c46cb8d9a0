import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../errors.ts';

const firstPauseMs = 100;
const maxPauseMs = 500;
/** A database that is away for longer has taken more with it than what this could save. */
const patienceMs = 120_000;

/** The storage cannot do this now; nothing is wrong with what it was asked. */
const isPassing = (error: unknown): boolean => error instanceof Failure && error.entry.status === 503;

/**
 * Repeats what must not get lost because the storage cannot take it now: what has been sent cannot be taken back, and would be sent
 * again if nobody knew of it. `work` must not mind being repeated after an outcome that is unknown.
 */
export async function untilStored<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, maxPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error;
    }
    await delay(pause, undefined, { ref: false });
  }
}
