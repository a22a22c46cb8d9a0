-- Messages in several languages. language: what the message itself is written in; translations: JSON, by language.

alter table notifications add column language text;
alter table notifications add column translations text;
alter table storyline_details add column language text;
alter table storyline_details add column translations text;
alter table pushes add column language text;
alter table pushes add column translations text;

-- In which language a message went out; null where it has only one, or nothing was sent.
alter table deliveries add column language text;
