import { bigint, defineTable, nullable, text, withDefault } from '../../../db/table.ts';

export const webhooks = defineTable({
  name: 'webhooks',
  owner: 'webhooks',
  columns: {
    app_id: text,
    object_id: text,
    url: text,
    /** A JSON array. */
    events: text,
    description: text,
    is_enabled: bigint,
    secret: text,
    old_secret: nullable(text),
    old_secret_until: nullable(bigint),
    failing_since: nullable(bigint),
    last_error: nullable(text),
    disabled_reason: nullable(text),
    given_up: withDefault(bigint),
    given_up_since: nullable(bigint),
    given_up_at: nullable(bigint),
    /** The e-mail of the administrator who chose that it gets events of the whole service. */
    service_by: nullable(text),
    /** The buckets whose changes it is asked about: a JSON array of names; null: all. */
    buckets: nullable(text),
    /** What counts without an answer: allow, or null: refuse. */
    without_answer: nullable(text),
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'object_id'],
});

/** One event for one webhook. */
export const webhookDeliveries = defineTable({
  name: 'webhook_deliveries',
  owner: 'webhooks',
  columns: {
    app_id: text,
    object_id: text,
    webhook_id: text,
    event: text,
    payload: text,
    state: text,
    attempts: bigint,
    status: nullable(bigint),
    answer: nullable(text),
    reason: nullable(text),
    duration: nullable(bigint),
    next_at: nullable(bigint),
    expires_at: bigint,
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: {
    webhook_deliveries_webhook: { on: ['app_id', 'webhook_id', 'object_id'] },
    webhook_deliveries_waiting: { on: ['app_id', 'webhook_id', 'object_id'], isPartial: true },
  },
  childOf: ['webhooks'],
  mentions: { in: ['payload', 'answer'], erased: 'delete' },
});
