import { type Moment, sinceMoment } from '../base/clock.ts';

/** The last part of a lease is not trusted: the clocks of nodes differ a little, and what is sent takes a moment to arrive. */
const trusted = 0.9;

/** How long a worker may believe that it still holds a job, without asking the database. */
export class Lease {
  readonly #ms: number;
  #since: Moment;

  /** `since` is from before the statement that claimed it. */
  constructor(ms: number, since: Moment) {
    this.#ms = ms * trusted;
    this.#since = since;
  }

  renewed(since: Moment): void {
    this.#since = since;
  }

  get isOver(): boolean {
    return sinceMoment(this.#since) >= this.#ms;
  }
}
