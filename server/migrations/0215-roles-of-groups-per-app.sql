-- The groups of single sign-on that have a role in some apps or venues only, as JSON; null: none have.
alter table sso_providers add column app_roles text;
-- 1: where the role holds follows the groups at each sign-in.
alter table admins add column apps_by_groups bigint not null default 0;
