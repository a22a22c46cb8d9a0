-- What is in packed rows, beside them: a query opens only those in which there may be something for it.
create table cold_summaries (
  app_id text not null,
  object_id text not null,
  kind text not null,
  filter text not null,
  filter_of text not null,
  ranges text not null,
  primary key (app_id, object_id)
);
