-- Where addresses have to be confirmed, a new one takes effect when its mail has been answered.

-- Of a link that changes the address of an account: the address as it was written, and a hash that is another one as soon as the
-- account has another password.
alter table mail_links add column email text;
alter table mail_links add column proof text;
