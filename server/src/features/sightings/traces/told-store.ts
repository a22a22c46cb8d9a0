import { type PresenceEvent, timePrefix } from '@pharos/engine';
import { sql } from '../../../base/sql.ts';
import { BulkRead } from '../../../db/bulk.ts';
import type { Db, Row } from '../../../db/db.ts';
import { events } from './events.ts';
import { visits } from './visits.ts';

/** The reported visits and events with which a late decision is compared. SQL only. */

/** Whose track. */
export interface TrackKey {
  readonly appId: string;
  readonly installationId: string;
}

const cellsOf = ({ appId, installationId }: TrackKey) => ({ app_id: appId, installation_id: installationId });

/** What is stored of a visit, with its events. */
export interface StoredVisit {
  readonly id: string;
  readonly beaconId: string;
  readonly enteredAt: number;
  readonly leftAt: number | null;
  readonly isOpen: boolean;
  readonly source: 'samples' | 'device';
  readonly createdAt: number;
}

interface VisitRow extends Row {
  readonly object_id: string;
  readonly beacon_id: string;
  readonly entered_at: number;
  readonly left_at: number | null;
  readonly is_open: number;
  readonly source: string;
  readonly created_at: number;
}

export interface VisitScope {
  /** Open at some moment within this period, ms, or first told as one that began after the start of it. */
  readonly from: number;
  readonly until: number;
  /** And these, whenever they were. */
  readonly ids: readonly string[];
}

const visitColumns = ['object_id', 'beacon_id', 'entered_at', 'left_at', 'is_open', 'source', 'created_at'] as const;

const visitsBetween = new BulkRead<'app_id' | 'installation_id' | 'from_id' | 'from_at' | 'until_at', VisitRow>(
  { app_id: 'text', installation_id: 'text', from_id: 'text', from_at: 'bigint', until_at: 'bigint' },
  (cell) => ({
    table: visits.table.name,
    columns: visitColumns,
    same: [
      ['app_id', cell.app_id],
      ['installation_id', cell.installation_id],
    ],
    range: ['entered_at', '<=', cell.until_at],
    only: sql`(is_open = 1 or left_at >= ${cell.from_at} or object_id >= ${cell.from_id})`,
  }),
);

const visitsById = new BulkRead<'app_id' | 'object_id', VisitRow>({ app_id: 'text', object_id: 'text' }, (cell) => ({
  table: visits.table.name,
  columns: visitColumns,
  same: [
    ['app_id', cell.app_id],
    ['object_id', cell.object_id],
  ],
}));

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

export interface ToldEventRow extends Row {
  readonly object_id: string;
  readonly event: string;
  readonly beacon_id: string;
  readonly visit_id: string;
  readonly occurred_at: number;
  readonly distance: number | null;
  readonly entered_at: number | null;
  readonly left_at: number | null;
  readonly cause: string;
  readonly inferred: number;
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

/** Ids begin with the time at which an event was first told; corrections move it by less than the kept samples reach. */
const correctedMs = 2 * 86_400_000;

/** Events of an installation that happened after a time (ms), were first told as ones that did, or belong to some visits. */
export interface EventScope {
  readonly after: number;
  readonly visitIds: readonly string[];
}

const eventsAfter = new BulkRead<'app_id' | 'installation_id' | 'from_id' | 'after_id' | 'after_at', ToldEventRow>(
  { app_id: 'text', installation_id: 'text', from_id: 'text', after_id: 'text', after_at: 'bigint' },
  (cell) => ({
    table: events.table.name,
    columns: eventColumns,
    same: [
      ['app_id', cell.app_id],
      ['installation_id', cell.installation_id],
    ],
    range: ['object_id', '>=', cell.from_id],
    only: sql`(occurred_at > ${cell.after_at} or object_id >= ${cell.after_id})`,
  }),
);

const eventsOfVisit = new BulkRead<'app_id' | 'visit_id', ToldEventRow>(
  { app_id: 'text', visit_id: 'text' },
  (cell) => ({
    table: events.table.name,
    columns: eventColumns,
    same: [
      ['app_id', cell.app_id],
      ['visit_id', cell.visit_id],
    ],
  }),
);

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

export function toEvent(row: ToldEventRow, installationId: string): PresenceEvent {
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
