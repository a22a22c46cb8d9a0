-- What a sender and a device had before somebody removed or replaced it, for an hour: one click brings it back. What is
-- removed is empty in its old place, so that nodes of the version before do not use it.

alter table senders add column former_settings text;
alter table senders add column former_summary text;
alter table senders add column former_at bigint;

alter table device_credentials add column former_hash text;
alter table device_credentials add column former_issued_at bigint;
alter table device_credentials add column former_at bigint;
