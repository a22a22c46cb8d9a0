-- The language in which an administrator last opened the console, in which mails come; null: English.
alter table admins add column language text;
