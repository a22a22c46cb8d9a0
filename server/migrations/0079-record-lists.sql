-- The texts in members of records that hold lists, such as with whom a record is shared, so that an index finds them. A record that
-- goes takes them along, however it goes.
create table record_lists (
  app_id text not null,
  bucket_id text not null,
  slot text not null,
  value text not null,
  object_id text not null,
  primary key (app_id, bucket_id, slot, value, object_id),
  foreign key (app_id, bucket_id, object_id) references records (app_id, bucket_id, object_id) on delete cascade
);
create index record_lists_record on record_lists (app_id, bucket_id, object_id);
