-- Rules that an app does not have, and what they would have refused.

-- JSON: the rules of the dry run; null: those that would close an app with the preset of the specification.
alter table apps add column dry_run text;

-- day: its beginning (epoch ms, UTC). outcome: refused, hidden (a record or a part of a list); or checked, with an empty
-- subject and verb: all requests that were looked at. Nobody is named.
create table dry_run_counts (
  app_id text not null,
  day bigint not null,
  subject text not null,
  verb text not null,
  caller text not null,
  outcome text not null,
  requests bigint not null,
  primary key (app_id, day, subject, verb, caller, outcome)
);
