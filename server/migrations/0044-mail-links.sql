-- Links in mails to users: to sign in, and to show that somebody reads the mails to an address. Of the token there is a hash.
create table mail_links (
  app_id text not null,
  token_hash text not null,
  user_id text not null,
  purpose text not null,
  email_key text not null,
  expires_at bigint not null,
  primary key (app_id, token_hash)
);
create index mail_links_user on mail_links (app_id, user_id);
create index mail_links_expiry on mail_links (expires_at);
