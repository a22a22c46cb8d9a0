-- What was heard of each beacon on a day, and what it told of itself (ADR 162).
create table beacon_days (
  app_id text not null,
  beacon_id text not null,
  day bigint not null,
  summary text not null,
  primary key (app_id, beacon_id, day)
);
create index beacon_days_age on beacon_days (app_id, day);
