import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** What visitors have decided, one row each time. */
export const consentsTable = defineTable({
  name: 'consents',
  owner: 'installations',
  columns: {
    app_id: text,
    object_id: text,
    installation_id: text,
    purpose: text,
    granted: bigint,
    text_version: nullable(text),
    decided_by: text,
    created_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: { consents_installation: { on: ['app_id', 'installation_id', 'object_id'] } },
  trail: { installation: 'installation_id', at: 'created_at' },
});
