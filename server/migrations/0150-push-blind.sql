-- Whether the sender of a push must not learn how many it reaches: a push that was cancelled and is taken up again is asked the
-- same way whether it needs a second person. Empty in pushes of before.

alter table pushes add column is_blind bigint;
