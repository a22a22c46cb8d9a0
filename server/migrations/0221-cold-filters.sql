-- Which columns the filter of packed rows knows.
alter table cold_chunks add column filter_of text;
