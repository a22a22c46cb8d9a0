import { bigint, defineTable, nullable, text } from './table.ts';

/** What the service keeps about itself, and what belongs to no app. */

export const settingsTable = defineTable({
  name: 'settings',
  owner: 'db',
  columns: { name: text, value: text },
  key: ['name'],
});

/** How often something has changed that is kept in memory. */
export const revisions = defineTable({
  name: 'revisions',
  owner: 'db',
  columns: { name: text, n: bigint },
  key: ['name'],
});

/** Which app each of the newest of these changes was about. */
export const cacheChanges = defineTable({
  name: 'cache_changes',
  owner: 'db',
  columns: { name: text, n: bigint, about: text },
  key: ['name', 'n'],
});

/** The processes that share the work on this database. */
export const nodes = defineTable({
  name: 'nodes',
  owner: 'db',
  columns: { node: text, alive_until: bigint, works: bigint },
  key: ['node'],
});

/** Which of them does the work of which share of the apps. */
export const workShares = defineTable({
  name: 'work_shares',
  owner: 'db',
  columns: { bucket: bigint, node: text },
  key: ['bucket'],
});

/** Empty: earlier versions packed old rows into these, and their nodes still look there during an update. To be dropped one version later. */

export const coldChunks = defineTable({
  name: 'cold_chunks',
  owner: 'db',
  columns: {
    app_id: text,
    object_id: text,
    kind: text,
    first_id: text,
    last_id: text,
    row_count: bigint,
    filter: text,
    filter_of: nullable(text),
    content: text,
    /** Such a node does not know it, and so cannot insert a row. */
    closed: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: { cold_chunks_range: { on: ['app_id', 'kind', 'last_id', 'first_id'] } },
});

export const coldSummaries = defineTable({
  name: 'cold_summaries',
  owner: 'db',
  columns: { app_id: text, object_id: text, kind: text, filter: text, filter_of: text, ranges: text },
  key: ['app_id', 'object_id'],
});
