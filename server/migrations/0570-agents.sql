-- Agents that act for an administrator in one app: what they send is only here as a hash.
create table admin_agents (
  token_hash text primary key,
  admin_id text not null,
  app_id text not null,
  name text not null,
  may_write bigint not null,
  provider_id text,
  factor_proved bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  last_used_at bigint
);
create index admin_agents_admin on admin_agents (admin_id);
create index admin_agents_app on admin_agents (app_id, token_hash);
create index admin_agents_provider on admin_agents (provider_id);
