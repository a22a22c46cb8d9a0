-- What is known of each gateway that speaks for itself (ADR 146).
create table gateway_states (
  app_id text not null,
  gateway text not null,
  format text,
  heard_at bigint not null,
  is_online bigint not null,
  clock_offset bigint,
  firmware text,
  processor_load double precision,
  uptime bigint,
  primary key (app_id, gateway)
);
create index gateway_states_age on gateway_states (app_id, heard_at);
