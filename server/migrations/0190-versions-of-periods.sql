-- Which writing of a period it is, so that what was read of it can be kept until it is written anew; 0: nobody knows, nothing is kept. Whoever
-- writes a period deletes its row first, so that those of the version before write 0. What is there stays as it is until then.
alter table rollup_periods add column version bigint not null default 0;

update rollup_periods set version = 1;
