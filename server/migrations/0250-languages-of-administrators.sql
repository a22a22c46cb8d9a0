-- The language in which an administrator last opened the console, in which mails come. A table of its own: nodes of the version before
-- read all columns of `admins` with statements that PostgreSQL would refuse once it has another one.
create table admin_languages (
  admin_id text not null,
  language text not null,
  primary key (admin_id)
);
