-- Visits by when they began. Their objectIds begin with the time of a pass's first event, which is another. The second is
-- for a beacon and a long stretch of time: SQLite knows no sizes and would walk the whole stretch.
create index visits_entered on visits (app_id, entered_at, object_id);
create index visits_beacon_entered on visits (app_id, beacon_id, entered_at, object_id);
