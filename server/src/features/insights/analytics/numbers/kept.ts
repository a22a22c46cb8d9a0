import { LRUCache } from 'lru-cache';

/** A cached value with the bytes of memory that it takes. */
export interface Sized {
  readonly bytes: number;
}

/** Ms after its last use for which an entry stays: whoever looks at numbers opens several pages. */
const idleMs = 10 * 60_000;

/**
 * A cache of what was read for one query, for the next ones. It holds a limited number of bytes; the least recently used entry is evicted
 * first, and each entry some minutes after its last use.
 */
export class Kept {
  readonly #entries: LRUCache<string, Sized>;
  readonly #reading = new Map<string, Promise<Sized>>();

  constructor({ most: maxSize = 64 * 2 ** 20 } = {}) {
    // The library refuses an entry of no size, such as what was read of an empty period.
    const sizeCalculation = ({ bytes }: Sized) => Math.max(1, bytes);
    const expiry = { ttl: idleMs, ttlAutopurge: true };
    this.#entries = new LRUCache({ maxSize, maxEntrySize: maxSize / 2, sizeCalculation, ...expiry });
  }

  /** In bytes. */
  get size(): number {
    return this.#entries.calculatedSize;
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
      // Its time begins anew.
      this.#entries.set(key, known);
      return known as T;
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
    if (await isStill()) this.#entries.set(key, value);
    return value;
  }
}
