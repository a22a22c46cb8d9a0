import { createHash } from 'node:crypto';
import { firstIdAt } from '../../base/id.ts';
import type { EventLog } from '../event-log.ts';

/**
 * The records of events that the proximity engine reports. Their objectIds follow from their events, so that they are found
 * without a separate index: the time of the record, how long after the event that was, the event's place among those of one
 * instant, and what it is known by.
 */

const delayDigits = 5;
const longestDelay = 62 ** delayDigits - 1;
/** The kind and five digits: a few records of one installation, beacon and kind of event are told apart by them. */
export const knownBy = 6;

/** The last digits of a record's objectId. */
export function signOf({ eventId, moduleType }: Pick<EventLog, 'eventId' | 'moduleType'>): string {
  const hash = createHash('sha256').update(`${eventId} ${moduleType}`).digest().readUIntBE(0, 5);
  return moduleType.slice(0, 1) + firstIdAt(hash).slice(1 - knownBy);
}

/** Records that are written at once are in the order of their events. */
export function logIdOf(log: EventLog): string {
  const delay = Math.min(Math.max(0, log.now - log.occurredAt), longestDelay);
  return `${firstIdAt(log.now)}${firstIdAt(longestDelay - delay).slice(-delayDigits)}${log.eventId[8] ?? '0'}${signOf(log)}`;
}

/** What older versions called the event in a column. */
export const formerKey = ({ eventId, moduleType }: EventLog) => `${eventId}:${moduleType}`;

/** Whether a record with an event's id is the engine's: an older version, or one beside it, has called the event this. */
export function isOfEngine({ object_id, event_id, module_type }: Readonly<Record<string, unknown>>): boolean {
  const [eventId = '', moduleType] = String(event_id).split(':');
  if (moduleType !== module_type || (moduleType !== 'PRESENCE' && moduleType !== 'STORYLINE')) return false;
  return String(object_id).endsWith(signOf({ eventId, moduleType }));
}
