-- When a visit began and ended, and its seconds, by what was heard later.
alter table visits add column smoothed_entered_at bigint;
alter table visits add column smoothed_left_at bigint;
alter table visits add column smoothed_dwell double precision;
