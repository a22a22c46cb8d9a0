-- Walks through a floor whose way is known, what all of a floor's say together, and what follows for each beacon.
create table surveys (
  app_id text not null,
  floor_id text not null,
  object_id text not null,
  way text not null,
  samples text not null,
  heard text not null,
  counted bigint not null,
  unknown bigint not null,
  unusable bigint not null,
  started_at bigint not null,
  ended_at bigint not null,
  device_model text,
  digest text not null,
  by_admin text,
  created_by text,
  created_at bigint not null,
  primary key (app_id, object_id)
);
create index surveys_floor on surveys (app_id, floor_id, object_id);
create index surveys_created_by on surveys (app_id, created_by, object_id);
create table floor_maps (
  app_id text not null,
  floor_id text not null,
  version bigint not null,
  basis text not null,
  trial text,
  beacons bigint not null,
  made_at bigint not null,
  primary key (app_id, floor_id)
);
create table beacon_signals (
  app_id text not null,
  beacon_id text not null,
  floor_id text not null,
  part text not null,
  primary key (app_id, beacon_id, floor_id)
);
create index beacon_signals_floor on beacon_signals (app_id, floor_id, beacon_id);
