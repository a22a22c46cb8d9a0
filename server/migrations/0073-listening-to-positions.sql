-- Positions are kept for the live stream only while somebody listens to them.
alter table live_apps add column positions_until bigint not null default 0;
