-- A deleted file waits in the trash, and its bytes in the storage: the name under which they are kept, and how many they are.

alter table trash add column stored_name text;
alter table trash add column stored_bytes bigint not null default 0;
create index trash_stored_name on trash (app_id, stored_name) where stored_name is not null;
