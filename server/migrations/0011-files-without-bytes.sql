-- When it was found that the storage does not have the bytes of a file; null while it has them. Such a file is not shown.
alter table files add column bytes_missing_at bigint;
create index files_without_bytes on files (app_id, object_id) where bytes_missing_at is not null;
