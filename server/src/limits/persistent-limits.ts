import { secretHash } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { sql } from '../base/sql.ts';
import type { Database, Db } from '../db/db.ts';
import type { BucketMemory, RateRule, TokenBucket } from './rate-limit.ts';

export interface PersistentLimitDeps {
  readonly db: Database;
  readonly now: Clock;
  /** Runs work in the background and logs its errors. */
  readonly inBackground: (what: string, work: () => Promise<unknown>) => void;
}

/** More than an attacker can create, because each costs a password check. The newest are kept. */
const maxKept = 50_000;

/**
 * Stores the token buckets of limits, so that a restart does not refill them. A bucket is written in the background,
 * and only when it is less than half full: ordinary sign-ins cost nothing, and after a crash an attacker gains at most
 * half a budget. Keys are stored as hashes, because they contain addresses.
 */
export class PersistentLimits implements BucketMemory {
  readonly #deps: PersistentLimitDeps;
  readonly #kept = new Map<string, TokenBucket>();

  constructor(deps: PersistentLimitDeps) {
    this.#deps = deps;
  }

  /** Reads the stored buckets; call it before the first request. */
  async load(): Promise<void> {
    const { db, now } = this.#deps;
    for (const { keyHash, ...bucket } of await readBuckets(db, now(), maxKept)) this.#kept.set(keyHash, bucket);
  }

  recall(key: string): TokenBucket | undefined {
    if (this.#kept.size === 0) return undefined;
    const hash = secretHash(key);
    const bucket = this.#kept.get(hash);
    this.#kept.delete(hash);
    return bucket;
  }

  keep(key: string, { burst, perSecond }: RateRule, { tokens, at }: TokenBucket): void {
    if (tokens >= burst / 2) return;
    const fullAt = Math.ceil(at + ((burst - tokens) / perSecond) * 1000);
    const row = sql`${secretHash(key)}, ${tokens}, ${at}, ${fullAt}`;
    this.#deps.inBackground('keeping a limit', () =>
      this.#deps.db.run(sql`insert into limit_buckets (key_hash, tokens, at, full_at) values (${row})
        on conflict (key_hash) do update set tokens = excluded.tokens, at = excluded.at, full_at = excluded.full_at`),
    );
  }

  /** Deletes buckets that are full again. */
  async sweep(): Promise<void> {
    await this.#deps.db.run(sql`delete from limit_buckets where full_at <= ${this.#deps.now()}`);
  }
}

/** The stored buckets that are not full at this time, those that need longest first. */
export async function readBuckets(db: Db, now: number, limit: number) {
  const rows = await db.all<{ key_hash: string; tokens: number; at: number }>(sql`select key_hash, tokens, at
    from limit_buckets where full_at > ${now} order by full_at desc limit ${limit}`);
  return rows.map(({ key_hash: keyHash, tokens, at }) => ({ keyHash, tokens, at }));
}
