-- When a gateway at a broker sent so much that something of it was refused (ADR 146).
alter table gateway_states add column refused_at bigint;
