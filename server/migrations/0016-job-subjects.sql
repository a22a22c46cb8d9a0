-- What a job is about, to be found by: a push, for the jobs that send it.
alter table jobs add column subject text;
-- Its payload is {"pushId":"…",…}; an objectId has 20 characters.
update jobs set subject = substr(payload, 12, 20) where kind = 'push.send';
create index jobs_subject on jobs (app_id, kind, subject) where subject is not null;
