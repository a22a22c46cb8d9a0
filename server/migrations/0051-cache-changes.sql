-- Which app each of the newest changes was about that caches have to know of (revisions counts them).
-- about: an app's id. A number that is missing here is a change that may be about any app.
create table cache_changes (
  name text not null,
  n bigint not null,
  about text not null,
  primary key (name, n)
);
