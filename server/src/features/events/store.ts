import { sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { boolean, defineTable, json, number, pointer, text, time } from '../../resources/table.ts';

/** Written by the proximity engine; an objectId begins with the time of the event. */
export const eventTable = defineTable('events', {
  objectId: text('object_id'),
  event: text('event'),
  beaconId: pointer('beacon_id', 'Beacon', { indexed: true }),
  installationId: pointer('installation_id', '_Installation', { indexed: true }),
  visitId: text('visit_id', { indexed: true }),
  occurredAt: time('occurred_at'),
  enteredAt: time('entered_at', { omitNull: true }),
  leftAt: time('left_at', { omitNull: true }),
  distance: number('distance', { omitNull: true }),
  rivals: json('rivals', { omitNull: true }),
  cause: text('cause'),
  inferred: boolean('inferred'),
  createdAt: time('created_at'),
});

/** An objectId is the event's, a dash, and the trigger's. */
export const verdictTable = defineTable('verdicts', {
  objectId: text('object_id'),
  eventId: text('event_id'),
  triggerId: text('trigger_id', { indexed: true }),
  kind: text('kind'),
  event: text('event'),
  beaconId: pointer('beacon_id', 'Beacon'),
  installationId: pointer('installation_id', '_Installation', { indexed: true }),
  visitId: text('visit_id'),
  outcome: text('outcome'),
  reason: text('reason'),
  text: text('explanation'),
  decidedAt: time('decided_at'),
  dueAt: time('due_at', { omitNull: true }),
  deliveryId: text('delivery_id', { omitNull: true }),
  createdAt: time('created_at'),
});

/** The verdicts on one event, as JSON texts. */
export async function findVerdicts(db: Db, appId: string, eventId: string): Promise<string[]> {
  // A dot comes right after the dash, so this is the range of everything that begins with the event's id and a dash.
  const rows = await db.all(
    sql`select ${verdictTable.selection} from verdicts
      where app_id = ${appId} and object_id > ${`${eventId}-`} and object_id < ${`${eventId}.`} order by object_id`,
  );
  return rows.map(verdictTable.render);
}
