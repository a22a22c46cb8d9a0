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
