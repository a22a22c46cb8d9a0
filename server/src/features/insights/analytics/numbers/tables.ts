import { bigint, defineTable, nullable, text, withDefault } from '../../../../db/table.ts';

/** Where and when each visitor came for the first time. */
export const firstVisits = defineTable({
  name: 'first_visits',
  owner: 'analytics',
  columns: { app_id: text, installation_id: text, beacon_id: text, entered_at: bigint },
  key: ['app_id', 'installation_id'],
  indexes: { first_visits_place: { on: ['app_id', 'beacon_id', 'entered_at'] } },
  // Behind the visits in the list of tables: what is counted of them while they are being erased goes after them.
  trail: { installation: 'installation_id', at: 'entered_at' },
});

/** What was counted of the visits that began in an hour or on a day; see ADR 33. It names nobody, and stays. */
export const visitRollups = defineTable({
  name: 'visit_rollups',
  owner: 'analytics',
  columns: {
    app_id: text,
    span: text,
    started_at: bigint,
    beacon_id: text,
    visits: bigint,
    newcomers: bigint,
    ended: bigint,
    dwell_ms: bigint,
    dwells: text,
    visitors: text,
  },
  key: ['app_id', 'span', 'started_at', 'beacon_id'],
  stepBy: 'started_at',
});

/**
 * What was counted of visits that are gone, by the hour in which they began, where an app keeps visits for no day: an hour that is
 * counted anew begins with it. It names nobody, and stays for some days; see ADR 63.
 */
export const goneVisits = defineTable({
  name: 'gone_visits',
  owner: 'analytics',
  columns: {
    app_id: text,
    started_at: bigint,
    beacon_id: text,
    visits: bigint,
    ended: bigint,
    dwell_ms: bigint,
    dwells: text,
    visitors: text,
  },
  key: ['app_id', 'started_at', 'beacon_id'],
  stepBy: 'started_at',
});

/** How an app is counted, and how far counting everything anew has come. */
export const rollupStates = defineTable({
  name: 'rollup_states',
  owner: 'analytics',
  columns: {
    app_id: text,
    salt: text,
    time_zone: text,
    raw_since: bigint,
    counted_until: nullable(bigint),
    placed_until: nullable(bigint),
  },
  key: ['app_id'],
  secrets: ['salt'],
});

/** Where each beacon has been, from an hour on; its first row counts for the time before as well. */
export const beaconPlaces = defineTable({
  name: 'beacon_places',
  owner: 'analytics',
  columns: {
    app_id: text,
    beacon_id: text,
    since: bigint,
    venue_id: nullable(text),
    floor_id: nullable(text),
    zone_id: nullable(text),
  },
  key: ['app_id', 'beacon_id', 'since'],
});

/** What visitors did between zones; see ADR 44. It names nobody, and stays. */
export const wayRollups = defineTable({
  name: 'way_rollups',
  owner: 'analytics',
  columns: {
    app_id: text,
    kind: text,
    span: text,
    started_at: bigint,
    venue_id: text,
    place: text,
    tours: bigint,
    times: text,
    visitors: text,
  },
  key: ['app_id', 'kind', 'span', 'started_at', 'venue_id', 'place'],
  stepBy: 'started_at',
});

/**
 * Until when the current month (`part`), a month and a year have been added up, with the version of the rows; see ADR 33. Only the
 * version of months is read.
 */
export const rollupPeriods = defineTable({
  name: 'rollup_periods',
  owner: 'analytics',
  columns: { app_id: text, span: text, started_at: bigint, covered_until: bigint, version: withDefault(bigint) },
  key: ['app_id', 'span', 'started_at'],
});

/** Days whose ways must be recounted, and months and years that must be added up. */
export const waysDue = defineTable({
  name: 'ways_due',
  owner: 'analytics',
  columns: { app_id: text, span: text, started_at: bigint, changed: bigint, due_at: bigint },
  key: ['app_id', 'span', 'started_at'],
});
