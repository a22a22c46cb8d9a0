-- Which writing of a track this is, at random: what a node holds in memory goes on from one of them, and is put together
-- with the stored one where another node has written since.
alter table tracks add column version bigint not null default 0;
