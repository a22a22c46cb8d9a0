-- A push to many waits until a second person has approved it.

-- approval: JSON, waiting or who approved it when; null: it needs none. waits: 1 while it waits. authors: JSON, who has
-- written this push: `admin …`, `user …`, `key …`.
alter table pushes add column approval text;
alter table pushes add column waits bigint not null default 0;
alter table pushes add column authors text;
create index pushes_waiting on pushes (app_id, object_id) where waits = 1;
