import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** Receipts of erasures, which name nobody. */
export const erasures = defineTable({
  name: 'erasures',
  owner: 'privacy',
  columns: {
    app_id: text,
    object_id: text,
    kind: text,
    hashes: text,
    asked_by: text,
    counts: text,
    webhooks: nullable(text),
    backups: nullable(text),
    requested_at: bigint,
    completed_at: nullable(bigint),
  },
  key: ['app_id', 'object_id'],
});
