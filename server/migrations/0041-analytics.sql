-- What visitors did, as numbers that outlive the visits they were counted from.

-- Visits that were written, changed or removed and are not counted yet. entered_at: when the visit began, or had begun
-- before it was corrected. Each write has a row of its own, so that counting never misses one that is written meanwhile.
create table visit_changes (
  app_id text not null,
  object_id text not null,
  installation_id text not null,
  beacon_id text not null,
  entered_at bigint not null,
  primary key (app_id, object_id)
);
create index visit_changes_installation on visit_changes (app_id, installation_id, object_id);

-- Where and when each visitor came for the first time.
create table first_visits (
  app_id text not null,
  installation_id text not null,
  beacon_id text not null,
  entered_at bigint not null,
  primary key (app_id, installation_id)
);
create index first_visits_place on first_visits (app_id, beacon_id, entered_at);

-- span: hour and day are of one beacon; allHour and allDay of all together, with an empty beacon_id. started_at: epoch ms, a
-- whole hour or the beginning of a day in the zone of the app. visits: begun; ended: how many of these have ended, with the
-- sum of their dwell. dwells: a histogram; visitors: a set that can be joined with others (see ADR 33).
create table visit_rollups (
  app_id text not null,
  span text not null,
  started_at bigint not null,
  beacon_id text not null,
  visits bigint not null,
  newcomers bigint not null,
  ended bigint not null,
  dwell_ms bigint not null,
  dwells text not null,
  visitors text not null,
  primary key (app_id, span, started_at, beacon_id)
);

-- salt: of the hashes of visitors. time_zone: in which hours and days were counted. raw_since: visits before it may have been
-- deleted because of their age, so that nothing before is counted again. counted_until: how far counting everything anew has
-- come; null: it is done.
create table rollup_states (
  app_id text not null,
  salt text not null,
  time_zone text not null,
  raw_since bigint not null,
  counted_until bigint,
  primary key (app_id)
);
