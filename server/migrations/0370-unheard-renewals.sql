-- unheard_hash: the refresh_hash of a renewal, until the access token that was sent with it is used: until then nobody may have received them.
alter table sessions add column unheard_hash text;
