-- Presence, visits, events and verdicts: what the proximity engine keeps. Object ids begin with the time of what they
-- name, so that lists page by them and what is too old is one range of the primary key.

-- The engine's state of one installation at one beacon. visit_count: visits that are over.
create table presence (
  app_id text not null,
  installation_id text not null,
  beacon_id text not null,
  state text not null,
  next_deadline bigint,
  visit_count bigint not null,
  updated_at bigint not null,
  primary key (app_id, installation_id, beacon_id)
);
create index presence_due on presence (next_deadline) where next_deadline is not null;

create table visits (
  app_id text not null,
  object_id text not null,
  beacon_id text not null,
  installation_id text not null,
  entered_at bigint not null,
  left_at bigint,
  dwell double precision,
  is_open bigint not null,
  source text not null,
  ended_by text,
  inferred bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index visits_beacon on visits (app_id, beacon_id, object_id);
create index visits_installation on visits (app_id, installation_id, object_id);
create index visits_open on visits (app_id, is_open, object_id);

create table events (
  app_id text not null,
  object_id text not null,
  event text not null,
  beacon_id text not null,
  installation_id text not null,
  visit_id text not null,
  occurred_at bigint not null,
  distance double precision,
  entered_at bigint,
  left_at bigint,
  cause text not null,
  inferred bigint not null,
  created_at bigint not null,
  primary key (app_id, object_id)
);
create index events_beacon on events (app_id, beacon_id, object_id);
create index events_installation on events (app_id, installation_id, object_id);
create index events_visit on events (app_id, visit_id, object_id);

-- object_id: the event's id, a dash, the trigger's id.
create table verdicts (
  app_id text not null,
  object_id text not null,
  event_id text not null,
  trigger_id text not null,
  kind text not null,
  event text not null,
  beacon_id text not null,
  installation_id text not null,
  visit_id text not null,
  outcome text not null,
  reason text not null,
  explanation text not null,
  decided_at bigint not null,
  due_at bigint,
  delivery_id text,
  created_at bigint not null,
  primary key (app_id, object_id)
);
create index verdicts_trigger on verdicts (app_id, trigger_id, object_id);
create index verdicts_installation on verdicts (app_id, installation_id, object_id);

-- What an installation has been shown, for the gates that count (repeat, cool-down, caps).
create table firings (
  app_id text not null,
  installation_id text not null,
  fired_at bigint not null,
  event_id text not null,
  trigger_id text not null,
  visit_id text not null,
  primary key (app_id, installation_id, fired_at, event_id, trigger_id)
);
create index firings_age on firings (app_id, fired_at);

-- Sightings that were counted, so that they do not count again; the answer, where the key is that of a whole batch.
create table sighting_keys (
  app_id text not null,
  installation_id text not null,
  sighting_key text not null,
  answer text,
  created_at bigint not null,
  primary key (app_id, installation_id, sighting_key)
);
create index sighting_keys_age on sighting_keys (app_id, created_at);

-- Which scenarios belong to a beacon: storyline_details.beacons the other way round.
create table scenario_beacons (
  app_id text not null,
  beacon_id text not null,
  detail_id text not null,
  primary key (app_id, beacon_id, detail_id)
);
create index scenario_beacons_detail on scenario_beacons (app_id, detail_id);

alter table beacons add column measured_power bigint;
alter table beacons add column sensitivity text;
alter table beacons add column radius double precision;
-- From metadata.gatewayId: the fixed receiver that stands for this beacon.
alter table beacons add column gateway_key text;
create index beacons_gateway on beacons (app_id, gateway_key);

-- From metadata.advertisedId: the tag that stands for this installation.
alter table installations add column advertised_key text;
create index installations_advertised on installations (app_id, advertised_key);

alter table notifications add column delivery text;
alter table storyline_details add column delivery text;
