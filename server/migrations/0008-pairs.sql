-- One value of a text and an order or a range of the number beside it: each text slot with the number slot of its number.
create index records_t1_n1 on records (app_id, bucket_id, t1, n1, object_id) where t1 is not null and n1 is not null;
create index records_t2_n2 on records (app_id, bucket_id, t2, n2, object_id) where t2 is not null and n2 is not null;
create index records_t3_n3 on records (app_id, bucket_id, t3, n3, object_id) where t3 is not null and n3 is not null;
create index records_t4_n4 on records (app_id, bucket_id, t4, n4, object_id) where t4 is not null and n4 is not null;
create index records_t5_n5 on records (app_id, bucket_id, t5, n5, object_id) where t5 is not null and n5 is not null;
create index records_t6_n6 on records (app_id, bucket_id, t6, n6, object_id) where t6 is not null and n6 is not null;
-- Beacons are looked for by major and minor alone where all of them have one UUID.
create index beacons_major on beacons (app_id, major, minor, object_id);
-- Visits are listed newest first by when they began, so that what leads there has that time behind it. Beacons have theirs
-- since migration 7.
drop index visits_beacon;
drop index visits_installation;
drop index visits_open;
create index visits_installation_entered on visits (app_id, installation_id, entered_at, object_id);
create index visits_open_entered on visits (app_id, is_open, entered_at, object_id);
