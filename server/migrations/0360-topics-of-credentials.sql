-- The topic for which the credentials of a device were issued: its owner can name another one.
alter table device_credentials add column topic text;
update device_credentials set topic = (select d.topic from devices d
  where d.app_id = device_credentials.app_id and d.object_id = device_credentials.device_id);
