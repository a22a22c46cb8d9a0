-- Receipts of erasures: what was erased and when. Persons are in them as hashes of their ids only.

-- hashes: JSON, of the user's id and those of the installations. counts: JSON, rows by table. webhooks: JSON, to which hosts it had
-- been sent; null until it is known. backups: JSON, which ones still held it when it was done.
create table erasures (
  app_id text not null,
  object_id text not null,
  kind text not null,
  hashes text not null,
  asked_by text not null,
  counts text not null,
  webhooks text,
  backups text,
  requested_at bigint not null,
  completed_at bigint,
  primary key (app_id, object_id)
);
