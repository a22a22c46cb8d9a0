import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

export const senders = defineTable({
  name: 'senders',
  owner: 'senders',
  columns: {
    app_id: text,
    kind: text,
    /** Sealed. */
    settings: text,
    /** JSON. */
    summary: text,
    tested_at: nullable(bigint),
    test_ok: nullable(bigint),
    test_text: nullable(text),
    created_at: bigint,
    updated_at: bigint,
    /** What somebody has removed or replaced, for as long as it can be restored. */
    former_settings: nullable(text),
    former_summary: nullable(text),
    former_at: nullable(bigint),
  },
  key: ['app_id', 'kind'],
});
