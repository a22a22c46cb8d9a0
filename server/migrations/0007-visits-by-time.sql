-- Visits by when they began: their objectIds follow the first sighting of a pass, which may be long before its ENTER.
create index visits_entered on visits (app_id, entered_at, object_id);
