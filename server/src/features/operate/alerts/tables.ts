import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** Conditions that need a person, and those that are over. */
export const alerts = defineTable({
  name: 'alerts',
  owner: 'alerts',
  columns: {
    app_id: text,
    alert_id: text,
    alert_key: text,
    kind: text,
    is_grave: bigint,
    title: text,
    text,
    first_seen_at: bigint,
    seen_at: bigint,
    begun_at: nullable(bigint),
    told_at: nullable(bigint),
    gone_at: nullable(bigint),
    ended_at: nullable(bigint),
    venue_id: nullable(text),
  },
  key: ['app_id', 'alert_id'],
  indexes: { alerts_open: { on: ['app_id', 'alert_key'], isUnique: true, isPartial: true } },
});

export const alertChoices = defineTable({
  name: 'alert_choices',
  owner: 'alerts',
  columns: { admin_id: text, name: text, value: text },
  key: ['admin_id', 'name'],
});

/** On which days a digest was sent. */
export const alertDigests = defineTable({
  name: 'alert_digests',
  owner: 'alerts',
  columns: { app_id: text, day: text, made_at: bigint },
  key: ['app_id', 'day'],
});
