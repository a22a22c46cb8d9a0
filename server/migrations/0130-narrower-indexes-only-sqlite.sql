-- Log records of events are found by what follows from their events; only clients call theirs something. A visit has few events.
-- On PostgreSQL nodes of the version before still need the first one, so it changes when the tables are put in partitions.
drop index logs_event_id;
create index logs_event_id on logs (app_id, event_id) where event_id is not null;
drop index events_visit;
create index events_visit on events (app_id, visit_id);
drop index deliveries_reason;
create index deliveries_reason on deliveries (app_id, push_id, state, reason) where push_id is not null and reason is not null;
