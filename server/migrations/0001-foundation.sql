-- One text for both databases. Times are epoch milliseconds, booleans 0/1, documents JSON text.
-- Every table of an app begins its primary key and its unique indexes with app_id.

create table settings (
  name text primary key,
  value text not null
);

-- Counts changes to what nodes keep in memory (apps, keys, tokens, bucket definitions).
create table revisions (
  name text primary key,
  n bigint not null
);
insert into revisions (name, n) values ('access', 1);

create table apps (
  app_id text primary key,
  name text not null,
  policy text not null,
  disabled_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);

create table app_keys (
  app_id text not null,
  key_id text not null,
  key_hash text not null,
  hint text not null,
  created_at bigint not null,
  last_used_at bigint,
  disabled_at bigint,
  primary key (app_id, key_id)
);

create table users (
  app_id text not null,
  object_id text not null,
  email text not null,
  email_key text not null,
  password_hash text not null,
  firstname text not null,
  middlename text,
  lastname text not null,
  country text,
  phone text,
  metadata text not null,
  role text not null,
  disabled_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create unique index users_email on users (app_id, email_key);

create table tokens (
  app_id text not null,
  token_hash text not null,
  user_id text not null,
  created_at bigint not null,
  last_used_at bigint not null,
  expires_at bigint not null,
  primary key (app_id, token_hash)
);
create index tokens_user on tokens (app_id, user_id);
create index tokens_expiry on tokens (expires_at);

create table password_resets (
  app_id text not null,
  token_hash text not null,
  user_id text not null,
  expires_at bigint not null,
  primary key (app_id, token_hash)
);
create index password_resets_user on password_resets (app_id, user_id);
create index password_resets_expiry on password_resets (expires_at);

create table beacons (
  app_id text not null,
  object_id text not null,
  name text not null,
  uuid text not null,
  uuid_key text not null,
  major bigint not null,
  minor bigint not null,
  location text,
  metadata text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index beacons_identity on beacons (app_id, uuid_key, major, minor);

create table notifications (
  app_id text not null,
  object_id text not null,
  description text not null,
  beacon_id text not null,
  event text not null,
  type text not null,
  message text not null,
  is_enabled bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index notifications_beacon on notifications (app_id, beacon_id);

create table storylines (
  app_id text not null,
  object_id text not null,
  title text not null,
  is_enabled bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);

create table storyline_details (
  app_id text not null,
  object_id text not null,
  storyline_id text not null,
  beacons text not null,
  campaign text not null,
  event text not null,
  show_on text not null,
  url_image_android text,
  url_image_ios text,
  url_page text,
  url_video text,
  alert_title text,
  alert_message text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index storyline_details_header on storyline_details (app_id, storyline_id, object_id);

create table logs (
  app_id text not null,
  object_id text not null,
  module_type text not null,
  event text not null,
  beacon_id text not null,
  installation_id text,
  occurred_at bigint not null,
  event_id text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create unique index logs_event_id on logs (app_id, event_id);
-- What stands behind object_id is filtered within the index, without a look at each row: a beacon's records of the
-- rarer kind, say. All three have the same number of columns, because SQLite prefers the shorter of two that fit.
create index logs_module on logs (app_id, module_type, object_id, event);
create index logs_beacon on logs (app_id, beacon_id, object_id, module_type);
create index logs_installation on logs (app_id, installation_id, object_id, module_type);

create table devices (
  app_id text not null,
  object_id text not null,
  device_name text not null,
  manufacture text not null,
  topic text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index devices_topic on devices (app_id, topic);

create table installations (
  app_id text not null,
  object_id text not null,
  installation_id text,
  device_type text not null,
  device_token text,
  push_type text,
  channels text not null,
  time_zone text,
  locale_identifier text,
  app_identifier text,
  app_name text,
  app_version text,
  user_id text,
  metadata text not null,
  token_dead_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create unique index installations_client on installations (app_id, installation_id);
create unique index installations_token on installations (app_id, device_token);
create index installations_user on installations (app_id, user_id, object_id);

create table files (
  app_id text not null,
  object_id text not null,
  name text not null,
  stored_name text not null,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  user_id text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create unique index files_stored_name on files (app_id, stored_name);

-- slots: which declared column is kept in which of n1..n6 and t1..t6 of records, as JSON.
create table buckets (
  app_id text not null,
  object_id text not null,
  name text not null,
  version bigint not null,
  slots text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create unique index buckets_name on buckets (app_id, name);

create table schemas (
  app_id text not null,
  object_id text not null,
  bucket_id text not null,
  metadata text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index schemas_bucket on schemas (app_id, bucket_id, object_id);

create table records (
  app_id text not null,
  bucket_id text not null,
  object_id text not null,
  doc text not null,
  n1 double precision,
  n2 double precision,
  n3 double precision,
  n4 double precision,
  n5 double precision,
  n6 double precision,
  t1 text,
  t2 text,
  t3 text,
  t4 text,
  t5 text,
  t6 text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, bucket_id, object_id)
);
create index records_n1 on records (app_id, bucket_id, n1, object_id) where n1 is not null;
create index records_n2 on records (app_id, bucket_id, n2, object_id) where n2 is not null;
create index records_n3 on records (app_id, bucket_id, n3, object_id) where n3 is not null;
create index records_n4 on records (app_id, bucket_id, n4, object_id) where n4 is not null;
create index records_n5 on records (app_id, bucket_id, n5, object_id) where n5 is not null;
create index records_n6 on records (app_id, bucket_id, n6, object_id) where n6 is not null;
create index records_t1 on records (app_id, bucket_id, t1, object_id) where t1 is not null;
create index records_t2 on records (app_id, bucket_id, t2, object_id) where t2 is not null;
create index records_t3 on records (app_id, bucket_id, t3, object_id) where t3 is not null;
create index records_t4 on records (app_id, bucket_id, t4, object_id) where t4 is not null;
create index records_t5 on records (app_id, bucket_id, t5, object_id) where t5 is not null;
create index records_t6 on records (app_id, bucket_id, t6, object_id) where t6 is not null;

-- A push that was accepted: the audience as the caller wrote it, kept until delivery has dealt with it.
create table pushes (
  app_id text not null,
  object_id text not null,
  data text not null,
  audience text,
  state text not null,
  user_id text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);

-- The outbox: what has to happen after a write, inserted in the same transaction as the write.
-- run_at: from when a queued job may be claimed. While it is leased that is the end of the lease, so that a job whose
-- worker has died is due again by itself.
create table jobs (
  app_id text not null,
  job_id text not null,
  kind text not null,
  payload text not null,
  state text not null,
  run_at bigint not null,
  expires_at bigint,
  attempts bigint not null,
  lease_token text,
  last_error text,
  created_at bigint not null,
  primary key (app_id, job_id)
);
create index jobs_due on jobs (kind, app_id, run_at) where state = 'queued';
create index jobs_dead on jobs (run_at) where state = 'dead';
create index jobs_expiry on jobs (expires_at) where state = 'queued';

create table admins (
  admin_id text primary key,
  email text not null,
  email_key text not null,
  name text not null,
  password_hash text not null,
  role text not null,
  disabled_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index admins_email on admins (email_key);

create table admin_sessions (
  session_hash text primary key,
  admin_id text not null,
  created_at bigint not null,
  last_used_at bigint not null,
  expires_at bigint not null
);
create index admin_sessions_admin on admin_sessions (admin_id);

create table audit (
  audit_id text primary key,
  app_id text,
  actor text not null,
  action text not null,
  subject text not null,
  before_state text,
  after_state text,
  address text,
  created_at bigint not null
);
create index audit_app on audit (app_id, audit_id);
