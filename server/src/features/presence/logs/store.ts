import { raw, sql } from '../../../base/sql.ts';
import { bulkInsert } from '../../../db/bulk.ts';
import type { Db } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
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

/**
 * Where it is in one piece, a unique index on (app_id, event_id) may refuse a record that an older version writes at the same
 * time.
 */
export const keepAny = raw('on conflict do nothing');

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

const newLogs = bulkInsert(logs.table, { conflict: keepAny });

/** False when the app has a record of this event already: then nothing is written. */
export async function insertLog(db: Db, log: NewLog): Promise<boolean> {
  const { appId, eventId } = log;
  if (eventId === undefined) return insertOne(db, log);
  return db.transaction(async (db) => {
    // No index keeps apart what lies in different partitions: the same event waits here until the other one is written.
    const { lockNames } = db.dialect;
    if (lockNames) await db.all(lockNames.all([`log ${appId} ${eventId}`]));
    if (await findByEventId(db, appId, eventId)) return false;
    return insertOne(db, log);
  });
}

async function insertOne(db: Db, log: NewLog): Promise<boolean> {
  let changed = 0;
  changed += await newLogs.run(db, [logRow(log)]);
  return changed > 0;
}

export interface RecordedEvent {
  readonly object_id: string;
  readonly created_at: number;
}

export function findByEventId(db: Db, appId: string, eventId: string): Promise<RecordedEvent | undefined> {
  return db.one<RecordedEvent>(
    sql`select object_id, created_at from logs where app_id = ${appId} and event_id = ${eventId}`,
  );
}
