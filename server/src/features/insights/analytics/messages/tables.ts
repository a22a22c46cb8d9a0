import { bigint, defineTable, nullable, text } from '../../../../db/table.ts';

/** Each time that a message was shown to somebody, or would have been to somebody who is held out; see ADR 46. */
export const messageShowings = defineTable({
  name: 'message_showings',
  owner: 'analytics',
  columns: {
    app_id: text,
    object_id: text,
    installation_id: text,
    trigger_id: text,
    message_group: text,
    shown_at: bigint,
    is_first: bigint,
    received_at: nullable(bigint),
    opened_at: nullable(bigint),
    acted_at: nullable(bigint),
    withdrawn_at: nullable(bigint),
    changes: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: {
    message_showings_trigger: { on: ['app_id', 'trigger_id', 'shown_at'] },
    message_showings_installation: { on: ['app_id', 'installation_id', 'trigger_id', 'shown_at'] },
    message_showings_changed: { on: ['app_id', 'object_id'], isPartial: true },
    message_showings_age: { on: ['app_id', 'shown_at'] },
  },
  trail: { installation: 'installation_id', at: 'shown_at' },
  // The first one says that a later one is not: whoever comes back after the retention is not reached for the first time.
  // Days are counted until all of theirs have had time to come.
  kept: { days: 'visits', by: 'shown_at', only: 'is_first = 0', atLeastMs: 4 * 86_400_000 },
});

/** At which beacon each was shown, or would have been; see ADR 95. What is over has been counted. */
export const messagePlaces = defineTable({
  name: 'message_places',
  owner: 'analytics',
  columns: { app_id: text, object_id: text, installation_id: text, shown_at: bigint, beacon_id: text },
  key: ['app_id', 'object_id'],
  indexes: {
    message_places_installation: { on: ['app_id', 'installation_id', 'shown_at'] },
    message_places_age: { on: ['app_id', 'shown_at'] },
  },
  trail: { installation: 'installation_id', at: 'shown_at' },
  kept: { days: 'visits', by: 'shown_at', atLeastMs: 4 * 86_400_000 },
});

/** Daily counts of showings. They name nobody, and stay. */
export const messageRollups = defineTable({
  name: 'message_rollups',
  owner: 'analytics',
  columns: {
    app_id: text,
    started_at: bigint,
    trigger_id: text,
    message_group: text,
    reached: bigint,
    opened_by: bigint,
    acted: bigint,
    shown: bigint,
    received: bigint,
    opened: bigint,
    withdrawn: bigint,
  },
  key: ['app_id', 'started_at', 'trigger_id', 'message_group'],
  stepBy: 'started_at',
});

/** The same by the place of the beacon; empty: unknown. */
export const messagePlaceRollups = defineTable({
  name: 'message_place_rollups',
  owner: 'analytics',
  columns: {
    app_id: text,
    started_at: bigint,
    trigger_id: text,
    message_group: text,
    beacon_id: text,
    venue_id: text,
    floor_id: text,
    zone_id: text,
    reached: bigint,
    opened_by: bigint,
    acted: bigint,
    shown: bigint,
    received: bigint,
    opened: bigint,
    withdrawn: bigint,
  },
  key: ['app_id', 'started_at', 'trigger_id', 'message_group', 'beacon_id', 'venue_id', 'floor_id', 'zone_id'],
  stepBy: 'started_at',
});

/** How many messages visitors were shown in a week or month. */
export const messageLoads = defineTable({
  name: 'message_loads',
  owner: 'analytics',
  columns: { app_id: text, span: text, started_at: bigint, visitors: text, counted_at: bigint, is_stale: bigint },
  key: ['app_id', 'span', 'started_at'],
});

/** The state of an app's message counts. */
export const messageStates = defineTable({
  name: 'message_states',
  owner: 'analytics',
  columns: {
    app_id: text,
    time_zone: text,
    goals: text,
    shown_since: bigint,
    recounted_to: nullable(text),
    records_until: bigint,
    withdrawn_until: bigint,
  },
  key: ['app_id'],
});
