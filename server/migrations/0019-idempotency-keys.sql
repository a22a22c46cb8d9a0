-- Requests that a client may send again without their being done twice (Idempotency-Key). The key is stored as a hash with
-- the caller and the address of the request; fingerprint is the hash of the body.

create table idempotency_keys (
  app_id text not null,
  key_hash text not null,
  fingerprint text not null,
  object_id text not null,
  is_done bigint not null default 0,
  created_at bigint not null,
  primary key (app_id, key_hash)
);
create index idempotency_keys_created on idempotency_keys (app_id, created_at, key_hash);
