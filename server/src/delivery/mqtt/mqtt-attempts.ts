/**
 * Counts failed logins per address, so that passwords cannot be guessed. At most `capacity` addresses are remembered;
 * the oldest is forgotten first.
 */
export class FailedLogins {
  readonly #failures = new Map<string, { count: number; until: number }>();
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #capacity: number;

  constructor(limit: number, windowMs: number, capacity = 10_000) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#capacity = capacity;
  }

  isBlocked(address: string, now: number): boolean {
    const known = this.#failures.get(address);
    return known !== undefined && known.until > now && known.count >= this.#limit;
  }

  note(address: string, now: number): void {
    const known = this.#failures.get(address);
    if (known && known.until > now) {
      known.count++;
      return;
    }
    this.#failures.delete(address);
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size >= this.#capacity) this.#failures.delete(oldest);
    this.#failures.set(address, { count: 1, until: now + this.#windowMs });
  }
}
