-- What rules ask of large records, without their documents: SQLite reads all pages of a document to get to the columns stored after it.
-- Those of smaller records are on the page of the row itself.
create index records_large on records (app_id, bucket_id, object_id, created_by, created_at, updated_at,
  n1, n2, n3, n4, n5, n6, t1, t2, t3, t4, t5, t6) where octet_length(doc) > 1800;
