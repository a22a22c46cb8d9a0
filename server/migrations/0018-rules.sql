-- Who may read and write what in an app, beyond the preset; and who made a record.

alter table apps add column rules text not null default '{}';

-- created_by: the user who made it; null: unknown, or nobody was signed in.
alter table records add column created_by text;
alter table beacons add column created_by text;
alter table notifications add column created_by text;
alter table storylines add column created_by text;
alter table storyline_details add column created_by text;
alter table files rename column user_id to created_by;
alter table devices rename column user_id to created_by;

create index records_created_by on records (app_id, bucket_id, created_by, object_id);
create index beacons_created_by on beacons (app_id, created_by, object_id);
create index notifications_created_by on notifications (app_id, created_by, object_id);
create index storylines_created_by on storylines (app_id, created_by, object_id);
create index storyline_details_created_by on storyline_details (app_id, created_by, object_id);
create index devices_created_by on devices (app_id, created_by, object_id);
