-- When an app named phones by pseudonyms of the day, and the secret of each of these days.

create table pseudonym_spells (
  app_id text not null,
  begun_at bigint not null,
  ended_at bigint,
  primary key (app_id, begun_at)
);

create table pseudonym_days (
  app_id text not null,
  begins_at bigint not null,
  ends_at bigint not null,
  secret text not null,
  primary key (app_id, begins_at)
);
