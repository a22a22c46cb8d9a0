-- Delivery: the credentials of push providers, what became of each push, and one row for each recipient.

-- settings: sealed. summary: what may be shown again, as JSON.
create table senders (
  app_id text not null,
  kind text not null,
  settings text not null,
  summary text not null,
  tested_at bigint,
  test_ok bigint,
  test_text text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, kind)
);

-- expanded_to: the last installation that has its row; the expansion goes on behind it after a restart.
alter table pushes add column send_at bigint;
alter table pushes add column expires_at bigint;
alter table pushes add column expanded_to text;
alter table pushes add column audience_count bigint not null default 0;
alter table pushes add column sent_count bigint not null default 0;
alter table pushes add column failed_count bigint not null default 0;
alter table pushes add column expired_count bigint not null default 0;
alter table pushes add column no_target_count bigint not null default 0;
alter table pushes add column cancelled_count bigint not null default 0;
alter table pushes add column problem text;

-- object_id: of a push, the push's id, a dash and the installation's id: one row for each, however often the expansion
-- begins anew, and a push is one range of the key. Of proximity, the id under which the message is known everywhere.
create table deliveries (
  app_id text not null,
  object_id text not null,
  push_id text,
  event_id text,
  trigger_id text,
  installation_id text not null,
  state text not null,
  reason text,
  sender text,
  attempts bigint not null,
  run_at bigint not null,
  expires_at bigint not null,
  sent_at bigint,
  received_at bigint,
  opened_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create index deliveries_push on deliveries (app_id, push_id, object_id) where push_id is not null;
create index deliveries_trigger on deliveries (app_id, trigger_id, object_id) where trigger_id is not null;
create index deliveries_installation on deliveries (app_id, installation_id, object_id);
create index deliveries_reason on deliveries (app_id, push_id, state, reason) where reason is not null;
create index deliveries_received on deliveries (app_id, push_id, object_id) where received_at is not null;
create index deliveries_opened on deliveries (app_id, push_id, object_id) where opened_at is not null;

-- token_at: when the token was last registered; a provider's older word about it does not count.
alter table installations add column token_at bigint;
alter table installations add column token_dead_reason text;
create index installations_dead on installations (app_id, token_dead_reason, object_id) where token_dead_reason is not null;
