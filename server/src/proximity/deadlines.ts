/**
 * When which presence has to be looked at again: a binary heap with one deadline a key. It has no clock and starts no
 * timer; the service sets one timer to `next()` and calls `takeDue(now)` when it rings.
 * set, delete and takeDue cost O(log n); a replaced deadline stays in the heap as a husk and is skipped or swept.
 */
export class DeadlineQueue {
  #heap: { readonly key: string; readonly at: number }[] = [];
  readonly #current = new Map<string, number>();

  /** How many keys have a deadline. */
  get size(): number {
    return this.#current.size;
  }

  /** Sets or moves a key's deadline (ms); null removes it. */
  set(key: string, at: number | null): void {
    if (at === null || this.#current.get(key) === at) {
      if (at === null) this.#current.delete(key);
      return;
    }
    this.#current.set(key, at);
    this.#heap.push({ key, at });
    this.#rise(this.#heap.length - 1);
    if (this.#heap.length > 64 && this.#heap.length > 4 * this.#current.size) this.#sweep();
  }

  delete(key: string): void {
    this.#current.delete(key);
  }

  /** The earliest deadline in ms, or null when there is none. */
  next(): number | null {
    for (;;) {
      const top = this.#heap[0];
      if (top === undefined) return null;
      if (this.#current.get(top.key) === top.at) return top.at;
      this.#removeTop();
    }
  }

  /** Takes out the keys whose deadline is at or before `now`, earliest first; at most `limit`, so that a burst can be cut. */
  takeDue(now: number, limit = Number.POSITIVE_INFINITY): string[] {
    const due: string[] = [];
    for (let at = this.next(); at !== null && at <= now && due.length < limit; at = this.next()) {
      const key = this.#heap[0]?.key ?? '';
      this.#removeTop();
      this.#current.delete(key);
      due.push(key);
    }
    return due;
  }

  #removeTop(): void {
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
  }

  #sweep(): void {
    // A sorted array is a heap.
    this.#heap = [...this.#current].map(([key, at]) => ({ key, at })).sort((a, b) => a.at - b.at);
  }

  #at(index: number): number {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const first = this.#heap[a];
    const second = this.#heap[b];
    if (first === undefined || second === undefined) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }

  #rise(from: number): void {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= this.#at(index)) return;
      this.#swap(parent, index);
      index = parent;
    }
  }

  #sink(from: number): void {
    for (let index = from; ; ) {
      const left = 2 * index + 1;
      const child = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(index) <= this.#at(child)) return;
      this.#swap(child, index);
      index = child;
    }
  }
}
