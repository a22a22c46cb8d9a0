/** Epoch milliseconds. Injected, so that tests can advance time without waiting. */
export type Clock = () => number;

/** Smaller corrections are left to the system, which makes them in small steps. */
const toleratedMs = 1_000;

export interface ClockSources {
  /** Epoch milliseconds; may be set back at any time. */
  readonly wall: Clock;
  /** Milliseconds since some fixed moment; never goes back. */
  readonly elapsed: () => number;
}

/**
 * The time of this process: the system's, except that when the system's clock is set back, this one continues as if it
 * had not been. Otherwise, anything waiting for a given time would wait longer by as much as the clock was set back. A clock
 * that is set forward is followed. A restart adopts either correction.
 *
 * `reference` (epoch milliseconds) is the time of a database that several nodes share. If the system is behind it when
 * the process starts, the database is right, so that no node takes the others' writes for something in the future.
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

/** The time zone of the machine, used for what belongs to no app. */
export const serviceTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
