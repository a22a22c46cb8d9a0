/**
 * A map that holds at most `capacity` entries: what can be read or counted again. When one more comes, the oldest tenth is
 * forgotten, at least one: forgetting one at a time, a large map would spend its time on finding the oldest. The oldest is
 * the one that was set first; an entry that is deleted and set again is the newest.
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
