-- How each phone was last said to move, and since when.
alter table installations add column motion text;
alter table installations add column motion_at bigint;
