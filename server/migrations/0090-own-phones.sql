-- Phones on which administrators test messages, and the codes by which they are paired: one a person and app.

create table own_phones (
  app_id text not null,
  admin_id text not null,
  installation_id text not null,
  paired_at bigint not null,
  primary key (app_id, admin_id, installation_id)
);
create index own_phones_installation on own_phones (app_id, installation_id);

create table pairing_codes (
  app_id text not null,
  admin_id text not null,
  code_hash text not null,
  asked_by text not null,
  name text not null,
  expires_at bigint not null,
  claimed_by text,
  primary key (app_id, admin_id)
);
create index pairing_codes_code on pairing_codes (app_id, code_hash);
