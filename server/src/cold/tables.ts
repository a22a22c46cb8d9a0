import { bigint, defineTable, nullable, text } from '../db/table.ts';

/** Old rows of other tables, many in one; `kind` is the name of their table. */
export const coldChunks = defineTable({
  name: 'cold_chunks',
  owner: 'cold',
  columns: {
    app_id: text,
    object_id: text,
    kind: text,
    /** The least and the greatest objectId of its rows. */
    first_id: text,
    last_id: text,
    row_count: bigint,
    /** Which values are in it; see `filter.ts`. */
    filter: text,
    /** The columns whose values are in the filter, joined by spaces; null: whichever there were then. */
    filter_of: nullable(text),
    content: text,
  },
  key: ['app_id', 'object_id'],
  indexes: { cold_chunks_range: { on: ['app_id', 'kind', 'last_id', 'first_id'] } },
});

/** What is in a chunk, under its objectId. A chunk of a version that did not know of this table has none until a sweep adds it. */
export const coldSummaries = defineTable({
  name: 'cold_summaries',
  owner: 'cold',
  columns: {
    app_id: text,
    object_id: text,
    kind: text,
    filter: text,
    filter_of: text,
    /** JSON; see `ranges.ts` in `format`. */
    ranges: text,
  },
  key: ['app_id', 'object_id'],
});
