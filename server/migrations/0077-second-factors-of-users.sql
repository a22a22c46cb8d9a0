-- Second factors and passkeys of an app's users. Of secrets there are sealed texts and hashes.

create table user_totp (
  app_id text not null,
  user_id text not null,
  secret text,
  pending text,
  last_step bigint not null,
  enabled_at bigint,
  known_network text,
  primary key (app_id, user_id)
);

create table user_recovery_codes (
  app_id text not null,
  user_id text not null,
  code_hash text not null,
  primary key (app_id, user_id, code_hash)
);

create table user_passkeys (
  app_id text not null,
  passkey_id text not null,
  user_id text not null,
  name text not null,
  credential_id text not null,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  rp_id text not null,
  is_synced bigint not null,
  created_at bigint not null,
  last_used_at bigint,
  primary key (app_id, passkey_id)
);
create unique index user_passkeys_credential on user_passkeys (app_id, credential_id);
create index user_passkeys_user on user_passkeys (app_id, user_id);

-- What a passkey has been asked to sign.
create table user_challenges (
  app_id text not null,
  challenge text not null,
  purpose text not null,
  expires_at bigint not null,
  primary key (app_id, challenge)
);
create index user_challenges_expiry on user_challenges (expires_at);

-- Sign-ins whose first half was right.
create table half_sign_ins (
  app_id text not null,
  token_hash text not null,
  user_id text not null,
  method text not null,
  provider text,
  user_agent text,
  is_renewable bigint not null,
  attempts bigint not null,
  expires_at bigint not null,
  primary key (app_id, token_hash)
);
create index half_sign_ins_user on half_sign_ins (app_id, user_id);
create index half_sign_ins_expiry on half_sign_ins (expires_at);

-- Whether a session was begun with two factors.
alter table sessions add column second_factor bigint not null default 0;

-- From where a code was last right: guesses from elsewhere do not lock out who signs in from there.
alter table admin_totp add column known_network text;
