import { bigint, defineTable, text } from './table.ts';

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
