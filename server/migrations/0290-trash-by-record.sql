-- The undo of a deletion of many looks each record up.
create index trash_record on trash (app_id, kind, record_id, object_id);
