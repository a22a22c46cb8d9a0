/** Epoch milliseconds. Injected, so that tests can let time pass without waiting. */
export type Clock = () => number;

/** Corrections of less than this are left to the system, which makes them in small steps. */
const toleratedMs = 1_000;

export interface ClockSources {
  /** Epoch milliseconds; may be set back at any time. */
  readonly wall: Clock;
  /** Milliseconds since any moment; never goes back. */
  readonly elapsed: () => number;
}

/**
 * The time of this process: the system's, but when that is set back it goes on as if it had not been. What waits for a
 * moment would else wait for as long as the clock was set back. A clock that is set forward is followed; a restart follows
 * it back too.
 *
 * `reference` (epoch milliseconds) is the time of a database that several nodes share: where the system is behind it when the
 * process starts, the database is right, so that no node takes what the others wrote for something of the future.
 */
export function createSteadyClock(
  reference?: number,
  { wall, elapsed }: ClockSources = { wall: Date.now, elapsed: () => performance.now() },
): Clock {
  let lastElapsed = elapsed();
  let offset = 0;
  let last = wall();
  if (reference !== undefined && reference - last > toleratedMs) {
    offset = reference - last;
    last = reference;
  }
  return () => {
    const nowElapsed = elapsed();
    const expected = last + (nowElapsed - lastElapsed);
    const told = wall() + offset;
    if (told < expected - toleratedMs) {
      offset += Math.round(expected - told);
      last = Math.round(expected);
    } else last = Math.max(last, told);
    lastElapsed = nowElapsed;
    return last;
  };
}
