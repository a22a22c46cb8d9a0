-- How loud phones hear: what an installation measured where it passed beacons (model ''), the same for a model of phones
-- (installation_id ''), and for all of the app (both ''). hearing: sums in two halves.
create table hearing (
  app_id text not null,
  installation_id text not null,
  model text not null,
  hearing text not null,
  updated_at bigint not null,
  primary key (app_id, installation_id, model)
);
create index hearing_age on hearing (app_id, updated_at);

alter table installations add column device_model text;
