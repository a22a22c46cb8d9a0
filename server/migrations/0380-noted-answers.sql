-- noted: what the answer to a request says beyond what can be derived from its key, once it is done.
alter table idempotency_keys add column noted text;
