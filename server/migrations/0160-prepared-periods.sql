-- How far periods have been added up that are not over, or are made of months: the present month (span: part) and years (span: year). Until
-- there is a row for one, it is read by its months and days.

create table rollup_periods (
  app_id text not null,
  span text not null,
  started_at bigint not null,
  covered_until bigint not null,
  primary key (app_id, span, started_at)
);

-- Months that are there are added up once more, and years from them.
insert into ways_due (app_id, span, started_at, changed, due_at)
  select distinct app_id, 'month', started_at, 1, 0 from visit_rollups where span = 'allMonth'
  on conflict (app_id, span, started_at) do nothing;
