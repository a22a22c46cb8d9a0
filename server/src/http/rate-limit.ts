import { fail } from '../errors.ts';

export interface RateRule {
  readonly perSecond: number;
  readonly burst: number;
}

interface TokenBucket {
  tokens: number;
  /** Milliseconds of the injected clock at which `tokens` was right. */
  at: number;
}

/**
 * Token buckets by key (app and client address). At most `capacity` keys are remembered; when there are more,
 * the tenth that was seen first is forgotten, so that an attacker with many addresses costs no memory.
 */
export class RateLimiter {
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #capacity: number;

  constructor(capacity = 50_000) {
    this.#capacity = capacity;
  }

  /**
   * Takes one token.
   *
   * @throws Failure APICallLimit with `Retry-After` (s) and the `RateLimit` headers when none is left.
   */
  take(key: string, rule: RateRule, now: number): void {
    const bucket = this.#bucket(key, rule, now);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return;
    }
    const retryAfter = Math.max(1, Math.ceil((1 - bucket.tokens) / rule.perSecond));
    throw fail('APICallLimit', {
      message: `The limit of ${pace(rule)} (${rule.burst} at once) is reached. Try again in ${retryAfter} s.`,
      retryAfter,
      headers: {
        'RateLimit-Policy': `"app";q=${rule.burst};w=${Math.ceil(rule.burst / rule.perSecond)}`,
        RateLimit: `"app";r=0;t=${retryAfter}`,
      },
    });
  }

  /** Gives a taken token back, for what turned out not to count. */
  giveBack(key: string, rule: RateRule): void {
    const bucket = this.#buckets.get(key);
    if (bucket) bucket.tokens = Math.min(rule.burst, bucket.tokens + 1);
  }

  #bucket(key: string, rule: RateRule, now: number): TokenBucket {
    const known = this.#buckets.get(key);
    if (!known) {
      const fresh = { tokens: rule.burst, at: now };
      if (this.#buckets.size >= this.#capacity) this.#forgetOldest();
      this.#buckets.set(key, fresh);
      return fresh;
    }
    // A clock that was set back must not take tokens away.
    const elapsed = Math.max(0, now - known.at) / 1000;
    known.tokens = Math.min(rule.burst, known.tokens + elapsed * rule.perSecond);
    known.at = now;
    return known;
  }

  #forgetOldest(): void {
    let looked = 0;
    for (const [key] of this.#buckets) {
      this.#buckets.delete(key);
      if (++looked >= this.#capacity / 10) return;
    }
  }
}

function pace({ perSecond }: RateRule): string {
  return perSecond >= 1 ? `${perSecond} requests a second` : `one request in ${Math.round(1 / perSecond)} s`;
}

/** The part of a client address that one subscriber holds: the whole IPv4 address, the first 64 bits of IPv6. */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const groups =
    tail === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
