import { type PresenceEvent, timePrefix } from '@pharos/engine';
import type { StoredVisit, VisitScope } from '@pharos/engine/decide';
import { beaconsOf } from '../../../../access/venue-limit.ts';
import { firstIdAt } from '../../../../base/id.ts';
import { joinSql, listSql, raw, sql } from '../../../../base/sql.ts';
import { bulkRead } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import { events } from './events.ts';
import { visits } from './visits.ts';

/** The reported visits and events with which a late decision is compared. SQL only. */

export interface TrackKey {
  readonly appId: string;
  readonly installationId: string;
}

const cellsOf = ({ appId, installationId }: TrackKey) => ({ app_id: appId, installation_id: installationId });

const visitColumns = ['object_id', 'beacon_id', 'entered_at', 'left_at', 'is_open', 'source', 'created_at'] as const;

const visitsBetween = bulkRead(visits.table, {
  by: ['app_id', 'installation_id'],
  columns: visitColumns,
  given: { from_id: 'text', from_at: 'bigint', until_at: 'bigint' },
  narrow: ({ from_id, from_at, until_at }) => ({
    range: ['entered_at', '<=', until_at],
    only: sql`(is_open = 1 or left_at >= ${from_at} or object_id >= ${from_id})`,
  }),
});

const visitsById = bulkRead(visits.table, { by: ['app_id', 'object_id'], columns: visitColumns });

/** Visits of installations, oldest first, for each scope. */
export async function findVisits(db: Db, scopes: readonly (TrackKey & VisitScope)[]): Promise<StoredVisit[][]> {
  const cells = scopes.map(({ from, until, ...key }) => ({
    ...cellsOf(key),
    from_id: timePrefix(from),
    from_at: from,
    until_at: until,
  }));
  const found = await visitsBetween.of(db, cells);
  const missing = scopes.flatMap(({ appId, ids }, place) => {
    const known = new Set(found[place]?.map(({ object_id }) => object_id));
    return ids.filter((id) => !known.has(id)).map((id) => ({ place, app_id: appId, object_id: id }));
  });
  const others = await visitsById.of(
    db,
    missing.map(({ app_id, object_id }) => ({ app_id, object_id })),
  );
  for (const [index, { place }] of missing.entries()) found[place]?.push(...(others[index] ?? []));
  return found.map((rows) =>
    rows
      .sort((a, b) => a.entered_at - b.entered_at || (a.object_id < b.object_id ? -1 : 1))
      .map((row) => ({
        id: row.object_id,
        beaconId: row.beacon_id,
        enteredAt: row.entered_at,
        leftAt: row.left_at,
        isOpen: row.is_open !== 0,
        source: row.source === 'device' ? 'device' : 'samples',
        createdAt: row.created_at,
      })),
  );
}

const eventColumns = [
  'object_id',
  'event',
  'beacon_id',
  'visit_id',
  'occurred_at',
  'distance',
  'entered_at',
  'left_at',
  'cause',
  'inferred',
] as const;
export type ReportedEventRow = Pick<RowOf<typeof events.table>, (typeof eventColumns)[number]>;

/** Ids begin with the time of the first report; corrections move an event by less than the kept samples reach. */
const correctedMs = 2 * 86_400_000;

/** Events of an installation after a time (ms), by their present or first reported time, or of some visits. */
export interface EventScope {
  readonly after: number;
  readonly visitIds: readonly string[];
}

const eventsAfter = bulkRead(events.table, {
  by: ['app_id', 'installation_id'],
  columns: eventColumns,
  given: { from_id: 'text', after_id: 'text', after_at: 'bigint' },
  narrow: ({ from_id, after_id, after_at }) => ({
    range: ['object_id', '>=', from_id],
    only: sql`(occurred_at > ${after_at} or object_id >= ${after_id})`,
  }),
});

const eventsOfVisit = bulkRead(events.table, { by: ['app_id', 'visit_id'], columns: eventColumns });

/** For each scope, in order of time. */
export async function findEventsAfter(db: Db, scopes: readonly (TrackKey & EventScope)[]): Promise<PresenceEvent[][]> {
  const recent = await eventsAfter.of(
    db,
    scopes.map(({ after, ...key }) => ({
      ...cellsOf(key),
      from_id: timePrefix(after - correctedMs),
      after_id: timePrefix(after),
      after_at: after,
    })),
  );
  const found = recent.map((rows) => new Map(rows.map((row) => [row.object_id, row])));
  const named = scopes.flatMap(({ appId, visitIds }, place) => visitIds.map((id) => ({ place, appId, id })));
  const ofVisits = await eventsOfVisit.of(
    db,
    named.map(({ appId, id }) => ({ app_id: appId, visit_id: id })),
  );
  for (const [index, { place }] of named.entries())
    for (const row of ofVisits[index] ?? []) found[place]?.set(row.object_id, row);
  return scopes.map(({ installationId }, place) =>
    [...(found[place]?.values() ?? [])]
      .map((row) => toEvent(row, installationId))
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
  );
}

export function toEvent(row: ReportedEventRow, installationId: string): PresenceEvent {
  return {
    id: row.object_id,
    event: row.event as PresenceEvent['event'],
    installationId,
    beaconId: row.beacon_id,
    visitId: row.visit_id,
    at: row.occurred_at,
    ...(row.distance === null ? {} : { distance: row.distance }),
    ...(row.entered_at === null ? {} : { enteredAt: row.entered_at }),
    ...(row.left_at === null ? {} : { leftAt: row.left_at }),
    cause: row.cause as PresenceEvent['cause'],
    ...(row.inferred === 0 ? {} : { inferred: true as const }),
  };
}

/** Sums over what the engine has written of one app; all of them run beside other requests. */

const atVenues = (appId: string, venues: readonly string[] | undefined) =>
  venues ? beaconsOf(raw('beacon_id'), appId, venues) : raw('1 = 1');

export interface OpenVisits {
  readonly visitors: number;
  /** Beacons where somebody is. */
  readonly occupied: number;
}

export async function countOpenVisits(db: Db, appId: string, venues?: readonly string[]): Promise<OpenVisits> {
  const [totals] = await db.all<OpenVisits>(
    sql`select count(distinct installation_id) as visitors, count(distinct beacon_id) as occupied
      from visits where app_id = ${appId} and is_open = 1 and ${atVenues(appId, venues)}`,
    { tenant: appId },
  );
  return totals ?? { visitors: 0, occupied: 0 };
}

export interface OccupiedBeacon {
  readonly beacon_id: string;
  readonly visitors: number;
  /** Epoch milliseconds of the longest visit's beginning. */
  readonly since: number;
}

/** The beacons with the most visitors now. */
export function listOccupied(
  db: Db,
  appId: string,
  limit: number,
  venues?: readonly string[],
): Promise<OccupiedBeacon[]> {
  return db.all<OccupiedBeacon>(
    sql`select beacon_id, count(*) as visitors, min(entered_at) as since
      from visits where app_id = ${appId} and is_open = 1 and ${atVenues(appId, venues)}
      group by beacon_id order by visitors desc, beacon_id limit ${limit}`,
    { tenant: appId },
  );
}

/** When the last visit began (ms). */
export async function findLastVisit(db: Db, appId: string): Promise<number | undefined> {
  const [row] = await db.all<{ entered_at: number }>(
    sql`select entered_at from visits where app_id = ${appId} order by entered_at desc limit 1`,
    { tenant: appId },
  );
  return row?.entered_at;
}

export interface BeaconVisits {
  readonly beaconId: string;
  /** Whose visit goes on. */
  readonly visitors: number;
  /** When the last visit ended, or began if it goes on (ms). */
  readonly lastAt: number;
}

/** Beacons that never had a visit are left out. */
export async function findBeaconVisits(
  db: Db,
  appId: string,
  ids: readonly string[],
  venues?: readonly string[],
): Promise<BeaconVisits[]> {
  if (ids.length === 0) return [];
  const within = sql`app_id = ${appId} and ${atVenues(appId, venues)}`;
  const lastOf = (id: string) => sql`select * from (select beacon_id, coalesce(left_at, entered_at) as last_at
    from visits where ${within} and beacon_id = ${id} order by entered_at desc limit 1) as of_one`;
  const slow = { tenant: appId };
  const last = await db.all<{ beacon_id: string; last_at: number }>(
    ids.map(lastOf).reduce((all, one) => sql`${all} union all ${one}`),
    slow,
  );
  const open = await db.all<{ beacon_id: string; visitors: number }>(
    sql`select beacon_id, count(*) as visitors from visits where ${within} and is_open = 1
      and beacon_id in (${listSql(ids)}) group by beacon_id`,
    slow,
  );
  const visitors = new Map(open.map((one) => [one.beacon_id, one.visitors]));
  return last.map(({ beacon_id: beaconId, last_at: lastAt }) => ({
    beaconId,
    visitors: visitors.get(beaconId) ?? 0,
    lastAt,
  }));
}

/** Ids of events begin with their time, and those of what follows from them too. */
const isSince = (appId: string, since: number) => sql`app_id = ${appId} and object_id >= ${firstIdAt(since)}`;

export async function countEvents(db: Db, appId: string, since: number): Promise<number> {
  const [row] = await db.all<{ n: number }>(sql`select count(*) as n from events where ${isSince(appId, since)}`, {
    tenant: appId,
  });
  return row?.n ?? 0;
}

export interface VerdictCount {
  readonly outcome: string;
  readonly reason: string;
  readonly n: number;
}

/** The commonest first. */
export function countVerdicts(db: Db, appId: string, since: number): Promise<VerdictCount[]> {
  return db.all<VerdictCount>(
    sql`select outcome, reason, count(*) as n from verdicts where ${isSince(appId, since)} group by outcome, reason
      order by n desc, reason`,
    { tenant: appId },
  );
}

/** A visitor not heard for longer is not here, as on the console's live plan. */
const presentMs = 60_000;
/** A visit that is longer and has not ended is a phone beside somebody's desk. */
const maxMs = 4 * 3_600_000;

/** A beacon of a place; one may be of several. */
export interface BeaconOfPlace {
  readonly beaconId: string;
  readonly placeId: string;
}

/**
 * How many visitors are at the beacons of each place now: by where they are (`byPosition`), else by their open visits. A place
 * where nobody is has no entry. Late data changes nothing here, since it says where somebody was.
 */
export async function countInPlaces(
  db: Db,
  appId: string,
  {
    of,
    byPosition,
    now,
  }: { readonly of: readonly BeaconOfPlace[]; readonly byPosition: boolean; readonly now: number },
): Promise<ReadonlyMap<string, number>> {
  if (of.length === 0) return new Map();
  const pairs = joinSql(
    of.map(({ beaconId, placeId }) => sql`(${beaconId}, ${placeId})`),
    ', ',
  );
  const here = byPosition
    ? sql`positions t where t.app_id = ${appId} and t.sensed_at >= ${now - presentMs}`
    : sql`visits t where t.app_id = ${appId} and t.is_open = 1 and t.entered_at >= ${now - maxMs}`;
  const rows = await db.all<{ place_id: string; n: number }>(
    sql`with of_place (beacon, place) as (values ${pairs}),
        here as (select t.beacon_id, t.installation_id from ${here})
      select place as place_id, count(distinct installation_id) as n
        from here join of_place on beacon = beacon_id group by place`,
    { tenant: appId },
  );
  return new Map(rows.map(({ place_id, n }) => [place_id, Number(n)]));
}

/** Whether an installation has been somewhere after a time. */

export interface AskedWindow {
  readonly appId: string;
  readonly installationId: string;
  /** Epoch ms; what happened at that time does not count, at `until` it does. */
  readonly from: number;
  readonly until: number;
  /** Anywhere without them. */
  readonly beaconIds?: readonly string[];
}

const isAt = ({ beaconIds }: AskedWindow) => {
  const places = beaconIds && new Set(beaconIds);
  return ({ beacon_id }: { readonly beacon_id: string }) => places === undefined || places.has(beacon_id);
};

/** When the first visit in the window began (ms). */
export async function firstVisitIn(db: Db, window: AskedWindow): Promise<number | undefined> {
  const rows = await db.all<{ beacon_id: string; entered_at: number }>(
    sql`select beacon_id, entered_at from visits where app_id = ${window.appId}
      and installation_id = ${window.installationId} and entered_at > ${window.from} and entered_at <= ${window.until}
      order by entered_at`,
  );
  return rows.find(isAt(window))?.entered_at;
}

const goalCorrectedMs = 2 * 86_400_000;

/** When the first event of a kind happened in the window (ms). */
export async function firstEventIn(
  db: Db,
  window: AskedWindow & { readonly event: string },
): Promise<number | undefined> {
  const { appId, installationId, from, until, event } = window;
  const rows = await db.all<{ beacon_id: string; occurred_at: number }>(
    sql`select beacon_id, occurred_at from events where app_id = ${appId} and installation_id = ${installationId}
      and object_id >= ${timePrefix(from - goalCorrectedMs)} and object_id < ${timePrefix(until + goalCorrectedMs)}
      and event = ${event} and occurred_at > ${from} and occurred_at <= ${until} order by occurred_at`,
  );
  return rows.find(isAt(window))?.occurred_at;
}
