-- Presence of one installation over all beacons, instead of a row for each pair, and the samples that it came from: a
-- delivery that comes late is put where it belongs, and the time from there on is calculated again.

create table tracks (
  app_id text not null,
  installation_id text not null,
  state text not null,
  next_deadline bigint,
  updated_at bigint not null,
  primary key (app_id, installation_id)
);
create index tracks_due on tracks (next_deadline) where next_deadline is not null;

-- A few hundred samples in a row. checkpoint: the presence before the first of them.
create table track_samples (
  app_id text not null,
  installation_id text not null,
  started_at bigint not null,
  checkpoint text not null,
  samples text not null,
  primary key (app_id, installation_id, started_at)
);

-- Whoever is inside stays so: from the open visits to the new state.
insert into tracks (app_id, installation_id, state, next_deadline, updated_at)
select v.app_id, v.installation_id,
  '{"since":' || max(p.updated_at) || ',"track":{"at":' || max(p.updated_at) || ',"dueAt":0,"order":{"at":0,"count":0},"beacons":{'
    || string_agg('"' || v.beacon_id || '":{"settings":{},"filters":[],"radius":{"inside":true,"toward":null,"since":'
    || v.entered_at || ',"count":0},"near":{"inside":null,"toward":null,"since":0,"count":0},'
    || '"immediate":{"inside":null,"toward":null,"since":0,"count":0},"zone":null,"passId":"' || v.object_id
    || '","visit":{"id":"' || v.object_id || '","enteredAt":' || v.entered_at || ',"confirmedAt":' || v.entered_at
    || ',"source":"' || v.source || '"},"left":null,"inContact":'
    || case when v.source = 'samples' then 'true' else 'false' end || ',"heardAt":' || p.updated_at || ',"insideAt":'
    || case when v.source = 'samples' then cast(p.updated_at as text) else 'null' end
    || ',"silence":195000,"leftAt":null}', ',')
    || '}}}',
  max(coalesce(p.next_deadline, p.updated_at)), max(p.updated_at)
from visits v
join presence p on p.app_id = v.app_id and p.installation_id = v.installation_id and p.beacon_id = v.beacon_id
where v.is_open = 1
group by v.app_id, v.installation_id;

-- What is left of a pair is the number of its visits.
drop index presence_due;
alter table presence drop column state;
alter table presence drop column next_deadline;
delete from presence where visit_count = 0;
