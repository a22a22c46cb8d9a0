-- Keys for gateways, integrations and servers, which may do what their scopes say. scopes and networks are JSON.

create table secret_keys (
  app_id text not null,
  key_id text not null,
  name text not null,
  key_hash text not null,
  hint text not null,
  scopes text not null,
  networks text not null,
  made_by text not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  last_used_from text,
  revoked_at bigint,
  primary key (app_id, key_id)
);
