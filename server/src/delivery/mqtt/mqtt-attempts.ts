import { BoundedMap } from '../../base/caches/bounded-map.ts';

/** Wrong passwords that are refused at once: somebody mistypes, or a device was given a new one. */
const freeFailures = 5;
const firstPauseMs = 250;
/** Shorter than the time that a connection has for its login. */
const maxPauseMs = 3_000;

/**
 * Slows down somebody who guesses passwords, and nobody else: each wrong one is refused later than the one before, counted
 * for the name that was tried and for the address. A right password is never delayed, so a site behind one address keeps
 * working beside a device with a wrong one. At most `capacity` names and addresses are remembered; the oldest are dropped
 * first.
 */
export class FailedLogins {
  readonly #failures: BoundedMap<string, { count: number; until: number }>;
  readonly #windowMs: number;

  constructor(windowMs: number, capacity = 10_000) {
    this.#windowMs = windowMs;
    this.#failures = new BoundedMap(capacity);
  }

  /** Counts a wrong password. Returns the delay (ms) before it is refused. */
  note({ username, address }: { readonly username: string; readonly address: string }, now: number): number {
    const count = Math.max(this.#count(`name ${username.slice(0, 256)}`, now), this.#count(`address ${address}`, now));
    return count <= freeFailures ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** (count - freeFailures - 1));
  }

  #count(key: string, now: number): number {
    const known = this.#failures.get(key);
    if (known && known.until > now) return ++known.count;
    this.#failures.delete(key);
    this.#failures.set(key, { count: 1, until: now + this.#windowMs });
    return 1;
  }
}
