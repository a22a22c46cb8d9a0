import { sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { defineTable, pointer, text, time } from '../../resources/table.ts';

export const logTable = defineTable('logs', {
  objectId: text('object_id'),
  beaconId: pointer('beacon_id', 'Beacon', { indexed: true }),
  installationId: pointer('installation_id', '_Installation', { indexed: true }),
  event: text('event'),
  moduleType: text('module_type', { indexed: true, hidden: true }),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});

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

/** False when the app has a record of this event already: then nothing is written. */
export async function insertLog(db: Db, log: NewLog): Promise<boolean> {
  const changed = await db.run(sql`insert into logs
      (app_id, object_id, module_type, event, beacon_id, installation_id, occurred_at, event_id, created_at, updated_at)
    values (${log.appId}, ${log.objectId}, ${log.moduleType}, ${log.event}, ${log.beaconId},
      ${log.installationId ?? null}, ${log.occurredAt}, ${log.eventId ?? null}, ${log.now}, ${log.now})
    on conflict (app_id, event_id) do nothing`);
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
