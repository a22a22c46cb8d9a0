-- Administrators who sign in through their organisation (OpenID Connect).

-- local_until: until when an owner may sign in with a password although only single sign-on is allowed; the command line
-- sets it.
alter table admins add column local_until bigint;

-- provider_id: through whom the session was begun; null: with a password or a passkey. factor_proved: the provider
-- vouched for a second factor.
alter table admin_sessions add column provider_id text;
alter table admin_sessions add column factor_proved bigint not null default 0;
create index admin_sessions_provider on admin_sessions (provider_id);

-- client_secret: sealed; null: the provider knows this service as a public client. groups_claim: null if the provider has
-- no say in roles. roles: JSON, for each role the groups that have it. default_role: of people in none of the groups;
-- null: they are refused. factor_values: JSON, values of amr or acr that prove a second factor.
create table sso_providers (
  provider_id text not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_secret text,
  scopes text not null,
  groups_claim text,
  roles text not null,
  default_role text,
  factor_values text not null,
  trusts_email bigint not null,
  is_enabled bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (provider_id)
);
create unique index sso_providers_name on sso_providers (name);
create unique index sso_providers_issuer on sso_providers (issuer);

-- By the issuer and not by the provider: under another issuer the same subject is another person.
create table admin_identities (
  issuer text not null,
  subject text not null,
  admin_id text not null,
  created_at bigint not null,
  last_used_at bigint not null,
  primary key (issuer, subject)
);
create index admin_identities_admin on admin_identities (admin_id);

-- Who has been sent to a provider and is not back yet. browser_hash: of the cookie of that browser. session_hash: of the
-- session that is confirmed or connected; null: somebody signs in. next: the page of the console to go on to.
create table sso_attempts (
  state_hash text not null,
  browser_hash text not null,
  provider_id text not null,
  purpose text not null,
  session_hash text,
  nonce text not null,
  verifier text not null,
  redirect_uri text not null,
  next text not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (state_hash)
);
create index sso_attempts_expiry on sso_attempts (expires_at);
