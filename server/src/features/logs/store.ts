import { type Sql, sql } from '../../base/sql.ts';
import { bulkDelete, bulkInsert, bulkUpdate, keepKnown } from '../../db/bulk.ts';
import type { Db } from '../../db/db.ts';
import type { Dialect } from '../../db/dialect.ts';
import type { RowOf } from '../../db/table.ts';
import { logs } from './resource.ts';

export interface NewLog {
  readonly appId: string;
  readonly objectId: string;
  readonly moduleType: string;
  readonly event: string;
  readonly beaconId: string;
  readonly installationId: string | undefined;
  readonly occurredAt: number;
  readonly eventId: string | undefined;
  readonly now: number;
}

/** A row of the table. */
export const logRow = (log: NewLog): RowOf<typeof logs.table> => ({
  app_id: log.appId,
  object_id: log.objectId,
  module_type: log.moduleType,
  event: log.event,
  beacon_id: log.beaconId,
  installation_id: log.installationId ?? null,
  occurred_at: log.occurredAt,
  event_id: log.eventId ?? null,
  created_at: log.now,
  updated_at: log.now,
});

const newLogs = bulkInsert(logs.table, { conflict: keepKnown('app_id', 'event_id') });

/** False when the app has a record of this event already: then nothing is written. */
export async function insertLog(db: Db, log: NewLog): Promise<boolean> {
  let changed = 0;
  for (const statement of insertLogs(db.dialect, [log])) changed += await db.run(statement);
  return changed > 0;
}

/** One of an event that the app has a record of already is not written. */
export function insertLogs(dialect: Dialect, rows: readonly NewLog[]): Sql[] {
  return newLogs.each(dialect, rows.map(logRow));
}

interface OfEvent {
  readonly appId: string;
  readonly eventId: string;
}

const changedLogs = bulkUpdate(logs.table, { by: ['app_id', 'event_id'], set: ['occurred_at', 'updated_at'] });

/** Moves records to another time. */
export function changeLogs(
  dialect: Dialect,
  rows: readonly (OfEvent & { readonly occurredAt: number; readonly now: number })[],
): Sql[] {
  const cells = rows.map(({ appId, eventId, occurredAt, now }) => ({
    app_id: appId,
    event_id: eventId,
    occurred_at: occurredAt,
    updated_at: now,
  }));
  return changedLogs.each(dialect, cells);
}

const removedLogs = bulkDelete(logs.table, ['app_id', 'event_id']);

export function removeLogs(dialect: Dialect, rows: readonly OfEvent[]): Sql[] {
  return removedLogs.each(
    dialect,
    rows.map(({ appId, eventId }) => ({ app_id: appId, event_id: eventId })),
  );
}

/** What the proximity engine writes. */
export const logStore = { insert: insertLogs, change: changeLogs, remove: removeLogs };

export interface RecordedEvent {
  readonly object_id: string;
  readonly created_at: number;
}

export function findByEventId(db: Db, appId: string, eventId: string): Promise<RecordedEvent | undefined> {
  return db.one<RecordedEvent>(
    sql`select object_id, created_at from logs where app_id = ${appId} and event_id = ${eventId}`,
  );
}
