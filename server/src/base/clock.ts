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
 * that is set forward is followed. A restart adopts either correction. `onSetBack` is called each time it was set back.
 */
export function createSteadyClock(
  { wall, elapsed }: ClockSources = { wall: Date.now, elapsed: () => performance.now() },
  onSetBack: () => void = () => undefined,
): Clock {
  let lastElapsed = elapsed();
  let offset = 0;
  let last = wall();
  return () => {
    const nowElapsed = elapsed();
    const expected = last + (nowElapsed - lastElapsed);
    const read = wall() + offset;
    const isSetBack = read < expected - toleratedMs;
    if (isSetBack) {
      offset += Math.round(expected - read);
      last = Math.round(expected);
    } else last = Math.max(last, read);
    lastElapsed = nowElapsed;
    if (isSetBack) onSetBack();
    return last;
  };
}

/** A moment by both clocks: of a machine that slept, only one has gone on. */
export interface Moment {
  readonly elapsed: number;
  readonly wall: number;
}

export const thisMoment = (): Moment => ({ elapsed: performance.now(), wall: Date.now() });

/** How long ago that was, by the clock that says more, ms. */
export function sinceMoment({ elapsed, wall }: Moment): number {
  return Math.max(performance.now() - elapsed, Date.now() - wall);
}

/** A reading of somebody else's clock. */
export interface Reading {
  /** Epoch milliseconds. */
  readonly time: number;
  /** When it was asked for and when the answer came, by `elapsed`: it was read at some moment between them. */
  readonly asked: number;
  readonly heard: number;
}

/**
 * The time of a clock that several processes share, between two readings of it. The system's clock plays no part, so a process
 * whose system's clock is wrong, or is set while it runs, agrees with the others all the same. If it turns out to be ahead of the
 * shared clock it goes at half speed until both agree, since time never goes back within a process.
 */
export class SharedClock {
  readonly #elapsed: () => number;
  #lastElapsed: number;
  #last: number;
  #ahead = 0;

  constructor(first: Reading, elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
    this.#last = first.time;
    this.#lastElapsed = first.heard;
  }

  readonly now: Clock = () => Math.floor(this.#advance());

  takeReading({ time, asked, heard }: Reading): void {
    const since = this.#elapsed() - heard;
    const now = this.#advance();
    this.#last = Math.max(now, time + since);
    this.#ahead = Math.max(0, now - (time + (heard - asked) + since));
  }

  #advance(): number {
    const elapsed = this.#elapsed();
    const passed = elapsed - this.#lastElapsed;
    const held = Math.min(this.#ahead, passed / 2);
    this.#ahead -= held;
    this.#last += passed - held;
    this.#lastElapsed = elapsed;
    return this.#last;
  }
}

/** The time zone of the machine, used for what belongs to no app. */
export const serviceTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
