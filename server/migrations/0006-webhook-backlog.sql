-- What a receiver that is down leaves behind is bounded: calls that waited longest are given up, and counted.

-- given_up: calls that were given up because too many waited, since given_up_since, the last time at given_up_at.
alter table webhooks add column given_up bigint not null default 0;
alter table webhooks add column given_up_since bigint;
alter table webhooks add column given_up_at bigint;

create index webhook_deliveries_waiting on webhook_deliveries (app_id, webhook_id, object_id) where state = 'queued';
