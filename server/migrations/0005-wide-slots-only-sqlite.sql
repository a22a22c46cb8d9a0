-- The indexes of the slots hold the other slots too: several conditions, and the order beside them, are then answered
-- from one index without a look at the records. Texts stand in the numbers' indexes only, so that six long texts are
-- not written thirty-six times. PostgreSQL combines indexes by itself and limits an entry to a third of a page.
drop index records_n1;
drop index records_n2;
drop index records_n3;
drop index records_n4;
drop index records_n5;
drop index records_n6;
drop index records_t1;
drop index records_t2;
drop index records_t3;
drop index records_t4;
drop index records_t5;
drop index records_t6;
create index records_n1 on records (app_id, bucket_id, n1, object_id, n2, n3, n4, n5, n6, t1, t2, t3, t4, t5, t6)
  where n1 is not null;
create index records_n2 on records (app_id, bucket_id, n2, object_id, n1, n3, n4, n5, n6, t1, t2, t3, t4, t5, t6)
  where n2 is not null;
create index records_n3 on records (app_id, bucket_id, n3, object_id, n1, n2, n4, n5, n6, t1, t2, t3, t4, t5, t6)
  where n3 is not null;
create index records_n4 on records (app_id, bucket_id, n4, object_id, n1, n2, n3, n5, n6, t1, t2, t3, t4, t5, t6)
  where n4 is not null;
create index records_n5 on records (app_id, bucket_id, n5, object_id, n1, n2, n3, n4, n6, t1, t2, t3, t4, t5, t6)
  where n5 is not null;
create index records_n6 on records (app_id, bucket_id, n6, object_id, n1, n2, n3, n4, n5, t1, t2, t3, t4, t5, t6)
  where n6 is not null;
create index records_t1 on records (app_id, bucket_id, t1, object_id, n1, n2, n3, n4, n5, n6) where t1 is not null;
create index records_t2 on records (app_id, bucket_id, t2, object_id, n1, n2, n3, n4, n5, n6) where t2 is not null;
create index records_t3 on records (app_id, bucket_id, t3, object_id, n1, n2, n3, n4, n5, n6) where t3 is not null;
create index records_t4 on records (app_id, bucket_id, t4, object_id, n1, n2, n3, n4, n5, n6) where t4 is not null;
create index records_t5 on records (app_id, bucket_id, t5, object_id, n1, n2, n3, n4, n5, n6) where t5 is not null;
create index records_t6 on records (app_id, bucket_id, t6, object_id, n1, n2, n3, n4, n5, n6) where t6 is not null;
