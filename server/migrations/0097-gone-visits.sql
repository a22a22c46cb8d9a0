-- What was counted of visits that are gone, where an app keeps visits for no day. It names nobody.

create table gone_visits (
  app_id text not null,
  started_at bigint not null,
  beacon_id text not null,
  visits bigint not null,
  ended bigint not null,
  dwell_ms bigint not null,
  dwells text not null,
  visitors text not null,
  primary key (app_id, started_at, beacon_id)
);
