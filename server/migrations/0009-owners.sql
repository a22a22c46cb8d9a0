-- Who holds an installation, and who made a file or a device.

-- held_since: from when on what is recorded is the current user's; null: from the beginning. handed_over_at: when it was last
-- taken from a user; what was to be sent before is not for the next one. unproven: registered by somebody who did not
-- show that it is the same phone. claim_…: while it is unproven, the last user and token that were shown to belong to it.
alter table installations add column held_since bigint;
alter table installations add column handed_over_at bigint;
alter table installations add column unproven bigint not null default 0;
alter table installations add column claim_user_id text;
alter table installations add column claim_token text;
alter table installations add column claim_since bigint;

-- user_id: the user who made it; null: unknown, or nobody was signed in. by_admin: made in the management console.
alter table devices add column user_id text;
alter table devices add column by_admin bigint not null default 0;
alter table files add column by_admin bigint not null default 0;
-- When the administrator has last given the password in this session.
alter table admin_sessions add column confirmed_at bigint not null default 0;

create index installations_claim on installations (app_id, claim_user_id) where claim_user_id is not null;
create index files_maker on files (app_id, user_id, object_id) where user_id is not null;
