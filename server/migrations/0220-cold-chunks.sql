-- Old rows of events, verdicts and log records, many in one.
create table cold_chunks (
  app_id text not null,
  object_id text not null,
  kind text not null,
  first_id text not null,
  last_id text not null,
  row_count bigint not null,
  filter text not null,
  content text not null,
  primary key (app_id, object_id)
);
create index cold_chunks_range on cold_chunks (app_id, kind, last_id, first_id);
