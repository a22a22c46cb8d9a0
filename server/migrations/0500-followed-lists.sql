-- Lists that somebody follows, by the tables of their records, and what was written there since a moment ago.
create table followed_tables (
  app_id text not null,
  name text not null,
  wanted_until bigint not null,
  primary key (app_id, name)
);
create table list_changes (
  app_id text not null,
  object_id text not null,
  name text not null,
  node text not null,
  records text,
  primary key (app_id, object_id)
);
