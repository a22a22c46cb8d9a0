-- Where a message was shown to somebody, or would have been: the beacon at which it was decided. object_id: of the showing.
create table message_places (
  app_id text not null,
  object_id text not null,
  installation_id text not null,
  shown_at bigint not null,
  beacon_id text not null,
  primary key (app_id, object_id)
);
create index message_places_installation on message_places (app_id, installation_id, shown_at);
create index message_places_age on message_places (app_id, shown_at);

-- What message_rollups has, by the place at which messages were shown. venue_id, floor_id, zone_id: where the beacon was; empty: in none.
create table message_place_rollups (
  app_id text not null,
  started_at bigint not null,
  trigger_id text not null,
  message_group text not null,
  beacon_id text not null,
  venue_id text not null,
  floor_id text not null,
  zone_id text not null,
  reached bigint not null,
  opened_by bigint not null,
  acted bigint not null,
  shown bigint not null,
  received bigint not null,
  opened bigint not null,
  withdrawn bigint not null,
  primary key (app_id, started_at, trigger_id, message_group, beacon_id, venue_id, floor_id, zone_id)
);

-- Most visitors at once were counted of zones only; of beacons in zones they are counted once the ways of a day are counted again.
insert into ways_due (app_id, span, started_at, changed, due_at)
  select distinct app_id, 'day', started_at, 1, 0 from way_rollups where kind = 'move' and span = 'day'
  on conflict (app_id, span, started_at) do nothing;
