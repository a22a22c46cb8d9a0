-- Who vouches for the users of an app (Google, Apple, any other issuer of OpenID Connect), and who the users are there.

-- Whoever signs in through a provider may have neither a password nor an e-mail address. Both databases can rebuild a
-- column, but only one can relax it.
drop index users_email;
alter table users add column password text;
update users set password = password_hash;
alter table users drop column password_hash;
alter table users rename column password to password_hash;
alter table users add column address_key text;
update users set address_key = email_key;
alter table users drop column email_key;
alter table users rename column address_key to email_key;
create unique index users_email on users (app_id, email_key);

-- When somebody proved to read the mails to the address; null: nobody has yet.
alter table users add column email_verified_at bigint;

-- audiences: a JSON array. jwks_uri: null if the issuer publishes it (OpenID Connect Discovery). roles: JSON, the claim
-- that makes a manager; null: the provider has no say in it. accepts_tokens: its tokens are access tokens here.
create table identity_providers (
  app_id text not null,
  object_id text not null,
  name text not null,
  kind text not null,
  issuer text not null,
  jwks_uri text,
  audiences text not null,
  roles text,
  is_enabled bigint not null,
  accepts_tokens bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, object_id)
);
create unique index identity_providers_name on identity_providers (app_id, name);
create unique index identity_providers_issuer on identity_providers (app_id, issuer);

-- By the issuer and not by the provider: under another issuer the same subject is another person.
create table identities (
  app_id text not null,
  object_id text not null,
  user_id text not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at bigint not null,
  last_used_at bigint not null,
  primary key (app_id, object_id)
);
create unique index identities_subject on identities (app_id, issuer, subject);
create index identities_user on identities (app_id, user_id);

-- ID tokens that have been used, until they expire: each is accepted once.
create table used_id_tokens (
  app_id text not null,
  token_hash text not null,
  expires_at bigint not null,
  primary key (app_id, token_hash)
);
create index used_id_tokens_expiry on used_id_tokens (expires_at);
