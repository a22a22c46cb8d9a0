import { type Clock, type ClockSources, createSteadyClock, SharedClock } from '../../base/clock.ts';
import { raw } from '../../base/sql.ts';
import type { Database } from '../db.ts';
import type { PollerSource } from './poller.ts';

/** A greater difference is reported to the operator; NTP keeps machines within some milliseconds. */
const noticedMs = 10_000;

/**
 * The one time of all nodes of a database: that of the database. Leases, deadlines and ids are compared between nodes, so what counts is
 * that all have the same time, and the database is the only clock that all of them can ask.
 */
export class SharedTime {
  readonly #clock: SharedClock;
  readonly now: Clock;
  #tell: (warning: string | undefined) => void = () => undefined;
  #isReported = false;

  private constructor(clock: SharedClock) {
    this.#clock = clock;
    this.now = clock.now;
  }

  static async ask(time: () => Promise<number>): Promise<SharedTime> {
    const asked = performance.now();
    const answer = await time();
    return new SharedTime(new SharedClock({ time: answer, asked, heard: performance.now() }));
  }

  readonly source: PollerSource = {
    ask: () => {
      const asked = performance.now();
      return {
        value: raw('floor(extract(epoch from clock_timestamp()) * 1000)::bigint'),
        hear: (answer) => {
          if (answer === null) return;
          this.#clock.takeReading({ time: answer, asked, heard: performance.now() });
          const warning = this.warning();
          if ((warning !== undefined) !== this.#isReported) this.#tell(warning);
          this.#isReported = warning !== undefined;
        },
      };
    },
  };

  /** Calls the listener when the clocks begin to differ, and when they agree again (undefined). */
  onWarning(listener: (warning: string | undefined) => void): void {
    this.#tell = listener;
  }

  /** What is wrong with the clock of this machine, or of the database's. */
  warning(): string | undefined {
    const ahead = Date.now() - this.now();
    if (Math.abs(ahead) < noticedMs) return undefined;
    const seconds = Math.round(Math.abs(ahead) / 1_000);
    return `The clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of the database, whose time the service uses. Set both with NTP.`;
  }
}

/** The time of a process that shares its database with no other: its own, which may differ from its machine's until a restart. */
export class SteadyTime {
  readonly now: Clock;
  readonly #wall: Clock;
  #tell: (warning: string) => void = () => undefined;

  constructor(sources: ClockSources = { wall: Date.now, elapsed: () => performance.now() }) {
    this.#wall = sources.wall;
    this.now = createSteadyClock(sources, () => {
      const warning = this.warning();
      if (warning) this.#tell(warning);
    });
  }

  /** Calls the listener when the clock was set back. */
  onWarning(listener: (warning: string) => void): void {
    this.#tell = listener;
  }

  warning(): string | undefined {
    const ahead = this.now() - this.#wall();
    if (ahead < noticedMs) return undefined;
    const seconds = Math.round(ahead / 1_000);
    return `The clock of this machine was set back by ${seconds} s while the service was running. It goes on with the time from before, and what it records is dated by it. If the clock is right now, restart the service.`;
  }
}

export interface OwnTime {
  readonly now: Clock;
  readonly time: SharedTime | SteadyTime;
}

export async function openTime(db: Database): Promise<OwnTime> {
  if (!db.time) {
    const time = new SteadyTime();
    return { now: time.now, time };
  }
  const time = await SharedTime.ask(() => db.time?.() ?? Promise.resolve(Date.now()));
  return { now: time.now, time };
}
