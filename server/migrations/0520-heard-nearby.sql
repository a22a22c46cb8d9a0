-- What each gateway has just heard that nobody knows, what nobody wants to see of it, and which UUIDs become beacons by themselves.
create table heard_nearby (
  app_id text not null,
  gateway text not null,
  tags text not null,
  heard_at bigint not null,
  primary key (app_id, gateway)
);
create index heard_nearby_age on heard_nearby (app_id, heard_at);
create table ignored_tags (
  app_id text not null,
  tag_key text not null,
  tag text not null,
  ignored_at bigint not null,
  primary key (app_id, tag_key)
);
create table adoption_rules (
  app_id text not null,
  uuid_key text not null,
  max_beacons bigint not null,
  created_at bigint not null,
  primary key (app_id, uuid_key)
);
