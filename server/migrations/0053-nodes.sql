-- The processes that share the work on this database, and until when each counts as alive without saying so again.
-- works: 1 if it does the background work.
create table nodes (
  node text primary key,
  alive_until bigint not null,
  works bigint not null
);

-- Which of them does the work of which share of the apps.
create table work_shares (
  bucket bigint primary key,
  node text not null
);
