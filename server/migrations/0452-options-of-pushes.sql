-- How a push is shown, beyond its words.
alter table pushes add column options text;
