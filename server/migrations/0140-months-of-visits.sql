-- Months of visits are rows of visit_rollups too (span: month, allMonth, zoneMonth, floorMonth, venueMonth), added up with the ways of
-- the month: those that are there are added up once.
insert into ways_due (app_id, span, started_at, changed, due_at)
  select distinct app_id, 'month', started_at, 1, 0 from way_rollups where span = 'month'
  on conflict (app_id, span, started_at) do nothing;
