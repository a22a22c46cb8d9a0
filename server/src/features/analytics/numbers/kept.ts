/** What is kept says how much memory it takes, in bytes. */
export interface Sized {
  readonly bytes: number;
}

interface Entry {
  readonly value: Sized;
  usedAt: number;
}

const mostBytes = 64 * 2 ** 20;
/** Ms. Whoever looks at numbers looks at several pages. */
const idleMs = 10 * 60_000;

/**
 * What was read for one question and serves the next ones, as long as somebody asks: so many bytes at most, those used longest ago
 * go first, and each some minutes after it was used last.
 */
export class Kept {
  readonly #entries = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<Sized>>();
  readonly #mostBytes: number;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ most = mostBytes } = {}) {
    this.#mostBytes = most;
  }

  /** In bytes. */
  get size(): number {
    return this.#bytes;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /**
   * What is kept under a key, or else what `read` answers: one reading for all who ask meanwhile. A key stands for values of one type.
   *
   * @param isStill whether what was read is what the key says; otherwise it is for those who asked alone
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
    if (value.bytes <= this.#mostBytes / 2 && (await isStill())) this.#keep(key, value);
    return value;
  }

  #keep(key: string, value: Sized): void {
    this.#entries.set(key, { value, usedAt: performance.now() });
    this.#bytes += value.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#mostBytes) break;
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
