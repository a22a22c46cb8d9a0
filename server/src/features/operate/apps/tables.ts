import { bigint, defineTable, nullable, text, withDefault } from '../../../db/table.ts';

export const apps = defineTable({
  name: 'apps',
  owner: 'apps',
  columns: {
    app_id: text,
    name: text,
    policy: text,
    rules: withDefault(text),
    dry_run: nullable(text),
    disabled_at: nullable(bigint),
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id'],
});

export const appKeys = defineTable({
  name: 'app_keys',
  owner: 'apps',
  columns: {
    app_id: text,
    key_id: text,
    key_hash: text,
    hint: text,
    created_at: bigint,
    last_used_at: nullable(bigint),
    disabled_at: nullable(bigint),
    expires_at: nullable(bigint),
  },
  key: ['app_id', 'key_id'],
});

/** What the dry run of an app would have refused; nobody is named. */
export const dryRunCounts = defineTable({
  name: 'dry_run_counts',
  owner: 'apps',
  columns: {
    app_id: text,
    day: bigint,
    subject: text,
    verb: text,
    caller: text,
    outcome: text,
    requests: bigint,
  },
  key: ['app_id', 'day', 'subject', 'verb', 'caller', 'outcome'],
  stepBy: 'day',
  kept: { days: 8, by: 'day' },
});

/** Of gateways, integrations and servers. */
export const secretKeys = defineTable({
  name: 'secret_keys',
  owner: 'apps',
  columns: {
    app_id: text,
    key_id: text,
    name: text,
    key_hash: text,
    hint: text,
    scopes: text,
    networks: text,
    made_by: text,
    created_at: bigint,
    expires_at: nullable(bigint),
    last_used_at: nullable(bigint),
    last_used_from: nullable(text),
    revoked_at: nullable(bigint),
  },
  key: ['app_id', 'key_id'],
});
