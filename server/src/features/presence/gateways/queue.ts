import type { Heard } from '@pharos/gateways';

/**
 * What became of an advertisement. `beacon`: the app has it as a beacon, not as a tag. `merged`: another one of the same tag in the same
 * second stands for it.
 */
export type Result = 'taken' | 'beacon' | 'unknown' | 'refused' | 'merged';

export interface Outcome {
  readonly result: Result;
  readonly code?: string;
  readonly message?: string;
}

/** Stores what was heard. What became of each, by its place; those that are missing were taken. */
export type Take = (heard: readonly Heard[], clockOffset: number | undefined) => Promise<ReadonlyMap<number, Outcome>>;

export interface Message {
  readonly heard: readonly Heard[];
  /** How far the gateway's clock is ahead, ms. */
  readonly clockOffset: number | undefined;
  /** When it arrived, ms. */
  readonly now: number;
}

interface Waiting {
  readonly heard: Heard;
  readonly clockOffset: number | undefined;
  readonly done: PromiseWithResolvers<Outcome>;
}

/** Advertisements that are stored together at most. */
const partSize = 2_000;
/** One advertisement a second is all that the engine needs of a tag. */
const slotMs = 1_000;
/** The memory of the last second: for how long (ms), and of how many tags. Strangers' addresses change all the time. */
const knownMs = 10_000;
const maxKnown = 5_000;

const taken: Outcome = { result: 'taken' };
const merged: Outcome = { result: 'merged' };

/**
 * What one gateway has sent and is not stored yet. It is stored in turn, one part after the other: while the database works on a part, the
 * next ones grow, by at most one advertisement for each tag and second, and the newest wins. Nothing gives way: who sends waits, or is
 * refused while it is full. Other gateways have queues of their own.
 */
export class GatewayQueue {
  #take: Take = async () => new Map();
  /** By second and tag; the oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  #storing = new Map<string, Waiting>();
  /** The second of each tag that was taken in last, and when it arrived; the oldest first. */
  readonly #last = new Map<string, { readonly second: number; readonly at: number }>();
  #isRunning = false;
  #usedAt = 0;

  get isIdle(): boolean {
    return !this.#isRunning;
  }

  /** Whether a whole part waits. */
  get isFull(): boolean {
    return this.#waiting.size >= partSize;
  }

  /** Whether it can be dropped: nothing is left to store, and nothing that it remembers still counts. */
  isQuiet(now: number): boolean {
    return this.isIdle && now - this.#usedAt >= knownMs;
  }

  /**
   * Resolves when all of it is stored, with what became of each. Rejects if that fails.
   *
   * @param take stores from now on: the app's policy may have changed
   */
  add({ heard, ...message }: Message, take: Take): Promise<readonly Outcome[]> {
    this.#take = take;
    this.#usedAt = message.now;
    const outcomes = heard.map((one) => this.#put(one, message));
    if (!this.#isRunning && this.#waiting.size > 0) void this.#run();
    return Promise.all(outcomes);
  }

  #put(heard: Heard, { clockOffset, now }: Omit<Message, 'heard'>): Promise<Outcome> | Outcome {
    const tag = tagOf(heard);
    const second = Math.floor((heard.occurredAt ?? now) / slotMs);
    const key = `${second} ${tag}`;
    const storing = this.#storing.get(key);
    if (storing) return asMerged(storing);
    const before = this.#waiting.get(key);
    if (!before && this.#last.get(tag)?.second === second) return merged;
    this.#note(tag, second, now);
    const done = before?.done ?? Promise.withResolvers<Outcome>();
    this.#waiting.set(key, { heard, clockOffset, done });
    return before ? asMerged(before) : done.promise;
  }

  #note(tag: string, second: number, now: number): void {
    this.#last.delete(tag);
    this.#last.set(tag, { second, at: now });
    for (const [oldest, { at }] of this.#last) {
      if (this.#last.size <= maxKnown && now - at < knownMs) break;
      this.#last.delete(oldest);
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      this.#storing = new Map(this.#waiting.entries().take(partSize));
      for (const key of this.#storing.keys()) this.#waiting.delete(key);
      const part = [...this.#storing.values()];
      const byClock = [...Map.groupBy(part, ({ clockOffset }) => clockOffset)];
      await Promise.all(byClock.map(([clockOffset, waiting]) => this.#store(waiting, clockOffset)));
      this.#storing.clear();
    }
    this.#isRunning = false;
  }

  async #store(waiting: readonly Waiting[], clockOffset: number | undefined): Promise<void> {
    try {
      const heard = waiting.map(({ heard }, index) => ({ ...heard, index }));
      const outcomes = await this.#take(heard, clockOffset);
      for (const [index, { done }] of waiting.entries()) done.resolve(outcomes.get(index) ?? taken);
    } catch (error) {
      // The gateway sends it again, and then it is new.
      for (const { heard, done } of waiting) {
        this.#last.delete(tagOf(heard));
        done.reject(error);
      }
    }
  }
}

/** The result of an advertisement merged into another one, once that is stored. */
const asMerged = ({ done }: Waiting): Promise<Outcome> =>
  done.promise.then((outcome) => (outcome === taken ? merged : outcome));

/** A frame that names nobody does not stand for one that does: a beacon may send both in turn. */
const tagOf = ({ address = '', identity }: Heard): string =>
  identity ? `${address} ${JSON.stringify(identity)}` : address;
