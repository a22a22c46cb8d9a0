-- `traceparent` of the request that a job comes from, where traces are wanted.
alter table jobs add column trace text;
