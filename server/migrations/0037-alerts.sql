-- What needs a person, and who is told.

-- app_id: service for what concerns the whole service. begun_at: when it had lasted long enough to be told; null: not yet.
-- told_at: when it was last told. gone_at: since when it is no longer found; null: it still is. ended_at: it is over.
create table alerts (
  app_id text not null,
  alert_id text not null,
  alert_key text not null,
  kind text not null,
  is_grave bigint not null,
  title text not null,
  text text not null,
  first_seen_at bigint not null,
  seen_at bigint not null,
  begun_at bigint,
  told_at bigint,
  gone_at bigint,
  ended_at bigint,
  primary key (app_id, alert_id)
);
-- Two nodes that find the same condition at once begin one alert.
create unique index alerts_open on alerts (app_id, alert_key) where ended_at is null;

-- What an administrator has chosen: name is a kind of alert with on or off, or digest with its frequency.
create table alert_choices (
  admin_id text not null,
  name text not null,
  value text not null,
  primary key (admin_id, name)
);

-- The digests that have been sent: day is a day of the calendar in the zone of the app.
create table alert_digests (
  app_id text not null,
  day text not null,
  made_at bigint not null,
  primary key (app_id, day)
);
