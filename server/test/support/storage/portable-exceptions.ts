/** Statements that are known, and why they stay. They are compared without extra white space. */
type Exceptions = readonly (readonly [of: RegExp, because: string])[];

/** They ask all nodes of a distributed database, on purpose, and seldom or by one look at an index of each. */
export const acrossApps: Exceptions = [
  [/^select app_id, next_deadline from tracks where next_deadline > \?/, 'when something is due in any app'],
  [/ from tracks where next_deadline <= \? order by next_deadline/, 'what is due in all apps'],
  [/ from tracks where next_deadline > \? and updated_at > \? /, 'after a clock that was set back, at the start'],
  [/\(select min\((run_at|next_deadline)\) from (jobs|tracks)\b/, 'when something is due in any app'],
  [/^select kind, app_id as "appId", run_at as "runAt" from jobs /, 'which apps have due jobs'],
  [
    /^update jobs set run_at = \? where state = 'queued' and run_at > \?/,
    'after a clock that was set back, at the start',
  ],
  [
    /^select distinct app_id from (crowded_places|visit_changes|ways_due where due_at <= \?|alerts where ended_at is null)$/,
    'which apps have something to count',
  ],
  [/^select app_id from zones where capacity is not null union /, 'which apps limit how many people are inside'],
  [/^select \* from rollup_states$/, 'how far the numbers of each app are, at the start'],
  [/^select \* from reports where is_on = 1 /, 'which reports are due'],
  [/^select \* from apps order by app_id/, 'the list of apps'],
  [
    /^select app_id from \w+ where app_id > \? order by app_id limit 1$/,
    'which apps have something in a table, for sweeps',
  ],
  [
    /^select app_id, object_id, stored_name, size, bytes_missing_at, created_by from files where /,
    'whether files are there, at the start',
  ],
  [/\(select count\(\*\) from device_handovers where node = \?/, 'whether something waits for one node'],
  [/^(update|delete from) device_handovers /, 'what waits for one node, by an index of few rows'],
  [/^delete from device_sessions where node /, 'the devices of a node that stops or is gone'],
  [/^select \* from live_apps order by app_id/, 'which apps somebody listens to'],
  [/^select app_id, name, wanted_until from followed_tables /, 'which lists somebody follows'],
  [/^select app_id from followed_tables union select app_id from list_changes /, 'the same, for sweeps'],
  [/^select case when state = 'queued' .* from jobs group by 1$/, 'how many jobs there are, for the metrics'],
  [
    /^(delete from|update) (\w+) (set .* )?where .*\b(expires|erased|made|ended|run)_at <=? \?/,
    'sweeps: what is over goes, some at a time',
  ],
  [/^select app_id, object_id, stored_name from files /, 'all files, when they are copied or checked'],
  [
    /^select app_id, stored_name from files where true order by /,
    'some files, while the mark of their folder is missing',
  ],
  [/^select count\(\*\) as files, .* from files/, 'how many files a backup leaves elsewhere'],
  [/ from files where .*\bbytes_missing_at is (not )?null/, 'files without content, after a backup was restored'],
  [
    /^update jobs set run_at = \?, lease_token = null where /,
    'the start of an embedded database, which a test asks for here too',
  ],
  [/^delete from \w+$/, 'a database is emptied before a backup is restored to it'],
  [/^select distinct app_id from webhooks where /, 'which apps want to hear of what concerns all'],
  [/ report_addresses (set .*)?where (token_hash|stop_token) = \?/, 'links in mails carry a token and nothing else'],
  [/^select 1 as found from \w+ limit 1$/, 'whether a database is empty, before a backup is restored to it'],
];

/** What such a database does not take everywhere. */
export const refusedElsewhere: readonly (readonly [problem: string, of: RegExp, because: string])[] = [
  [
    'an advisory lock',
    /pg_(try_)?advisory_xact_lock/,
    'persons are locked by name on the coordinator, which all nodes of the service share',
  ],
  [
    'insert … select without a table',
    /^insert into .* from \(?(select \* from )?unnest/,
    'many rows at once: Citus pulls them to the coordinator, right and twice as slow',
  ],
];
