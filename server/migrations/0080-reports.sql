-- Reports by e-mail: which there are, to which other addresses they go, and what was sent.

create table reports (
  app_id text not null,
  report_id text not null,
  venue_id text,
  every text not null,
  is_on bigint not null,
  administrators text not null,
  begins_after text not null,
  set_up_by text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, report_id)
);

create table report_addresses (
  app_id text not null,
  report_id text not null,
  address_id text not null,
  email text not null,
  email_key text not null,
  added_by text not null,
  token_hash text,
  token_expires_at bigint,
  confirmed_at bigint,
  stop_token text not null,
  created_at bigint not null,
  primary key (app_id, report_id, address_id)
);
create unique index report_addresses_email on report_addresses (app_id, report_id, email_key);
create index report_addresses_token on report_addresses (token_hash);
create index report_addresses_stop on report_addresses (stop_token);

create table report_mails (
  app_id text not null,
  report_id text not null,
  period_from text not null,
  recipient text not null,
  period_until text not null,
  email text not null,
  state text not null,
  message text not null,
  made_at bigint not null,
  ended_at bigint,
  primary key (app_id, report_id, period_from, recipient)
);
create index report_mails_made on report_mails (app_id, made_at);
