-- Sessions of users: what one sign-in has begun. Its access token is long-lived, or short and comes with a refresh token.

-- method: how it was begun; null: unknown. provider: the name of the identity provider.
-- family_hash: the part of the refresh tokens that all of a session share; null: it has none. refresh_hash: the part of the
-- valid one; previous_hash: of the one before it, which was replaced at rotated_at.
create table sessions (
  app_id text not null,
  object_id text not null,
  user_id text not null,
  method text,
  provider text,
  user_agent text,
  family_hash text,
  refresh_hash text,
  previous_hash text,
  rotated_at bigint,
  created_at bigint not null,
  last_used_at bigint not null,
  expires_at bigint not null,
  primary key (app_id, object_id)
);
create unique index sessions_family on sessions (app_id, family_hash);
create index sessions_user on sessions (app_id, user_id);
create index sessions_expiry on sessions (expires_at);

-- is_short: using it does not extend it.
alter table tokens add column session_id text not null default '';
alter table tokens add column is_short bigint not null default 0;
insert into sessions (app_id, object_id, user_id, created_at, last_used_at, expires_at)
  select app_id, substr(token_hash, 1, 20), user_id, created_at, last_used_at, expires_at from tokens;
update tokens set session_id = substr(token_hash, 1, 20);
create index tokens_session on tokens (app_id, session_id);
