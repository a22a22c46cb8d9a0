-- Which beacons competed when an event was confirmed, and where each installation was last known to be.

alter table events add column rivals text;

-- One row for each installation, whose id it has.
create table positions (
  app_id text not null,
  object_id text not null,
  installation_id text not null,
  beacon_id text not null,
  distance double precision not null,
  confidence double precision,
  x double precision,
  y double precision,
  floor double precision,
  accuracy double precision,
  sensed_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index positions_installation on positions (app_id, installation_id, object_id);
create index positions_beacon on positions (app_id, beacon_id, object_id);

-- What traffic has taught about the radio of each beacon. evidence: two halves of sums; learned: the correction that both
-- halves agree on, null where there is none.

create table beacon_radio (
  app_id text not null,
  beacon_id text not null,
  evidence text not null,
  learned text,
  updated_at bigint not null,
  primary key (app_id, beacon_id)
);
