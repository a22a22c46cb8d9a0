-- Webhooks, credentials of devices, and the live stream.

-- secret: sealed. old_secret signs too until old_secret_until, so that a receiver can change over. failing_since: the
-- first failure after the last success.
create table webhooks (
  app_id text not null,
  object_id text not null,
  url text not null,
  events text not null,
  description text not null,
  is_enabled bigint not null,
  secret text not null,
  old_secret text,
  old_secret_until bigint,
  failing_since bigint,
  last_error text,
  disabled_reason text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);

-- One event for one webhook. state: queued, sent, failed, expired.
create table webhook_deliveries (
  app_id text not null,
  object_id text not null,
  webhook_id text not null,
  event text not null,
  payload text not null,
  state text not null,
  attempts bigint not null,
  status bigint,
  answer text,
  reason text,
  duration bigint,
  next_at bigint,
  expires_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index webhook_deliveries_webhook on webhook_deliveries (app_id, webhook_id, object_id);

-- What a device shows when it connects by MQTT. The password is random, so that a plain hash of it is enough.
create table device_credentials (
  app_id text not null,
  device_id text not null,
  password_hash text not null,
  issued_at bigint not null,
  primary key (app_id, device_id)
);

-- Apps whose live events are being kept because somebody listens, or did a moment ago. seq: the last number given.
-- floor_seq: the last number of the time before; what follows it may be incomplete for who stopped there.
create table live_apps (
  app_id text not null,
  wanted_until bigint not null,
  seq bigint not null,
  floor_seq bigint not null,
  primary key (app_id)
);

-- seq is null until the event has its number.
create table live_events (
  app_id text not null,
  object_id text not null,
  seq bigint,
  event text not null,
  data text not null,
  created_at bigint not null,
  primary key (app_id, object_id)
);
create index live_events_seq on live_events (app_id, seq);
create index live_events_new on live_events (app_id, object_id) where seq is null;
