-- How many may be inside at once, and the places where there are more.

-- capacity: null: as many as come.
alter table zones add column capacity bigint;
alter table venues add column capacity bigint;
create index zones_capacity on zones (app_id, object_id) where capacity is not null;
create index venues_capacity on venues (app_id, object_id) where capacity is not null;

-- A row from the first look that finds more than the limit until it is over. place: zone or venue. capacity, name: as they were
-- then, for what is told when the limit has been taken away meanwhile. begun_at: when it had lasted long enough to be told; null:
-- not yet. under_at: since when there are few enough again; null: there are not.
create table crowded_places (
  app_id text not null,
  place_id text not null,
  place text not null,
  venue_id text not null,
  name text not null,
  capacity bigint not null,
  first_over_at bigint not null,
  begun_at bigint,
  under_at bigint,
  primary key (app_id, place_id)
);

-- venue_id: whoever is limited to this venue is told of it, too. Null: it concerns the app as a whole.
alter table alerts add column venue_id text;
