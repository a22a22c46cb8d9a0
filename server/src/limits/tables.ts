import { bigint, defineTable, double, nullable, text, withDefault } from '../db/table.ts';

/** Limits of guesses that a restart must not reset. */
export const limitBuckets = defineTable({
  name: 'limit_buckets',
  owner: 'limits',
  columns: { key_hash: text, tokens: double, at: bigint, full_at: bigint },
  key: ['key_hash'],
  indexes: { limit_buckets_full: { on: ['full_at', 'key_hash'] } },
});

/** What an app has stored, as it was counted. */
export const usage = defineTable({
  name: 'usage',
  owner: 'limits',
  columns: {
    app_id: text,
    files: withDefault(bigint),
    file_bytes: withDefault(bigint),
    records: withDefault(bigint),
    record_bytes: withDefault(bigint),
    is_exact: withDefault(bigint),
    counted_at: withDefault(bigint),
  },
  key: ['app_id'],
});

/** Requests that may be sent again without being done twice. */
export const idempotencyKeys = defineTable({
  name: 'idempotency_keys',
  owner: 'limits',
  columns: {
    app_id: text,
    key_hash: text,
    fingerprint: text,
    object_id: text,
    is_done: withDefault(bigint),
    created_at: bigint,
    noted: nullable(text),
  },
  key: ['app_id', 'key_hash'],
  indexes: { idempotency_keys_created: { on: ['app_id', 'created_at', 'key_hash'] } },
  kept: { days: 1, by: 'created_at' },
});
