-- What messages lead to.

-- goal: JSON, what the visitor is to do after it. holdout: percent of visitors who get nothing. variants: JSON, of which each
-- visitor gets one. Null: none.
alter table notifications add column goal text;
alter table notifications add column holdout bigint;
alter table notifications add column variants text;
alter table storyline_details add column goal text;
alter table storyline_details add column holdout bigint;
alter table storyline_details add column variants text;

-- Each time that a message was shown to somebody, or would have been to somebody who is held out. object_id: of the delivery.
-- message_group: a variant, holdout, or empty. is_first: the first one of this message and installation. acted_at: when its goal was
-- reached, of the first one. withdrawn_at: when the visitor took back the consent to messages, of the last one before that.
-- changes: how often it was written since it was counted.
create table message_showings (
  app_id text not null,
  object_id text not null,
  installation_id text not null,
  trigger_id text not null,
  message_group text not null,
  shown_at bigint not null,
  is_first bigint not null,
  received_at bigint,
  opened_at bigint,
  acted_at bigint,
  withdrawn_at bigint,
  changes bigint not null,
  primary key (app_id, object_id)
);
create index message_showings_trigger on message_showings (app_id, trigger_id, shown_at);
create index message_showings_installation on message_showings (app_id, installation_id, trigger_id, shown_at);
create index message_showings_changed on message_showings (app_id, object_id) where changes > 0;
create index message_showings_age on message_showings (app_id, shown_at);

-- What was counted of a day (started_at: its beginning in the app's zone, epoch ms). reached, opened_by, acted and withdrawn are
-- visitors whose first time was on that day, except withdrawn: of any; shown, received and opened are messages. It names nobody.
create table message_rollups (
  app_id text not null,
  started_at bigint not null,
  trigger_id text not null,
  message_group text not null,
  reached bigint not null,
  opened_by bigint not null,
  acted bigint not null,
  shown bigint not null,
  received bigint not null,
  opened bigint not null,
  withdrawn bigint not null,
  primary key (app_id, started_at, trigger_id, message_group)
);

-- How many messages visitors were shown in a week or month (span): JSON, the number of visitors by the number of messages.
-- counted_at: when that was; is_stale: something has changed since.
create table message_loads (
  app_id text not null,
  span text not null,
  started_at bigint not null,
  visitors text not null,
  counted_at bigint not null,
  is_stale bigint not null,
  primary key (app_id, span, started_at)
);

-- How the messages of an app are counted. shown_since: older showings may have gone because of their age. recounted_to: how far
-- counting everything anew has come (an object_id); null: it is done. records_until: up to when (ms) records were looked at.
-- withdrawn_until: the same of consents.
create table message_states (
  app_id text not null,
  time_zone text not null,
  goals text not null,
  shown_since bigint not null,
  recounted_to text,
  records_until bigint not null,
  withdrawn_until bigint not null,
  primary key (app_id)
);
