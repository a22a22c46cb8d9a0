import { hash } from 'node:crypto';
import { sightingKey } from '@pharos/engine';
import type { Batch, Item } from './batch.ts';
import type { Placed } from './placing.ts';

/**
 * What identifies a report that the engine alone could not recognise when repeated: it has the sender's own id, it is a decision,
 * or its time was corrected by its arrival. The engine recognises plain samples by their time.
 */
export function reportKey({ item, beacon }: Placed, installationId: string, corrected: boolean): string | undefined {
  const { eventId, observation, sentTime } = item;
  const needsKey = eventId !== undefined || (sentTime !== undefined && (corrected || observation.event !== undefined));
  if (!needsKey) return undefined;
  const sample = `${observation.rssi ?? observation.distance ?? ''} ${observation.receiver ?? ''}`;
  return sightingKey({
    ...(eventId === undefined ? {} : { eventId }),
    installation: installationId,
    beacon: beacon.objectId,
    event: observation.event ?? sample,
    occurredAt: sentTime ?? 0,
  });
}

/**
 * What identifies a whole batch, so that a sender that lost the answer gets it again. Undefined if a report has neither a time
 * nor its own id: then the same text may well be another observation.
 */
export function batchKey(batch: Batch, items: readonly Item[]): string | undefined {
  if (items.some(({ eventId, sentTime }) => eventId === undefined && sentTime === undefined)) return undefined;
  return `batch:${hash('sha256', JSON.stringify(batch), 'base64url')}`;
}
