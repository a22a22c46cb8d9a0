import { createHash } from 'node:crypto';
import type { EventKind } from './types.ts';

/** 20 characters of base64url, 120 bits: no collision to be expected below 10^17 ids. */
function digest(parts: readonly (string | number)[]): string {
  // JSON keeps the parts apart: ("a", "bc") and ("ab", "c") must not meet.
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 20);
}

/** A visit's id, from what makes it that visit; `startedAt` is the time of its first confirmed event (ms). */
export function visitId(installationId: string, beaconId: string, startedAt: number): string {
  return digest(['visit', installationId, beaconId, startedAt]);
}

/** A confirmed event's id. */
export function presenceEventId(visit: string, event: EventKind, at: number): string {
  return digest(['event', visit, event, at]);
}

/** What a sighting is known by: the client's `eventId`, else a hash over what makes two reports the same report. */
export function sightingKey(sighting: {
  readonly eventId?: string;
  readonly installation: string;
  readonly beacon: string;
  readonly event: string;
  readonly occurredAt: number;
}): string {
  const { eventId, installation, beacon, event, occurredAt } = sighting;
  // The installation stays part of the key, or one phone's counter would swallow another's.
  return eventId === undefined
    ? digest(['sighting', installation, beacon, event, occurredAt])
    : digest(['eventId', installation, eventId]);
}
