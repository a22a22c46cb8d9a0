import { bigint, defineTable, nullable, text, withDefault } from '../../../db/table.ts';

/** What a record was before a change. Its `object_id` begins with the time of the change. */
export const versions = defineTable({
  name: 'versions',
  owner: 'history',
  columns: {
    app_id: text,
    object_id: text,
    kind: text,
    within_id: text,
    record_id: text,
    created_by: nullable(text),
    changed_by: nullable(text),
    user_id: nullable(text),
    changed_at: bigint,
    updated_at: bigint,
    bytes: bigint,
    state: text,
  },
  key: ['app_id', 'object_id'],
  indexes: {
    versions_record: { on: ['app_id', 'kind', 'record_id', 'object_id'] },
    versions_created_by: { on: ['app_id', 'created_by', 'object_id'] },
    versions_user: { on: ['app_id', 'user_id', 'object_id'] },
  },
  users: ['created_by', 'user_id'],
  erased: 'own',
  // Who else has worked on it is nobody else's business.
  secrets: ['changed_by', 'user_id'],
  kept: { days: 365 },
});

/**
 * A deleted record, with those that went with it (`children`, a JSON array). The bytes of a deleted file stay in the storage under
 * `stored_name`, and count as `stored_bytes`.
 */
export const trash = defineTable({
  name: 'trash',
  owner: 'history',
  columns: {
    app_id: text,
    object_id: text,
    kind: text,
    within_id: text,
    record_id: text,
    title: text,
    created_by: nullable(text),
    deleted_by: nullable(text),
    user_id: nullable(text),
    created_at: bigint,
    updated_at: bigint,
    deleted_at: bigint,
    bytes: bigint,
    children: text,
    state: text,
    stored_name: nullable(text),
    stored_bytes: withDefault(bigint),
  },
  key: ['app_id', 'object_id'],
  indexes: {
    trash_record: { on: ['app_id', 'kind', 'record_id', 'object_id'] },
    trash_created_by: { on: ['app_id', 'created_by', 'object_id'] },
    trash_stored_name: { on: ['app_id', 'stored_name'], isPartial: true },
  },
  users: ['created_by', 'user_id'],
  erased: 'own',
  secrets: ['deleted_by', 'user_id'],
});
