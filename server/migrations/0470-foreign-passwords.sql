-- Accounts whose password was hashed by another system; few, and fewer with each sign-in.
create index users_foreign_password on users (app_id) where password_hash < '$a';
