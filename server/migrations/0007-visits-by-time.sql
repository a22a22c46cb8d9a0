-- Visits by when they began. Their objectIds begin with the time of a pass's first event, which is another.
create index visits_entered on visits (app_id, entered_at, object_id);
