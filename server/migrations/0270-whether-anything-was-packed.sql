-- Whether anything was ever packed: lists look for packed rows only then (ADR 92).
insert into settings (name, value) select 'packed', '1' where exists (select 1 from cold_chunks);
