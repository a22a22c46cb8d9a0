-- Old records are not packed any more (ADR 137). It fails while some are, and from then on no node of an earlier version packs any.
alter table cold_chunks add column closed bigint not null;
