import { bigint, defineTable, text } from '../../../db/table.ts';

/** Drafts of rules, tried on what was recorded. The result names nobody. */
export const ruleReplays = defineTable({
  name: 'rule_replays',
  owner: 'sightings',
  columns: {
    app_id: text,
    object_id: text,
    asked: text,
    state: text,
    done_to: text,
    judged: bigint,
    installations: bigint,
    result: text,
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'object_id'],
  kept: { days: 30 },
});
