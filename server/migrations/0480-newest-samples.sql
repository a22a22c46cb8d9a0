-- What was sensed since the track was written, a row for each batch from which nothing followed (ADR 39).
-- clock: what is known of the sender's clock after it, JSON; null: what was known before.
create table newest_samples (
  app_id text not null,
  installation_id text not null,
  place bigint not null,
  samples text not null,
  clock text,
  created_at bigint not null,
  primary key (app_id, installation_id, place)
);
