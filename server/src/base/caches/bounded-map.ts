/**
 * A map of at most `capacity` entries that can be read or counted again. When it is full, the oldest tenth is evicted, at
 * least one: evicting one at a time, a large map would spend its time finding the oldest. The oldest is the one that was set
 * first; an entry that is deleted and set again is the newest.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#capacity && !this.has(key)) this.#forgetOldest();
    return super.set(key, value);
  }

  #forgetOldest(): void {
    let left = Math.ceil(this.#capacity / 10);
    for (const oldest of this.keys()) {
      if (left-- === 0) return;
      this.delete(oldest);
    }
  }
}
