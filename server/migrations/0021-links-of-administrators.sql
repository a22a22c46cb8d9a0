-- Invitations, and the links that are sent by mail or handed over: to accept one, or to choose a new password.

create table admin_invitations (
  invitation_id text not null,
  admin_id text not null,
  email text not null,
  email_key text not null,
  role text not null,
  invited_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (invitation_id)
);
create unique index admin_invitations_email on admin_invitations (email_key);

-- subject: the invitation, or the administrator who gets a new password.
create table admin_links (
  token_hash text not null,
  kind text not null,
  subject text not null,
  expires_at bigint not null,
  primary key (token_hash)
);
create index admin_links_subject on admin_links (subject);
create index admin_links_expiry on admin_links (expires_at);
