-- Who was somewhere a moment ago: the map of the console asks every few seconds.
create index positions_recent on positions (app_id, sensed_at, object_id);
