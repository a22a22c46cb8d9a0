-- How each phone can sense, as it has reported, and how many could not on each day.
alter table installations add column sensing text;
alter table installations add column sensing_at bigint;
alter table installations add column sensing_cause text;
create index installations_sensing on installations (app_id, sensing_at, sensing_cause, app_version);

create table sensing_days (
  app_id text not null,
  day text not null,
  cause text not null,
  phones bigint not null,
  created_at bigint not null,
  primary key (app_id, day, cause)
);
create index sensing_days_age on sensing_days (app_id, created_at);
