-- The venues to which a user belongs, as a JSON list of ids. Rules speak of them as $auth.venues.
alter table users add column venues text not null default '[]';
