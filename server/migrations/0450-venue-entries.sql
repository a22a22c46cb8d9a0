-- When phones have last entered and left regions that stand for whole venues.
create table venue_entries (
  app_id text not null,
  installation_id text not null,
  venue_id text not null,
  entered_at bigint,
  left_at bigint,
  updated_at bigint not null,
  primary key (app_id, installation_id, venue_id)
);
create index venue_entries_age on venue_entries (app_id, updated_at);
