/** Work whose result nobody awaits. Its errors are not lost silently, and a stop does not cut it off. */
export class Background {
  readonly #running = new Set<Promise<void>>();
  readonly #onError: (what: string, error: unknown) => void;

  constructor(onError: (what: string, error: unknown) => void) {
    this.#onError = onError;
  }

  run(what: string, work: () => Promise<unknown>): void {
    const task: Promise<void> = work()
      .then(() => undefined)
      .catch((error: unknown) => this.#onError(what, error))
      .finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  /** Resolves when all started work has ended. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
