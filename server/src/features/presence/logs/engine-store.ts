import { createHash } from 'node:crypto';
import { timeOfId } from '@pharos/engine';
import { firstIdAt } from '../../../base/id.ts';
import { joinSql, raw, type Sql, sql } from '../../../base/sql.ts';
import { BulkStatement, typesOf } from '../../../db/bulk.ts';
import type { EventLog, LogStore } from '../../event-log.ts';
import { logs } from './resource.ts';
import { keepAny, logRow } from './store.ts';

/**
 * The records of events that the proximity engine reports. Their objectIds follow from their events, so that they are found
 * without a separate index: the time of the record, how long after the event that was, the event's place among those of one
 * instant, and what it is known by.
 */

const dayMs = 86_400_000;
const delayDigits = 5;
const longestDelay = 62 ** delayDigits - 1;
/** The kind and five digits, enough to distinguish the few records of one installation, beacon and kind of event. */
const knownBy = 6;

/** The last digits of a record's objectId. */
function signOf({ eventId, moduleType }: Pick<EventLog, 'eventId' | 'moduleType'>): string {
  const hash = createHash('sha256').update(`${eventId} ${moduleType}`).digest().readUIntBE(0, 5);
  return moduleType.slice(0, 1) + firstIdAt(hash).slice(1 - knownBy);
}

/** Records that are written at once are in the order of their events. */
function logIdOf(log: EventLog): string {
  const delay = Math.min(Math.max(0, log.now - log.occurredAt), longestDelay);
  return `${firstIdAt(log.now)}${firstIdAt(longestDelay - delay).slice(-delayDigits)}${log.eventId[8] ?? '0'}${signOf(log)}`;
}

/** The key by which older versions found the record of an event. */
const formerKey = ({ eventId, moduleType }: EventLog) => `${eventId}:${moduleType}`;

/** No clock of a phone is so far ahead that its events are recorded before that. */
const earliestId = ({ eventId }: EventLog) => firstIdAt(timeOfId(eventId) - dayMs);

const findTypes = {
  app_id: 'text',
  installation_id: 'text',
  beacon_id: 'text',
  event: 'text',
  earliest: 'text',
  sign: 'text',
  former_key: 'text',
} as const;

const findCells = (log: EventLog) => ({
  app_id: log.appId,
  installation_id: log.installationId,
  beacon_id: log.beaconId,
  event: log.event,
  earliest: earliestId(log),
  sign: signOf(log),
  former_key: formerKey(log),
});

/** The records of the given event, whichever version has written them. */
const isOf = (known: string, cell: Readonly<Record<keyof typeof findTypes, Sql>>) => {
  const column = (name: string) => raw(`${known}.${name}`);
  return sql`${column('app_id')} = ${cell.app_id} and ${column('installation_id')} = ${cell.installation_id}
    and ${column('object_id')} >= ${cell.earliest} and ${column('beacon_id')} = ${cell.beacon_id}
    and ${column('event')} = ${cell.event}
    and (substr(${column('object_id')}, ${raw(String(21 - knownBy))}) = ${cell.sign} or ${column('event_id')} = ${cell.former_key})`;
};

const columns = Object.keys(logs.table.columns) as (keyof typeof logs.table.columns)[];

/** Inserts records; existing ones stay as they are. */
const newRecords = new BulkStatement(
  { ...findTypes, ...typesOf(logs.table, columns) },
  ({ rows, cell }) => sql`insert into logs (${raw(columns.join(', '))})
    select ${joinSql(
      columns.map((name) => cell[name]),
      ', ',
    )} from ${rows} as given
    where not exists (select 1 from logs as known where ${isOf('known', cell)}) ${keepAny}`,
);

const changedRecords = new BulkStatement(
  { ...findTypes, occurred_at: 'bigint', updated_at: 'bigint' },
  ({ rows, cell }) => sql`update logs set occurred_at = ${cell.occurred_at}, updated_at = ${cell.updated_at}
    from ${rows} as given where ${isOf('logs', cell)}`,
);

const removedRecords = new BulkStatement(
  findTypes,
  ({ rows, cell }) => sql`delete from logs where app_id = ${cell.app_id} and object_id in (
    select known.object_id from logs as known join ${rows} as given on ${isOf('known', cell)})`,
);

/**
 * `keepsFormerKeys`: nodes of the previous version may use the database too, and find an event's records by that column.
 */
export const createEngineLogs = (keepsFormerKeys: boolean): LogStore => ({
  insert: (dialect, events) =>
    newRecords.each(
      dialect,
      events.map((log) => ({
        ...findCells(log),
        ...logRow({ ...log, objectId: logIdOf(log), eventId: keepsFormerKeys ? formerKey(log) : undefined }),
      })),
    ),
  change: (dialect, events) =>
    changedRecords.each(
      dialect,
      events.map((log) => ({ ...findCells(log), occurred_at: log.occurredAt, updated_at: log.now })),
    ),
  remove: (dialect, events) => removedRecords.each(dialect, events.map(findCells)),
});
