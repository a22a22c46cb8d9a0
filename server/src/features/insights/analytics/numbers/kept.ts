/** A cached value with the bytes of memory that it takes. */
export interface Sized {
  readonly bytes: number;
}

interface Entry {
  readonly value: Sized;
  usedAt: number;
}

const maxBytes = 64 * 2 ** 20;
/** Ms after its last use for which an entry stays: whoever looks at numbers opens several pages. */
const idleMs = 10 * 60_000;

/**
 * A cache of what was read for one query, for the next ones. It holds a limited number of bytes; the least recently used entry is evicted
 * first, and each entry some minutes after its last use.
 */
export class Kept {
  readonly #entries = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<Sized>>();
  readonly #maxBytes: number;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ most = maxBytes } = {}) {
    this.#maxBytes = most;
  }

  /** In bytes. */
  get size(): number {
    return this.#bytes;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /**
   * The value cached under a key, or the result of `read`, which runs once for concurrent callers. A key always has values of one type.
   *
   * @param isStill whether the result still fits the key; otherwise it is returned but not cached
   */
  async of<T extends Sized>(key: string, read: () => Promise<T>, isStill: () => Promise<boolean>): Promise<T> {
    const known = this.#entries.get(key);
    if (known) {
      // The one that was used last is at the end.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      known.usedAt = performance.now();
      return known.value as T;
    }
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = this.#read(key, read, isStill).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return reading as Promise<T>;
  }

  async #read(key: string, read: () => Promise<Sized>, isStill: () => Promise<boolean>): Promise<Sized> {
    const value = await read();
    if (value.bytes <= this.#maxBytes / 2 && (await isStill())) this.#keep(key, value);
    return value;
  }

  #keep(key: string, value: Sized): void {
    this.#entries.set(key, { value, usedAt: performance.now() });
    this.#bytes += value.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
    this.#timer ??= setInterval(() => this.#dropIdle(), idleMs / 2).unref();
  }

  #dropIdle(): void {
    const since = performance.now() - idleMs;
    for (const [key, { usedAt }] of this.#entries) if (usedAt < since) this.#drop(key);
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.value.bytes ?? 0;
    this.#entries.delete(key);
  }
}
