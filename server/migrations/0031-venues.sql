-- Venues with their floors and zones, and which of them a beacon belongs to.

-- time_zone: null: the app's. location: JSON, latitude and longitude. opening_hours: JSON; null: nobody knows.
-- exceptions: JSON, days with other hours.
create table venues (
  app_id text not null,
  object_id text not null,
  name text not null,
  time_zone text,
  address text,
  location text,
  opening_hours text,
  exceptions text not null,
  created_by text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index venues_created_by on venues (app_id, created_by, object_id);

-- plan, scale, origin, size: JSON. north: degrees.
create table floors (
  app_id text not null,
  object_id text not null,
  venue_id text not null,
  name text not null,
  level double precision not null,
  plan text,
  scale text,
  origin text,
  north double precision,
  size text,
  created_by text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index floors_venue on floors (app_id, venue_id, object_id);
create index floors_created_by on floors (app_id, created_by, object_id);

-- venue_id: the floor's. left_x to bottom_y: the box around the polygon, in metres, so that few polygons are looked at.
create table zones (
  app_id text not null,
  object_id text not null,
  floor_id text not null,
  venue_id text,
  name text not null,
  kind text not null,
  polygon text not null,
  left_x double precision not null,
  right_x double precision not null,
  top_y double precision not null,
  bottom_y double precision not null,
  created_by text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index zones_floor on zones (app_id, floor_id, object_id);
create index zones_venue on zones (app_id, venue_id, object_id);
create index zones_created_by on zones (app_id, created_by, object_id);

alter table beacons add column venue_id text;
alter table beacons add column zone_id text;
create index beacons_venue on beacons (app_id, venue_id, object_id);
create index beacons_zone on beacons (app_id, zone_id, object_id);
