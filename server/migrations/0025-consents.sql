-- What visitors have agreed to, its history, and what is counted of those who have not.

-- JSON: for each purpose whether it is granted, under which text, since when; null: nothing was said.
alter table installations add column consents text;

-- Every decision. decided_by: phone, user, manager; or handover, which ends the decisions of the previous holder.
create table consents (
  app_id text not null,
  object_id text not null,
  installation_id text not null,
  purpose text not null,
  granted bigint not null,
  text_version text,
  decided_by text not null,
  created_at bigint not null,
  primary key (app_id, object_id)
);
create index consents_installation on consents (app_id, installation_id, object_id);

-- hour: its beginning (epoch ms). sightings: of all those who have not agreed to analytics; nobody is named.
create table sighting_counts (
  app_id text not null,
  beacon_id text not null,
  hour bigint not null,
  sightings bigint not null,
  primary key (app_id, beacon_id, hour)
);
create index sighting_counts_age on sighting_counts (app_id, hour);
