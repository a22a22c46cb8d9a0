-- What traffic has taught about the radio of each beacon. evidence: two halves of sums; learned: the correction that both
-- halves agree on, null where there is none.

create table beacon_radio (
  app_id text not null,
  beacon_id text not null,
  evidence text not null,
  learned text,
  updated_at bigint not null,
  primary key (app_id, beacon_id)
);
