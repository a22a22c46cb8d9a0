-- That somebody stood before a beacon and found it where it is said to be. location: JSON, where that was.
-- by_admin: the e-mail of an administrator; else created_by, a user.
create table placements (
  app_id text not null,
  beacon_id text not null,
  location text not null,
  photo_id text,
  verified_at bigint not null,
  by_admin text,
  created_by text,
  primary key (app_id, beacon_id)
);
create index placements_created_by on placements (app_id, created_by, beacon_id);
