/** A moment by both clocks: of a machine that slept, only one has gone on. */
export interface Moment {
  readonly elapsed: number;
  readonly wall: number;
}

export const thisMoment = (): Moment => ({ elapsed: performance.now(), wall: Date.now() });

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
    const { elapsed, wall } = thisMoment();
    return elapsed - this.#since.elapsed >= this.#ms || wall - this.#since.wall >= this.#ms;
  }
}
