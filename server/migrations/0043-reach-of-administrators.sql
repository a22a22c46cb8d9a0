-- Where an administrator's role holds: a JSON list of apps, with a role of its own or chosen venues; null: in all apps.
alter table admins add column apps text;
alter table admin_invitations add column apps text;
