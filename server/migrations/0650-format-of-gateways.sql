-- Whose messages somebody says that a gateway sends (ADR 146).
alter table gateway_states add column set_format text;
