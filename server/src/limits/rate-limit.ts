import { BoundedMap } from '../base/caches/bounded-map.ts';
import { PairCache } from '../base/caches/pair-cache.ts';
import { fail } from '../base/errors.ts';

export interface RateRule {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TokenBucket {
  tokens: number;
  /** Milliseconds of the injected clock at which `tokens` was right. */
  at: number;
  /** The burst of the rule by which it was filled last, where that is known. */
  burst?: number;
}

/** Where buckets are stored beyond the life of the process. */
export interface BucketMemory {
  /** The stored bucket of a key that the limiter does not know. */
  recall(key: string): TokenBucket | undefined;
  /** Called whenever tokens are taken, or given back (fewer than none); must not throw. It may correct the bucket later. */
  keep(key: string, rule: RateRule, bucket: TokenBucket, tokens: number): void;
}

/**
 * Token buckets by key (app and client address). At most `capacity` keys are remembered; beyond that the oldest tenth is
 * evicted, so that an attacker with many addresses costs no memory.
 * A key has one rule: another rule for the same key means that the limit was changed, and a higher limit gives its additional burst at
 * once.
 */
export class RateLimiter {
  readonly #buckets: BoundedMap<string, TokenBucket>;
  readonly #memory: BucketMemory | undefined;

  constructor(capacity = 50_000, memory?: BucketMemory) {
    this.#buckets = new BoundedMap(capacity);
    this.#memory = memory;
  }

  /**
   * Takes one token.
   *
   * @throws Failure APICallLimit with `Retry-After` (s) and the `RateLimit` headers when none is left.
   */
  take(key: string, rule: RateRule, now: number): void {
    const retryAfter = this.tryTake(key, rule, now);
    if (retryAfter === undefined) return;
    throw fail('APICallLimit', {
      message: `The limit of ${pace(rule)} (${rule.burst} at once) is reached. Try again in ${retryAfter} s.`,
      retryAfter,
      headers: {
        'RateLimit-Policy': `"app";q=${rule.burst};w=${Math.ceil(rule.burst / rule.perSecond)}`,
        RateLimit: `"app";r=0;t=${retryAfter}`,
      },
    });
  }

  /** Takes `tokens`, all or none. Returns undefined, or the number of seconds until there are enough. */
  tryTake(key: string, rule: RateRule, now: number, tokens = 1): number | undefined {
    const bucket = this.#bucket(key, rule, now);
    if (bucket.tokens < tokens) return Math.max(1, Math.ceil((tokens - bucket.tokens) / rule.perSecond));
    bucket.tokens -= tokens;
    this.#memory?.keep(key, rule, bucket, tokens);
    return undefined;
  }

  /** Gives a token back for something that turned out not to count. */
  giveBack(key: string, rule: RateRule, tokens = 1): void {
    const bucket = this.#buckets.get(key);
    if (!bucket) return;
    bucket.tokens = Math.min(rule.burst, bucket.tokens + tokens);
    this.#memory?.keep(key, rule, bucket, -tokens);
  }

  #bucket(key: string, rule: RateRule, now: number): TokenBucket {
    const known = this.#buckets.get(key);
    if (!known) {
      const fresh = this.#memory?.recall(key) ?? { tokens: rule.burst, at: now };
      this.#buckets.set(key, fresh);
      return refilled(fresh, rule, now);
    }
    return refilled(known, rule, now);
  }
}

function refilled(bucket: TokenBucket, rule: RateRule, now: number): TokenBucket {
  // A clock that was set back must not remove tokens.
  const elapsed = Math.max(0, now - bucket.at) / 1000;
  // A raised limit allows more at once; otherwise the difference would count as used.
  if (bucket.burst !== undefined && bucket.burst < rule.burst) bucket.tokens += rule.burst - bucket.burst;
  bucket.burst = rule.burst;
  bucket.tokens = Math.min(rule.burst, bucket.tokens + elapsed * rule.perSecond);
  bucket.at = now;
  return bucket;
}

function pace({ perSecond }: RateRule): string {
  return perSecond >= 1 ? `${perSecond} requests a second` : `one request in ${Math.round(1 / perSecond)} s`;
}

/**
 * The keys under which the requests of one client are counted. They are joined once and then found again, because a text
 * that is made for each request has to be hashed for each request.
 */
export class LimitKeys {
  readonly #addresses = new PairCache<string>(maxKeys);
  readonly #users = new PairCache<string>(maxKeys);
  readonly #secretKeys = new PairCache<string>(maxKeys);

  ofAddress(appId: string, address: string): string {
    return (
      this.#addresses.get(appId, address) ?? kept(this.#addresses, appId, address, `${appId} ${clientNetwork(address)}`)
    );
  }

  ofUser(appId: string, userId: string): string {
    return this.#users.get(appId, userId) ?? kept(this.#users, appId, userId, `${appId} user ${userId}`);
  }

  ofSecretKey(appId: string, keyId: string): string {
    return this.#secretKeys.get(appId, keyId) ?? kept(this.#secretKeys, appId, keyId, `${appId} key ${keyId}`);
  }
}

const maxKeys = 20_000;

function kept(keys: PairCache<string>, first: string, second: string, key: string): string {
  keys.set(first, second, key);
  return key;
}

/** The part of a client address that one subscriber holds: the whole IPv4 address, or the first 64 bits of IPv6. */
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
