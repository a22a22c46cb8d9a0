import { bigint, defineTable, nullable, type RowOf, text, withDefault } from '../../../../db/table.ts';

/** What the engine keeps for itself. */

/** Where each installation is; one row each. */
export const tracks = defineTable({
  name: 'tracks',
  owner: 'sightings',
  columns: {
    app_id: text,
    installation_id: text,
    state: text,
    next_deadline: nullable(bigint),
    updated_at: bigint,
    version: withDefault(bigint),
  },
  key: ['app_id', 'installation_id'],
  indexes: { tracks_due: { on: ['next_deadline'], isPartial: true } },
  trail: { installation: 'installation_id' },
});

/** A few hundred samples in a row, and the presence before the first of them. */
export const trackSamples = defineTable({
  name: 'track_samples',
  owner: 'sightings',
  columns: { app_id: text, installation_id: text, started_at: bigint, checkpoint: text, samples: text },
  key: ['app_id', 'installation_id', 'started_at'],
  stepBy: 'installation_id',
  trail: { installation: 'installation_id' },
});

/** What was sensed since the track was written: the batches from which nothing followed. */
export const newestSamples = defineTable({
  name: 'newest_samples',
  owner: 'sightings',
  columns: {
    app_id: text,
    installation_id: text,
    place: bigint,
    samples: text,
    clock: nullable(text),
    created_at: bigint,
  },
  key: ['app_id', 'installation_id', 'place'],
  stepBy: 'installation_id',
  trail: { installation: 'installation_id' },
});

/** How many visits of an installation at a beacon are over. */
export const presence = defineTable({
  name: 'presence',
  owner: 'sightings',
  columns: { app_id: text, installation_id: text, beacon_id: text, visit_count: bigint, updated_at: bigint },
  key: ['app_id', 'installation_id', 'beacon_id'],
  stepBy: 'installation_id',
  trail: { installation: 'installation_id' },
});

/** What traffic has taught about the radio of each beacon; see learning.ts of the engine. */
export const beaconRadio = defineTable({
  name: 'beacon_radio',
  owner: 'sightings',
  columns: { app_id: text, beacon_id: text, evidence: text, learned: nullable(text), updated_at: bigint },
  key: ['app_id', 'beacon_id'],
  stepBy: 'beacon_id',
});

/** What the surveys of a floor say about the signal of each beacon that was heard there; see signal-map.ts of the engine. */
export const beaconSignals = defineTable({
  name: 'beacon_signals',
  owner: 'sightings',
  columns: { app_id: text, beacon_id: text, floor_id: text, part: text },
  key: ['app_id', 'beacon_id', 'floor_id'],
  indexes: { beacon_signals_floor: { on: ['app_id', 'floor_id', 'beacon_id'] } },
  stepBy: 'beacon_id',
});

/** How loudly installations, models of phones and all of an app hear; see hearing.ts of the engine. */
export const hearings = defineTable({
  name: 'hearing',
  owner: 'sightings',
  columns: { app_id: text, installation_id: text, model: text, hearing: text, updated_at: bigint },
  key: ['app_id', 'installation_id', 'model'],
  indexes: { hearing_age: { on: ['app_id', 'updated_at'] } },
  stepBy: 'installation_id',
  trail: { installation: 'installation_id' },
  // A phone that comes once a season gets another battery, case and owner in between.
  kept: { days: 180, by: 'updated_at' },
});

/** What was shown to whom, for caps and pauses. */
export const firings = defineTable({
  name: 'firings',
  owner: 'sightings',
  columns: {
    app_id: text,
    installation_id: text,
    fired_at: bigint,
    event_id: text,
    trigger_id: text,
    visit_id: text,
  },
  key: ['app_id', 'installation_id', 'fired_at', 'event_id', 'trigger_id'],
  indexes: { firings_age: { on: ['app_id', 'fired_at'] } },
  stepBy: 'event_id',
  trail: { installation: 'installation_id', at: 'fired_at' },
  // The longest window of a cap or a cool-down is 30 days; a calendar day more for the site's time zone.
  kept: { days: 32, by: 'fired_at' },
});

/** Sightings and batches that have been counted. */
export const sightingKeys = defineTable({
  name: 'sighting_keys',
  owner: 'sightings',
  columns: {
    app_id: text,
    installation_id: text,
    sighting_key: text,
    answer: nullable(text),
    created_at: bigint,
  },
  key: ['app_id', 'installation_id', 'sighting_key'],
  indexes: { sighting_keys_age: { on: ['app_id', 'created_at'] } },
  trail: { installation: 'installation_id', at: 'created_at' },
  // A phone that was offline may send a batch once more after days.
  kept: { days: 7, by: 'created_at' },
});

/** Sightings of those who have not agreed to be recorded, by beacon and hour. */
export const sightingCounts = defineTable({
  name: 'sighting_counts',
  owner: 'sightings',
  columns: { app_id: text, beacon_id: text, hour: bigint, sightings: bigint },
  key: ['app_id', 'beacon_id', 'hour'],
  indexes: { sighting_counts_age: { on: ['app_id', 'hour'] } },
  stepBy: 'hour',
  kept: { days: 'visits', by: 'hour', atLeastMs: 86_400_000 },
});

/**
 * What counting must read again. A row is written with every visit that begins, ends, is corrected or removed, in its
 * transaction; a visit deleted because of its age or an erasure leaves none, so that it stays counted.
 */
export const visitChanges = defineTable({
  name: 'visit_changes',
  owner: 'sightings',
  columns: { app_id: text, object_id: text, installation_id: text, beacon_id: text, entered_at: bigint },
  key: ['app_id', 'object_id'],
  trail: { installation: 'installation_id' },
});

/** When an installation has last entered and left the region of a whole venue, as its phone has said. */
export const venueEntries = defineTable({
  name: 'venue_entries',
  owner: 'sightings',
  columns: {
    app_id: text,
    installation_id: text,
    venue_id: text,
    entered_at: nullable(bigint),
    left_at: nullable(bigint),
    updated_at: bigint,
  },
  key: ['app_id', 'installation_id', 'venue_id'],
  indexes: { venue_entries_age: { on: ['app_id', 'updated_at'] } },
  stepBy: 'installation_id',
  trail: { installation: 'installation_id' },
  kept: { days: 'positions', by: 'updated_at' },
});

export type VenueEntry = RowOf<typeof venueEntries>;

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

export type ReplayRow = RowOf<typeof ruleReplays>;
