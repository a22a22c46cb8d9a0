-- When the next job of any kind is due: one look for a node that has nothing to do.
create index jobs_next on jobs (run_at) where state = 'queued';
