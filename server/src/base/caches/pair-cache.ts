/**
 * Remembers values by two texts, the first of which is usually the same object each time (an app's id). Two look-ups
 * cost less than joining the texts and hashing the result. Holds at most `capacity` values; when one more comes, all are dropped.
 */
export class PairCache<Value> {
  readonly #capacity: number;
  readonly #values = new Map<string, Map<string, Value>>();
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(first: string, second: string): Value | undefined {
    return this.#values.get(first)?.get(second);
  }

  set(first: string, second: string, value: Value): void {
    this.delete(first, second);
    if (this.#size >= this.#capacity) this.clear();
    const others = this.#values.get(first);
    if (others) others.set(second, value);
    else this.#values.set(first, new Map([[second, value]]));
    this.#size++;
  }

  delete(first: string, second: string): void {
    const others = this.#values.get(first);
    if (!others?.delete(second)) return;
    this.#size--;
    if (others.size === 0) this.#values.delete(first);
  }

  /** Drops everything kept under the first text. */
  forget(first: string): void {
    this.#size -= this.#values.get(first)?.size ?? 0;
    this.#values.delete(first);
  }

  clear(): void {
    this.#values.clear();
    this.#size = 0;
  }
}
