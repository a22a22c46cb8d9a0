-- Records as they were before a change (versions), and records that were deleted (trash).

create table versions (
  app_id text not null,
  object_id text not null,
  kind text not null,
  within_id text not null,
  record_id text not null,
  created_by text,
  changed_by text,
  user_id text,
  changed_at bigint not null,
  updated_at bigint not null,
  bytes bigint not null,
  state text not null,
  primary key (app_id, object_id)
);
create index versions_record on versions (app_id, kind, record_id, object_id);
create index versions_created_by on versions (app_id, created_by, object_id);
create index versions_user on versions (app_id, user_id, object_id);

create table trash (
  app_id text not null,
  object_id text not null,
  kind text not null,
  within_id text not null,
  record_id text not null,
  title text not null,
  created_by text,
  deleted_by text,
  user_id text,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint not null,
  bytes bigint not null,
  children text not null,
  state text not null,
  primary key (app_id, object_id)
);
create index trash_created_by on trash (app_id, created_by, object_id);
