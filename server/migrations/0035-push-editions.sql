-- A push that waits for its time can be changed: a job of an earlier edition does nothing.

alter table pushes add column edition bigint not null default 0;
