import { bigint, defineTable, nullable, text, withDefault } from '../../../db/table.ts';

/** Apps whose live events are being kept because somebody listens, or did a moment ago. */
export const liveApps = defineTable({
  name: 'live_apps',
  owner: 'live',
  columns: {
    app_id: text,
    wanted_until: bigint,
    seq: bigint,
    floor_seq: bigint,
    /** Until when positions are kept as well. */
    positions_until: withDefault(bigint),
  },
  key: ['app_id'],
});

export const liveEvents = defineTable({
  name: 'live_events',
  owner: 'live',
  columns: { app_id: text, object_id: text, seq: nullable(bigint), event: text, data: text, created_at: bigint },
  key: ['app_id', 'object_id'],
  indexes: {
    live_events_seq: { on: ['app_id', 'seq'] },
    live_events_new: { on: ['app_id', 'object_id'], isPartial: true },
  },
  childOf: ['live_apps'],
  mentions: { in: ['data'], erased: 'delete' },
});

/** Tables whose lists somebody follows, on any node. */
export const followedTables = defineTable({
  name: 'followed_tables',
  owner: 'live',
  columns: { app_id: text, name: text, wanted_until: bigint },
  key: ['app_id', 'name'],
});

/** Recent writes to these tables, for other nodes. */
export const listChanges = defineTable({
  name: 'list_changes',
  owner: 'live',
  columns: { app_id: text, object_id: text, name: text, node: text, records: nullable(text) },
  key: ['app_id', 'object_id'],
  mentions: { in: ['records'], erased: 'delete' },
});
