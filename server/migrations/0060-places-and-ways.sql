-- Visits by venue, floor and zone, and the ways between zones, as numbers that outlive the visits.

-- Where a beacon has been from a time on (epoch ms, a whole hour of the app's zone). The first row of a beacon counts for the time
-- before it too. Nulls: it belongs to none.
create table beacon_places (
  app_id text not null,
  beacon_id text not null,
  since bigint not null,
  venue_id text,
  floor_id text,
  zone_id text,
  primary key (app_id, beacon_id, since)
);

-- What visitors did between zones. kind: move, reach, path or peak (see ADR 44). span: hour (peaks only), day or month. place: what it
-- is of, as zones and beacons. tours: how often, of a peak how many at once. times: a histogram of seconds. visitors: a set that can be
-- joined with others. venue_id is empty where the beacons belong to none.
create table way_rollups (
  app_id text not null,
  kind text not null,
  span text not null,
  started_at bigint not null,
  venue_id text not null,
  place text not null,
  tours bigint not null,
  times text not null,
  visitors text not null,
  primary key (app_id, kind, span, started_at, venue_id, place)
);

-- Days and months whose ways are to be counted anew. changed: another number after each change, so that what was read before a change
-- is not taken for what is there after it. due_at: not before, epoch ms.
create table ways_due (
  app_id text not null,
  span text not null,
  started_at bigint not null,
  changed bigint not null,
  due_at bigint not null,
  primary key (app_id, span, started_at)
);

-- How far adding up venues, floors and zones of all hours has come after a beacon was placed; null: it is done.
alter table rollup_states add column placed_until bigint;
update rollup_states set placed_until = 0;
