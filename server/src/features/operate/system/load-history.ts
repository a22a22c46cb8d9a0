import type { Clock } from '../../../base/clock.ts';

/** What the process was busy with in the last day, in memory: it begins anew with each start. */

export const stepMs = 5 * 60_000;
const maxSteps = 288;

export interface LoadStep {
  /** The end of these five minutes, epoch milliseconds. */
  readonly at: number;
  readonly requests: number;
  /** How long an answer took on average, milliseconds; null: there was none. */
  readonly answerMs: number | null;
  /** Jobs that waited at the end. */
  readonly queued: number;
  /** Free bytes on the disk of the data folder at the end. */
  readonly freeBytes: number;
}

export interface LoadSources {
  readonly now: Clock;
  /** Since the start. */
  readonly answered: () => { readonly count: number; readonly seconds: number };
  readonly queued: () => Promise<number>;
  readonly freeBytes: () => Promise<number>;
}

export class LoadHistory {
  readonly #sources: LoadSources;
  #steps: readonly LoadStep[] = [];
  #before: { readonly count: number; readonly seconds: number };

  constructor(sources: LoadSources) {
    this.#sources = sources;
    this.#before = sources.answered();
  }

  /** The oldest first; none older than a day. */
  get steps(): readonly LoadStep[] {
    return this.#steps;
  }

  async note(): Promise<void> {
    const { now, answered, queued, freeBytes } = this.#sources;
    const [before, after] = [this.#before, answered()];
    this.#before = after;
    const requests = after.count - before.count;
    const step = {
      at: now(),
      requests,
      answerMs: requests === 0 ? null : Math.round(((after.seconds - before.seconds) * 10_000) / requests) / 10,
      queued: await queued(),
      freeBytes: await freeBytes(),
    };
    this.#steps = [...this.#steps, step].slice(-maxSteps);
  }
}
