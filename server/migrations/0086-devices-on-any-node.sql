-- On which node a device listens now.
create table device_sessions (
  app_id text not null,
  device_id text not null,
  node text not null,
  session text not null,
  topic text not null,
  primary key (app_id, device_id)
);
create index device_sessions_topic on device_sessions (app_id, topic);
create index device_sessions_node on device_sessions (node);

-- Messages on their way from the node that does the job (sender) to the one where the device listens, and back with what
-- became of them. payload null: another node has the device now. state: new, taken, done.
create table device_handovers (
  app_id text not null,
  message_id text not null,
  session text not null,
  node text not null,
  sender text not null,
  payload text,
  seconds bigint not null,
  timeout_ms bigint not null,
  state text not null,
  result text,
  expires_at bigint not null,
  primary key (app_id, message_id)
);
create index device_handovers_new on device_handovers (node) where state = 'new';
create index device_handovers_done on device_handovers (sender) where state = 'done';
create index device_handovers_session on device_handovers (app_id, session);
create index device_handovers_expiry on device_handovers (expires_at);
