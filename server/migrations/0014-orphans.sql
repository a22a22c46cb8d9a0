-- What was written while the record above it was being deleted, and could no longer be reached.

delete from storyline_details where not exists (select 1 from storylines s
  where s.app_id = storyline_details.app_id and s.object_id = storyline_details.storyline_id);

delete from scenario_beacons where not exists (select 1 from storyline_details d
  where d.app_id = scenario_beacons.app_id and d.object_id = scenario_beacons.detail_id);

delete from device_credentials where not exists (select 1 from devices d
  where d.app_id = device_credentials.app_id and d.object_id = device_credentials.device_id);

delete from webhook_deliveries where not exists (select 1 from webhooks w
  where w.app_id = webhook_deliveries.app_id and w.object_id = webhook_deliveries.webhook_id);

update installations set user_id = null where user_id is not null and not exists (select 1 from users u
  where u.app_id = installations.app_id and u.object_id = installations.user_id);

insert into revisions (name, n) values ('site', 1) on conflict (name) do update set n = revisions.n + 1;
