import { secretHash } from '../access/access.ts';
import { BoundedMap } from '../base/caches/bounded-map.ts';
import type { Clock } from '../base/clock.ts';
import { type Sql, sql } from '../base/sql.ts';
import type { Database } from '../db/db.ts';
import type { BucketMemory, RateRule, TokenBucket } from './rate-limit.ts';

export interface SharedLimitDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly onError: (what: string, error: unknown) => void;
}

/** How often a bucket that is in use is compared with what the other nodes took, ms. */
const compareMs = 250;
/** Rules that are slower than this (tokens a second) are compared after each take: there one token matters. */
const slowRate = 1;
const soonMs = 10;
const maxKnown = 10_000;
const maxAtOnce = 8;

interface Entry {
  readonly key: string;
  rule: RateRule;
  bucket: TokenBucket;
  /** Taken here and not reported yet. */
  used: number;
  /** The rule has changed since the last comparison: the shared bucket is about the old one. */
  isChanged: boolean;
}

/**
 * Limits that apply across all nodes of a database, and survive a restart. A bucket that is less than half full is also in the database, where all nodes
 * subtract what they took, a few times a second and never while a request waits; each continues with what is left. Any excess in
 * between is a debt that refills first, so that over time all nodes together admit what one would.
 * Buckets that are more than half full cost nothing. Keys are stored as hashes, because they contain addresses.
 */
export class SharedLimits implements BucketMemory {
  readonly #deps: SharedLimitDeps;
  readonly #stored = new Map<string, TokenBucket>();
  /** Buckets of an earlier process, and what was taken of them since: the shared ones have the rest already. */
  readonly #recalled = new WeakMap<TokenBucket, number>();
  readonly #entries = new BoundedMap<string, Entry>(maxKnown);
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #comparing: Promise<void> | undefined;

  constructor(deps: SharedLimitDeps) {
    this.#deps = deps;
  }

  /** Reads the stored buckets; call it before the first request. */
  async load(): Promise<void> {
    const { db, now } = this.#deps;
    const rows = await db.all<TokenBucket & { readonly key_hash: string }>(sql`select key_hash, tokens, at
      from limit_buckets where full_at > ${now()} order by full_at desc limit ${maxKnown}`);
    for (const { key_hash, tokens, at } of rows) this.#stored.set(key_hash, { tokens, at });
  }

  /** The memory of one limiter, whose name distinguishes its keys from those of others. */
  memory(name: string): BucketMemory {
    // Asked for in every request: a text that is joined for each has to be hashed for each.
    const joined = new BoundedMap<string, string>(maxKnown);
    const own = (key: string) => {
      const known = joined.get(key);
      if (known !== undefined) return known;
      const text = `${name} ${key}`;
      joined.set(key, text);
      return text;
    };
    return {
      recall: (key) => this.recall(own(key)),
      keep: (key, rule, bucket, tokens) => this.keep(own(key), rule, bucket, tokens),
    };
  }

  recall(key: string): TokenBucket | undefined {
    if (this.#stored.size === 0) return undefined;
    const hash = secretHash(key);
    const bucket = this.#stored.get(hash);
    this.#stored.delete(hash);
    if (bucket) this.#recalled.set(bucket, 0);
    return bucket;
  }

  keep(key: string, rule: RateRule, bucket: TokenBucket, tokens: number): void {
    const known = this.#entries.get(key);
    if (known) {
      if (known.rule.burst !== rule.burst || known.rule.perSecond !== rule.perSecond) known.isChanged = true;
      known.rule = rule;
      known.bucket = bucket;
      known.used += tokens;
    } else {
      const isSlow = rule.perSecond < slowRate;
      const since = this.#recalled.get(bucket);
      if (since !== undefined) this.#recalled.set(bucket, since + tokens);
      if (!isSlow && bucket.tokens >= rule.burst / 2) return;
      // Other nodes may know a slow one; for the rest, everything missing was taken here, since the start.
      const taken = Math.min(rule.burst - bucket.tokens, (since ?? Number.POSITIVE_INFINITY) + tokens);
      const used = isSlow ? tokens : taken;
      this.#entries.set(key, { key, rule, bucket, used, isChanged: false });
    }
    this.#plan(rule.perSecond < slowRate ? soonMs : compareMs);
  }

  #plan(ms: number): void {
    const at = performance.now() + ms;
    if (at >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => void this.compare(), ms);
    this.#timer.unref();
  }

  /** Reports what was taken here and reads what is left. Never rejects. */
  compare(): Promise<void> {
    clearTimeout(this.#timer);
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#comparing = (this.#comparing ?? Promise.resolve()).then(() => this.#compareAll());
    return this.#comparing;
  }

  async #compareAll(): Promise<void> {
    const inUse: Entry[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.used !== 0) inUse.push(entry);
      else if (this.#isFull(entry)) this.#entries.delete(entry.key);
    }
    for (let start = 0; start < inUse.length; start += maxAtOnce)
      await Promise.all(inUse.slice(start, start + maxAtOnce).map((entry) => this.#compareOne(entry)));
  }

  #isFull({ bucket, rule }: Entry): boolean {
    return bucket.tokens + ((this.#deps.now() - bucket.at) / 1000) * rule.perSecond >= rule.burst;
  }

  async #compareOne(entry: Entry): Promise<void> {
    const { db, now, onError } = this.#deps;
    const { used, isChanged, rule, bucket } = entry;
    entry.used = 0;
    entry.isChanged = false;
    try {
      const [hash, at] = [secretHash(entry.key), now()];
      // What was taken under another rule would be a debt of hours under a slower one: this node's bucket counts.
      const statement = isChanged ? replace(hash, rule, bucket.tokens, at) : subtract(hash, rule, used, at);
      const row = await db.transaction((db) => db.one<{ tokens: number; at: number }>(statement));
      if (!row || entry.isChanged) return;
      // What came back and what was taken here in the meantime is not included yet.
      const since = Math.max(0, entry.bucket.at - row.at) / 1000;
      entry.bucket.tokens = Math.min(entry.rule.burst, row.tokens + since * entry.rule.perSecond) - entry.used;
      entry.bucket.at = Math.max(entry.bucket.at, row.at);
    } catch (error) {
      entry.used += used;
      entry.isChanged ||= isChanged;
      onError('comparing a limit with other nodes', error);
    }
  }

  async sweep(): Promise<void> {
    await this.#deps.db.run(sql`delete from limit_buckets where full_at <= ${this.#deps.now()}`);
  }
}

const double = (value: number) => sql`cast(${value} as double precision)`;

/** Sets what is left in the shared bucket. */
function replace(keyHash: string, { burst, perSecond }: RateRule, tokens: number, now: number): Sql {
  const fullAt = now + Math.ceil(((burst - tokens) / perSecond) * 1000);
  return sql`insert into limit_buckets (key_hash, tokens, at, full_at)
    values (${keyHash}, ${double(tokens)}, cast(${now} as bigint), cast(${fullAt} as bigint))
    on conflict (key_hash) do update set tokens = excluded.tokens, at = excluded.at, full_at = excluded.full_at
    returning tokens, at`;
}

/** Takes tokens out of the shared bucket, which may become a debt, and answers what is left. */
function subtract(keyHash: string, { burst, perSecond }: RateRule, used: number, now: number): Sql {
  const time = sql`cast(${now} as bigint)`;
  const perMs = perSecond / 1000;
  const longMs = Math.ceil(used / perMs);
  const old = sql`limit_buckets.tokens + ${double(perMs)} * (case when ${time} > limit_buckets.at then ${time} - limit_buckets.at else 0 end)`;
  const left = sql`(case when ${old} > ${double(burst)} then ${double(burst)} else ${old} end) - ${double(used)}`;
  return sql`insert into limit_buckets (key_hash, tokens, at, full_at)
    values (${keyHash}, ${double(burst - used)}, ${time}, cast(${now + longMs} as bigint))
    on conflict (key_hash) do update set tokens = ${left},
      at = case when ${time} > limit_buckets.at then ${time} else limit_buckets.at end,
      full_at = (case when limit_buckets.full_at > ${time} then limit_buckets.full_at else ${time} end) + cast(${longMs} as bigint)
    returning tokens, at`;
}
