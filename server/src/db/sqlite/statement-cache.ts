/** Keeps at most `limit` values by text, dropping the one used longest ago. */
export class StatementCache<T> {
  readonly #limit: number;
  readonly #make: (text: string) => T;
  readonly #entries = new Map<string, T>();

  constructor(limit: number, make: (text: string) => T) {
    this.#limit = limit;
    this.#make = make;
  }

  get(text: string): T {
    const known = this.#entries.get(text);
    if (known !== undefined) {
      // Moving an entry on each hit would cost more than it saves; only a full cache needs to know what is old.
      if (this.#entries.size >= this.#limit) {
        this.#entries.delete(text);
        this.#entries.set(text, known);
      }
      return known;
    }
    const made = this.#make(text);
    if (this.#entries.size >= this.#limit) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(text, made);
    return made;
  }
}
