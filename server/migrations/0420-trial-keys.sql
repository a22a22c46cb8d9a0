-- Keys of pretend phones, which end by themselves; null: until somebody switches the key off.
alter table app_keys add column expires_at bigint;
