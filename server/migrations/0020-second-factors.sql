-- How administrators prove who they are: authenticator apps, recovery codes and passkeys. And where each session began.

-- Whoever signs in with a passkey needs no password. Both databases can rebuild a column, but only one can relax it.
alter table admins add column password text;
update admins set password = password_hash;
alter table admins drop column password_hash;
alter table admins rename column password to password_hash;

alter table admin_sessions add column method text;
alter table admin_sessions add column address text;
alter table admin_sessions add column user_agent text;

-- secret, pending: sealed; pending becomes the secret once a code proves that the app has it. last_step: no code of this
-- step of time or an earlier one is accepted.
create table admin_totp (
  admin_id text not null,
  secret text,
  pending text,
  last_step bigint not null,
  enabled_at bigint,
  primary key (admin_id)
);

create table admin_recovery_codes (
  admin_id text not null,
  code_hash text not null,
  primary key (admin_id, code_hash)
);

create table admin_passkeys (
  passkey_id text not null,
  admin_id text not null,
  name text not null,
  credential_id text not null,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  rp_id text not null,
  is_synced bigint not null,
  created_at bigint not null,
  last_used_at bigint,
  primary key (passkey_id)
);
create unique index admin_passkeys_credential on admin_passkeys (credential_id);
create index admin_passkeys_admin on admin_passkeys (admin_id);

-- What a passkey has been asked to sign; each is taken once.
create table admin_challenges (
  challenge text not null,
  purpose text not null,
  expires_at bigint not null,
  primary key (challenge)
);
create index admin_challenges_expiry on admin_challenges (expires_at);
