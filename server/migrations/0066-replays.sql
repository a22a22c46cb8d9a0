-- Drafts of rules, tried on what was recorded. asked: JSON, the period, the draft and what it is compared with. done_to: up to which
-- installation (objectId) it has come; judged and installations: how many of how many. result: JSON, what was counted so far.
-- state: waiting, running, done, cancelled or failed.
create table rule_replays (
  app_id text not null,
  object_id text not null,
  asked text not null,
  state text not null,
  done_to text not null,
  judged bigint not null,
  installations bigint not null,
  result text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
