-- What is wrong with beacons, and what somebody has done about it (ADR 163).
create table beacon_findings (
  app_id text not null,
  beacon_id text not null,
  kind text not null,
  since bigint not null,
  facts text not null,
  found_at bigint,
  state text not null,
  state_at bigint,
  by_admin text,
  primary key (app_id, beacon_id, kind)
);
