import type { Clock } from '../../base/clock.ts';

/** When the database was last lost, and when it was back (epoch ms). */
export interface Outage {
  readonly from: number;
  readonly until: number;
}

/** Shorter breaks are those of a restart, which nobody noticed. */
const shortestMs = 5_000;

/** Remembers the last time that the database was lost: while it lasts, nothing can be written about it. */
export class Troubles {
  readonly #now: Clock;
  #from: number | undefined;
  #last: Outage | undefined;

  constructor(now: Clock) {
    this.#now = now;
  }

  note(isLost: boolean): void {
    if (isLost) {
      this.#from ??= this.#now();
      return;
    }
    if (this.#from !== undefined && this.#now() - this.#from >= shortestMs)
      this.#last = { from: this.#from, until: this.#now() };
    this.#from = undefined;
  }

  last(): Outage | undefined {
    return this.#last;
  }
}
