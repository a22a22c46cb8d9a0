-- Limits of guesses that a restart must not reset: buckets that are less than half full, by a hash of who tries and what.
-- A row means nothing any more at full_at, when the bucket would be full again.
create table limit_buckets (
  key_hash text not null primary key,
  tokens double precision not null,
  at bigint not null,
  full_at bigint not null
);
create index limit_buckets_full on limit_buckets (full_at, key_hash);

-- What an app has stored, as it was counted: files and records, and their bytes. Changes are added some seconds after
-- they were made; is_exact is 0 while some may be missing, and then the rows are counted again in the background.
create table usage (
  app_id text not null primary key,
  files bigint not null default 0,
  file_bytes bigint not null default 0,
  records bigint not null default 0,
  record_bytes bigint not null default 0,
  is_exact integer not null default 0,
  counted_at bigint not null default 0
);
