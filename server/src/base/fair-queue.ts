import { fail } from './errors.ts';

interface Waiting {
  readonly start: () => void;
  readonly expire: NodeJS.Timeout;
}

/**
 * Runs at most `slots` tasks at a time. Tenants (apps, for the most part) take turns: when a task ends, the next one
 * comes from the tenant that has waited longest, so that one tenant's long queue never delays another's first task.
 */
export class FairQueue {
  readonly #slots: number;
  readonly #maxWaitMs: number;
  readonly #busy: string;
  readonly #lines = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;
  #isHeld = false;
  #onIdle: (() => void) | undefined;

  /** `busy` is the message for a caller whose turn does not come in time. */
  constructor(slots: number, maxWaitMs: number, busy = 'Too many long queries are waiting. Try again.') {
    this.#slots = slots;
    this.#maxWaitMs = maxWaitMs;
    this.#busy = busy;
  }

  get waiting(): number {
    return this.#waiting;
  }

  waitingOf(tenant: string): number {
    return this.#lines.get(tenant)?.length ?? 0;
  }

  /** Runs `task` when its turn comes. Throws Timeout if it does not come in time. */
  async run<T>(tenant: string, task: () => Promise<T>): Promise<T> {
    if (this.#isHeld || this.#running >= this.#slots) await this.#wait(tenant);
    else this.#running++;
    try {
      return await task();
    } finally {
      this.#running--;
      if (this.#running === 0) this.#onIdle?.();
      this.#fill();
    }
  }

  /**
   * Runs `task` while no other runs; new ones wait. Returns false, without running it, if the current ones do not end
   * within `patienceMs`.
   */
  async alone(task: () => Promise<unknown>, patienceMs: number): Promise<boolean> {
    this.#isHeld = true;
    try {
      if (this.#running > 0 && !(await this.#idle(patienceMs))) return false;
      await task();
      return true;
    } finally {
      this.#isHeld = false;
      this.#fill();
    }
  }

  #idle(patienceMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isIdle: boolean) => {
        clearTimeout(giveUp);
        this.#onIdle = undefined;
        resolve(isIdle);
      };
      const giveUp = setTimeout(() => settle(false), patienceMs);
      this.#onIdle = () => settle(true);
    });
  }

  #wait(tenant: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(tenant) ?? [];
      const waiting: Waiting = {
        start: resolve,
        expire: setTimeout(() => {
          this.#remove(tenant, waiting);
          reject(fail('Timeout', { message: this.#busy, retryAfter: 1 }));
        }, this.#maxWaitMs),
      };
      line.push(waiting);
      this.#lines.set(tenant, line);
      this.#waiting++;
    });
  }

  #remove(tenant: string, waiting: Waiting): void {
    const line = this.#lines.get(tenant);
    if (!line) return;
    line.splice(line.indexOf(waiting), 1);
    if (line.length === 0) this.#lines.delete(tenant);
    this.#waiting--;
  }

  #fill(): void {
    while (!this.#isHeld && this.#running < this.#slots) {
      const waiting = this.#shift();
      if (!waiting) return;
      this.#running++;
      clearTimeout(waiting.expire);
      waiting.start();
    }
  }

  /** The tenant whose turn is next comes first. */
  #shift(): Waiting | undefined {
    const first = this.#lines.entries().next().value;
    if (!first) return undefined;
    const [tenant, line] = first;
    const waiting = line.shift();
    this.#waiting--;
    // The tenant goes to the end of the round: a map keeps the order of insertion.
    this.#lines.delete(tenant);
    if (line.length > 0) this.#lines.set(tenant, line);
    return waiting;
  }
}
